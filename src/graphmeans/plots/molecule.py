"""Molecules as chemists draw them: carbons are corners, bonds are lines, hydrogens stand beside their atom.

Coordinates come from RDKit where it is installed, else from the layout for any graph; what is drawn is the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from graphmeans.graphs.batch import FloatArray, IntArray
from graphmeans.graphs.graph import Graph
from graphmeans.plots.original import AtomLook, charge_text, isotope_text, look_of, of_last_graph

#: Names of node columns that hold element symbols, and of edge columns that hold bond orders.
ATOM_COLUMNS = ("chem", "symbol", "element", "atom", "atom_symbol", "atom_type")
BOND_COLUMNS = ("valence", "bond", "bond_order", "order", "bond_type")
_SYMBOLS = """
H He Li Be B C N O F Ne Na Mg Al Si P S Cl Ar K Ca Sc Ti V Cr Mn Fe Co Ni Cu Zn Ga Ge
As Se Br Kr Rb Sr Y Zr Nb Mo Tc Ru Rh Pd Ag Cd In Sn Sb Te I Xe Cs Ba La Ce Pr Nd Pm Sm Eu Gd
Tb Dy Ho Er Tm Yb Lu Hf Ta W Re Os Ir Pt Au Hg Tl Pb Bi Po At Rn Fr Ra Ac Th Pa U Np Pu Am Cm
"""
ELEMENTS = frozenset([*_SYMBOLS.split(), "*"])
_WORDS = {"single": 1.0, "double": 2.0, "triple": 3.0, "aromatic": 1.5, "1": 1.0, "2": 2.0, "3": 3.0, "4": 1.5}
_VALENCES = {"C": 4, "N": 3, "O": 2, "S": 2, "P": 3, "B": 3, "F": 1, "Cl": 1, "Br": 1, "I": 1}
_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
#: How far the lines of a double bond lie apart, and how much the inner one is shortened, in bond lengths.
_APART, _SHORTER = 0.17, 0.13


class Formula(NamedTuple):
    """A structural formula: hidden atoms, labels, and a stroke for every line of every bond."""

    hidden: NDArray[np.bool_]
    labels: list[str]
    sides: IntArray
    edge: IntArray
    shift: FloatArray
    inset: FloatArray


@of_last_graph
def atoms(graph: Graph) -> list[str] | None:
    """The element symbols of the nodes, or None if this is not a molecule."""
    for column in _columns(graph.nodes, ATOM_COLUMNS):
        if column.dtype == object:
            symbols = [str(value).strip() for value in column]
            return symbols if symbols and all(symbol in ELEMENTS for symbol in symbols) else None
    return None


def is_molecule(graph: Graph) -> bool:
    """Whether the nodes are atoms: a column named like one, with nothing but element symbols."""
    return atoms(graph) is not None


def _columns(columns: Mapping[str, Any], names: Iterable[str]) -> list[Any]:
    """The columns of these names, in their order, whatever their case, that hold one value in a row."""
    known = {key.lower(): column for key, column in columns.items()}
    return [known[name] for name in names if name in known and known[name].ndim == 1]


def bond_orders(graph: Graph) -> FloatArray:
    """The order of each bond: 1, 2, 3, or 1.5 for aromatic; 1 where none is given."""
    for column in _columns(graph.edge_attributes, BOND_COLUMNS):
        if column.dtype.kind == "f":
            halves = np.round(np.clip(column, 1.0, 3.0) * 2) / 2
            return np.where(halves == 2.5, 2.0, halves)
        if column.dtype == object:
            return np.array([_WORDS.get(str(value).lower(), 1.0) for value in column], dtype=np.float64)
    return np.ones(graph.n_edges)


def skeletal(graph: Graph, points: FloatArray, strength: FloatArray, along: FloatArray) -> Formula:
    """The strokes and labels of a structural formula, for atoms at these points."""
    symbols = atoms(graph) or []
    neighbours: list[list[int]] = [[] for _ in symbols]
    places, strengths = points.tolist(), strength.tolist()
    drawn = np.flatnonzero(along > 0)
    bonds_drawn = [(e, i, j) for e, (i, j) in zip(drawn.tolist(), graph.edges[drawn].tolist(), strict=True)]
    for _, i, j in bonds_drawn:
        neighbours[i].append(j)
        neighbours[j].append(i)
    look = look_of(graph)
    hidden = _hidden(symbols, look)
    gone = hidden.tolist()
    orders = _alternating(graph, symbols, bond_orders(graph), along) if look is None else look.orders
    unsaid = _unsaid_hydrogens(graph, symbols, orders) if look is None else [int(count) for count in look.hydrogens]
    charges = _charges(graph) if look is None else [int(charge) for charge in look.charges]
    labels = []
    sides = np.zeros(len(symbols), dtype=np.int64)
    for i, symbol in enumerate(symbols):
        hydrogens = sum(gone[n] and strengths[n] >= 0.5 * strengths[i] > 0 for n in neighbours[i]) + unsaid[i]
        bonds = sum(not gone[n] for n in neighbours[i])
        isotope = "" if look is None else isotope_text(int(look.isotopes[i]))
        charge = charge_text(charges[i])
        odd = bool(isotope or charge or (look is not None and look.radicals[i]))
        corner = symbol == "C" and bonds > 0 and not odd
        beside = ("H" + (str(hydrogens).translate(_SUBSCRIPTS) if hydrogens > 1 else "")) if hydrogens else ""
        if beside or len(symbol) > 1 or odd:  # OH, but HO where the bond comes from the right
            onto = [places[n][0] - places[i][0] for n in neighbours[i] if not gone[n]]
            acid = symbol in ("O", "S", "F", "Cl", "Br", "I")  # H₂O, but NH₃ and CH₄
            sides[i] = -1 if (sum(onto) / len(onto) > 0.05 if onto else acid) else 1
        written = isotope + symbol + beside + charge if sides[i] >= 0 else beside + isotope + symbol + charge
        labels.append("" if corner or gone[i] else written)
    strokes = [
        (e, *line)
        for e, i, j in bonds_drawn if not (gone[i] or gone[j])
        for line in _lines(places, neighbours, gone, i, j, float(orders[e]))
    ]  # fmt: skip
    edge, shift, inset = np.array(strokes, dtype=np.float64).reshape(-1, 3).T
    return Formula(hidden, labels, sides, edge.astype(np.int64), shift, inset)


def _hidden(symbols: list[str], look: AtomLook | None) -> NDArray[np.bool_]:
    """Hydrogens at heavier atoms are not drawn, unless they are isotopes: other atoms carry them in their letters."""
    heavy = any(symbol != "H" for symbol in symbols)
    plain = np.ones(len(symbols), dtype=bool) if look is None else look.isotopes == 0
    return np.array([heavy and symbol == "H" for symbol in symbols], dtype=bool) & plain


def _alternating(graph: Graph, symbols: list[str], orders: FloatArray, along: FloatArray) -> FloatArray:
    """Aromatic bonds as alternating single and double bonds: as many double bonds as fit, at most one at each atom."""
    aromatic = np.flatnonzero((orders == 1.5) & (along > 0))
    if not len(aromatic):
        return orders
    import networkx as nx

    bonds = np.bincount(graph.edges[along > 0].ravel(), minlength=graph.n_nodes)
    taken = set(graph.edges[(orders >= 2) & (along > 0)].ravel().tolist())
    fit = [s in ("C", "B", "Si") or (s in ("N", "P") and bonds[i] == 2) for i, s in enumerate(symbols)]
    may = [fits and i not in taken for i, fits in enumerate(fit)]
    free = nx.Graph()
    for e in aromatic:
        i, j = graph.edges[e].tolist()
        if may[i] and may[j]:  # prefer a double bond at every carbon; a nitrogen may go without, as in pyrrole
            free.add_edge(i, j, weight=1 + 10 * ((symbols[i] == "C") + (symbols[j] == "C")))
    double = {frozenset(pair) for pair in nx.max_weight_matching(free)}
    turned = orders.copy()
    turned[aromatic] = [2.0 if frozenset(graph.edges[e].tolist()) in double else 1.0 for e in aromatic]
    return turned


def _unsaid_hydrogens(graph: Graph, symbols: list[str], orders: FloatArray) -> list[int]:
    """Hydrogens that a graph counts, or that one without any implies; none are added to a mean, or where there are charges."""
    counts = [0] * len(symbols)
    if hasattr(graph, "node_support"):
        return counts
    counted = graph.nodes.get("hydrogens")
    if counted is not None and counted.dtype.kind == "f" and counted.ndim == 1:
        return [max(0, round(float(value))) for value in np.ma.filled(counted, 0.0)]
    if "H" in symbols or "charge" in graph.nodes:
        return counts
    used = np.zeros(len(symbols))
    np.add.at(used, graph.edges[:, 0], orders)
    np.add.at(used, graph.edges[:, 1], orders)
    charged = {int(j) for i, j in [*graph.edges, *graph.edges[:, ::-1]] if symbols[i] == "N" and used[i] > 3.1}
    for i, symbol in enumerate(symbols):
        if symbol in _VALENCES and not (symbol == "O" and i in charged):  # the oxygens of a nitro group have none
            counts[i] = max(0, _VALENCES[symbol] - round(float(used[i])))
    return counts


def _charges(graph: Graph) -> list[int]:
    """The charge of each atom, of a mean rounded; 0 where none is given."""
    column = graph.nodes.get("charge")
    if column is None or column.dtype.kind != "f" or column.ndim != 1:
        return [0] * graph.n_nodes
    return [round(float(value)) for value in np.ma.filled(column, 0.0)]


def _lines(
    points: list[list[float]], neighbours: list[list[int]], hidden: list[bool], i: int, j: int, order: float
) -> list[tuple[float, float]]:
    """The lines of a bond as (shift, inset): the second line of a double bond lies on the side of the neighbours."""
    if order < 1.25:
        return [(0.0, 0.0)]
    if order >= 2.75:
        return [(0.0, 0.0), (_APART, _SHORTER), (-_APART, _SHORTER)]
    x, y = points[i]
    left_x, left_y = y - points[j][1], points[j][0] - x
    others = [n for end, other in ((i, j), (j, i)) for n in neighbours[end] if n != other and not hidden[n]]
    ends = [sum(n != other and not hidden[n] for n in neighbours[end]) for end, other in ((i, j), (j, i))]
    turned = [left_x * (points[n][0] - x) + left_y * (points[n][1] - y) for n in others]
    sides = [(turn > 0) - (turn < 0) for turn in turned]
    if min(ends) == 0 and max(ends) != 1:  # C=O at the rim: two lines about the middle
        return [(_APART / 2, 0.0), (-_APART / 2, 0.0)]
    side = 1.0 if sum(sides) >= 0 else -1.0
    return [(0.0, 0.0), (side * _APART, _SHORTER)]


@lru_cache(maxsize=1)
def _rdkit() -> Any:
    try:
        from rdkit import Chem, RDLogger
        from rdkit.Chem import rdDepictor
    except ImportError:
        return None
    RDLogger.DisableLog("rdApp.*")  # type: ignore[attr-defined]
    return Chem, rdDepictor


def rdkit_coordinates(graph: Graph, piece: list[int], edges: list[tuple[int, int]]) -> FloatArray | None:
    """Where RDKit draws the atoms of one connected piece, in units of a bond; None without RDKit, or if it cannot.

    Hydrogens take the place of the atom they belong to: they are not drawn.
    """
    loaded = _rdkit()
    symbols = atoms(graph)
    if loaded is None or symbols is None:
        return None
    chem, depict = loaded
    hidden = _hidden(symbols, look_of(graph))
    heavy = [i for i in piece if not hidden[i]] or piece
    place = {int(i): n for n, i in enumerate(heavy)}
    molecule = chem.RWMol()
    for i in heavy:
        molecule.AddAtom(chem.Atom(symbols[i]))
    orders = dict(zip(map(tuple, np.sort(graph.edges, axis=1).tolist()), bond_orders(graph), strict=True))
    bonds = chem.BondType
    kinds = {1.0: bonds.SINGLE, 1.5: bonds.AROMATIC, 2.0: bonds.DOUBLE, 3.0: bonds.TRIPLE}
    for i, j in edges:
        if i in place and j in place and molecule.GetBondBetweenAtoms(place[i], place[j]) is None:
            molecule.AddBond(place[i], place[j], kinds[float(orders.get((min(i, j), max(i, j)), 1.0))])
    try:
        for atom in molecule.GetAtoms():
            atom.SetNoImplicit(True)  # a mean need not be a possible molecule
        molecule.UpdatePropertyCache(strict=False)
        chem.FastFindRings(molecule)
        chem.SetConjugation(molecule)
        chem.SetHybridization(molecule)  # triple bonds are drawn straight
        depict.SetPreferCoordGen(False)
        depict.Compute2DCoords(molecule, canonOrient=True)
        found = np.array(molecule.GetConformer().GetPositions())[:, :2] / 1.5
    except (RuntimeError, ValueError):
        return None
    points = np.zeros((graph.n_nodes, 2))
    points[heavy] = found
    for i, j in [*edges, *[(b, a) for a, b in edges]]:
        if j in place and i not in place:
            points[i] = points[j]
    return points[piece]
