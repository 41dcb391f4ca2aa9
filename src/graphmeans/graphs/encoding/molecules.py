"""`MoleculeEncoder`: the preset for molecules: what of them is compared, and how much each attribute weighs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sklearn.base import clone

from graphmeans.graphs.convert import to_graphs
from graphmeans.graphs.convert.molecule_options import (
    ISOTOPE_ATOMS,
    LINK_BONDS,
    PRESET_ATOMS,
    PRESET_BONDS,
    STEREO_ATOMS,
    STEREO_BONDS,
    SURROUNDING_ATOMS,
    MoleculeOptions,
)
from graphmeans.graphs.convert.packed_molecule import PackedMolecule, options_of
from graphmeans.graphs.convert.rdkit import graph_of
from graphmeans.graphs.encoding.encoder import GraphEncoder
from graphmeans.graphs.encoding.fitting import CollectionSummary
from graphmeans.graphs.encoding.options import Choices
from graphmeans.graphs.errors import GraphError
from graphmeans.graphs.graph import Graph, named
from graphmeans.graphs.mean_graph import MeanGraph

#: What squared differences are multiplied by. They were chosen by measurement (benchmarks/chemistry.py).
WEIGHTS: dict[str, float] = {
    "element": 1.0, "charge": 0.5, "aromatic": 0.5, "ring": 1.0, "hydrogens": 0.05, "bond": 1.0,
    "chirality": 1.0, "stereo": 1.0, "isotope": 1.0, "surroundings": 4.0, "wide_surroundings": 4.0,
}  # fmt: skip
#: Those that are different with ``links=True``; there the kind of a bond is part of the link, and is kept for drawing.
LINK_WEIGHTS: dict[str, float] = {"link": 4.0, "bond": 0.1}
#: What names of encoders stand for, as parameters of `MoleculeEncoder`.
PRESETS: dict[str, dict[str, Any]] = {"molecule": {}, "series": {"surroundings": "near"}}
#: Numbers are counted as they are, so that the distance of two molecules does not depend on the others.
_NUMBERS = {"charge": "keep", "hydrogens": "keep", "surroundings": "keep", "wide_surroundings": "keep"}


class MoleculeEncoder(GraphEncoder):
    """Encode molecules: element, formal charge, aromaticity, rings, hydrogens and bond types, with fixed weights.

    This is what ``encoder="molecule"`` stands for, and what ``encoder="auto"`` stands for where graphs have the attributes that
    `from_rdkit` and `from_smiles` give by default. The encoder holds how molecules become graphs, too, so that a fitted or
    loaded model takes molecules of RDKit, SMILES and graphs alike and treats them as those it was fitted on.
    ``encoder="series"``, for clusters that are chemical series, stands for ``MoleculeEncoder(surroundings="near")``.

    Parameters
    ----------
    surroundings : {"no", "near", "wide"}, default="no"
        Whether an atom is compared with what it is part of: its ring system or, outside of rings, its neighbours ("near");
        moreover with all that is up to two bonds away ("wide"). Clusters then follow common substructures more, and size less.
    links : bool, default=False
        Whether a bond is compared with its surroundings: two bonds are alike only if the elements of their ends (C, N, O or
        other), their kind and whether they are in a ring agree. Clusters then follow common substructures more, and size less;
        fits take two to three times as long.
    stereo : bool, default=False
        Whether R and S, E and Z are compared. By default the two forms of alanine are at distance 0.
    isotopes : bool, default=False
        Whether isotopes are compared. By default carbon 13 is carbon.
    hydrogens : {"fold", "keep"}, default="fold"
        Whether hydrogens that are atoms of their own are counted by their neighbours, or are nodes; see `from_rdkit`.
    fragments : {"keep", "largest"}, default="keep"
        Whether salts and solvents count, or only the largest fragment; see `from_rdkit`.
    standardise : {"no", "cleanup", "uncharge", "tautomer"}, default="no"
        Which of RDKit's standardisations comes first; see `from_rdkit`.
    weights : mapping of attribute to number, optional
        What squared differences in an attribute are multiplied by, where it is to differ from the preset; 0 leaves it out.
    missing : {"average", "columns", "refuse"}, default="average"
        As for `GraphEncoder`.
    unknown : {"average", "refuse"}, default="average"
        What an element becomes that no fitted molecule had; as for `GraphEncoder`.

    See Also
    --------
    GraphEncoder : For graphs of any kind.
    from_rdkit : Makes graphs with these attributes.

    Notes
    -----
    The weights are element 1, charge 0.5, aromatic 0.5, ring 1, hydrogens 0.05 and bond 1. Elements, bond types and yes or no
    are written 1-of-k: two atoms of different elements are 2 * 1 = 2 apart (squared), an atom in a ring and another one 2, an
    aromatic and another one 1; charges and hydrogens are numbers, so that one charge more is 0.5 and one hydrogen more 0.05. An
    atom without a counterpart costs at least 1 + 0.5 + 1 = 2.5, a bond without one 2, and two bonds of different types are 4
    apart, since the edges of an undirected graph count twice.

    With ``links=True``, the link of a bond (such as "C-O single" or "C-C aromatic ring") weighs 4, and its kind alone 0.1: a
    bond without a counterpart costs 8.2, and two bonds of which only the kind agrees are 16 apart.

    With ``surroundings="near"``, what an atom is part of is written as 48 numbers, of which two are not zero, and weighs 4: two
    atoms of different ring systems are mostly 8 apart. With "wide", all that is up to two bonds away is added to these numbers
    with half of that weight; the attribute is then called ``wide_surroundings``.

    Examples
    --------
    >>> import graphmeans as gm
    >>> left, right = "C[C@H](N)C(=O)O", "C[C@@H](N)C(=O)O"
    >>> gm.distance(gm.from_smiles(left), gm.from_smiles(right))
    0.0
    >>> encoder = gm.MoleculeEncoder(stereo=True)
    >>> gm.distance(*encoder.graphs_of([left, right]), encoder=encoder)
    1.4142135623730951
    """

    numbers = _NUMBERS
    presence = 0.0
    edge_presence = "auto"
    categories: Sequence[str] = ("isotope",)
    directions: Sequence[str] = ()
    orientations: Sequence[str] = ()
    angle_unit = "radians"
    directed = "auto"

    def __init__(
        self, *, surroundings: str = "no", links: bool = False, stereo: bool = False, isotopes: bool = False,
        hydrogens: str = "fold", fragments: str = "keep", standardise: str = "no",
        weights: Mapping[str, float] | None = None, missing: str = "average", unknown: str = "average",
    ) -> None:  # fmt: skip
        self.surroundings = surroundings
        self.links = links
        self.stereo = stereo
        self.isotopes = isotopes
        self.hydrogens = hydrogens
        self.fragments = fragments
        self.standardise = standardise
        self.weights = weights
        self.missing = missing
        self.unknown = unknown

    @property
    def options(self) -> MoleculeOptions:
        """How molecules become graphs."""
        for name in ("links", "stereo", "isotopes"):
            if getattr(self, name) not in (True, False):
                raise GraphError(f"{name} must be True or False, got {getattr(self, name)!r}")
        if self.surroundings not in SURROUNDING_ATOMS:
            raise GraphError(f"surroundings must be one of {', '.join(map(repr, SURROUNDING_ATOMS))}, got {self.surroundings!r}")
        added = (*(STEREO_ATOMS if self.stereo else ()), *(ISOTOPE_ATOMS if self.isotopes else ()))
        atoms = (*PRESET_ATOMS, *added, *SURROUNDING_ATOMS[self.surroundings])
        bonds = (*PRESET_BONDS, *(LINK_BONDS if self.links else ()), *(STEREO_BONDS if self.stereo else ()))
        return MoleculeOptions(atoms, bonds, self.hydrogens, self.fragments, self.standardise)

    def graphs_of(self, objects: Any) -> list[Graph]:
        """Convert molecules as this encoder says; graphs that were made of molecules in another way are made anew.

        Parameters
        ----------
        objects : collection of molecules, SMILES or graphs
            All of one kind.

        Returns
        -------
        list of Graph
            The graphs.
        """
        options, made = self.options, []
        for label, graph in named(to_graphs(objects, options)):
            origin = graph.packed_origin
            if isinstance(origin, PackedMolecule) and not isinstance(graph, MeanGraph) and options_of(origin) != options:
                made.append(graph_of(origin.unpack(), options, label, graph.name))
            elif graph.n_nodes and "element" not in graph.nodes:
                raise GraphError(f"{label} has no node attribute 'element', so that it is no molecule to encode as one")
            else:
                made.append(graph)
        return made

    def _fit_summary(self, summary: CollectionSummary | None, choices: Choices) -> None:
        columns = SURROUNDING_ATOMS.get(self.surroundings, ())
        needs: list[tuple[str, str, tuple[str, ...], tuple[str, ...]]] = []
        needs += [("links=True", "edge", PRESET_BONDS, LINK_BONDS)] if self.links else []
        needs += [(f"surroundings={self.surroundings!r}", "node", PRESET_ATOMS, columns)] if columns else []
        for option, _, _, (name,) in needs:
            if (self.weights or {}).get(name) == 0:
                raise GraphError(f"{option} has no effect if the weight of {name!r} is 0")
        super()._fit_summary(summary, choices)
        for option, part, usual, (name,) in needs:
            known = {column.name for column in (self.edge_columns_ if part == "edge" else self.node_columns_)}
            if known & set(usual) and name not in known:
                wanted = f"the molecules, or graphs with the {part} attribute {name!r}"
                raise GraphError(f"{option} needs {wanted}; these have neither")

    def _choices(self) -> Choices:
        own = dict(self.weights or {})
        weights = WEIGHTS | LINK_WEIGHTS if self.links else WEIGHTS
        preset = {name: weight for name, weight in weights.items() if name not in own}
        self._check_words()
        return Choices(
            self.numbers, {**preset, **own}, self.categories, self.directions, self.orientations, self.angle_unit,
            optional=frozenset(preset) | frozenset(self.numbers) | frozenset(self.categories),
        )  # fmt: skip


def make_encoder(encoder: Any, graphs: Sequence[Graph] | None, **options: Any) -> GraphEncoder:
    """A new encoder as the parameter `encoder` says: a copy of the one given, or what "auto" or a preset stands for.

    `options` are of the `GraphEncoder` that "auto" stands for where graphs are no molecules.
    """
    if not isinstance(encoder, str):
        copy: GraphEncoder = clone(encoder)
        return copy
    if encoder != "auto" and encoder not in PRESETS:
        raise GraphError(f"encoder must be 'auto', {', '.join(map(repr, PRESETS))} or a GraphEncoder, got {encoder!r}")
    if encoder == "auto" and not (graphs is not None and are_molecules(graphs)):
        return GraphEncoder(**options)
    return _preset(PRESETS.get(encoder, {}), graphs or [])


def _preset(chosen: Mapping[str, Any], graphs: Sequence[Graph]) -> MoleculeEncoder:
    """A preset, which takes molecules in as the first of these graphs was made of one: with hydrogens, without salts, ..."""
    origins = (graph.packed_origin for graph in graphs)
    first = next((origin for origin in origins if isinstance(origin, PackedMolecule)), None)
    if first is None:
        return MoleculeEncoder(**chosen)
    made = options_of(first)
    return MoleculeEncoder(**chosen, hydrogens=made.hydrogens, fragments=made.fragments, standardise=made.standardise)


def are_molecules(graphs: Sequence[Graph]) -> bool:
    """Whether these graphs have the attributes of the preset and no others, as far as the first with an edge shows."""
    known = None
    for graph in graphs:
        if set(graph.nodes) != set(PRESET_ATOMS) and graph.n_nodes:
            return False
        if graph.n_nodes:
            known = graph
        if graph.n_edges:
            return set(graph.edge_attributes) == set(PRESET_BONDS)
    return known is not None
