"""What a chemist reads of a clustering: a name, medoid, common core, what varies around it, scaffolds and properties."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from graphmeans.chemistry.core import LEVELS, USUAL, Core, Cores, usual_core
from graphmeans.chemistry.depiction import clockwise, core_with_places, laid_out, scaffold_turned_to, turned_to
from graphmeans.chemistry.drawing import MoleculePicture, draw
from graphmeans.chemistry.frame import Frame
from graphmeans.chemistry.members import ALIGNED, Aligned, ClusterMolecules, cluster_molecules
from graphmeans.chemistry.names.series import SeriesName, name_series
from graphmeans.chemistry.names.words import BENZENE
from graphmeans.chemistry.profile import Range, Scaffold, middle_half, most_frequent, properties, ranges, scaffold
from graphmeans.chemistry.toolkit import part
from graphmeans.chemistry.variation import Variation, variation
from graphmeans.evaluation.fitted import graphs_as_fitted
from graphmeans.graphs.batch import FloatArray
from graphmeans.graphs.errors import GraphError


class ClusterChemistry:
    """One cluster of molecules, as a chemist reads it. `read_clusters` makes it; it computes what it is asked for.

    Parameters
    ----------
    molecules : ClusterMolecules
        The members, and the alignments of some of them.

    See Also
    --------
    read_clusters : Makes these.
    describe_clusters : The same as a table.

    Examples
    --------
    >>> import graphmeans as gm
    >>> graphs = gm.from_smiles(["Oc1ccccc1", "Oc1ccccc1C", "Oc1ccccc1Cl", "CCCCCC", "CCCCCCC", "CCCCCCCC"])
    >>> km = gm.GraphKMeans(2, random_state=0).fit(graphs)
    >>> phenols = gm.chemistry.read_clusters(km, graphs)[km.labels_[0]]
    >>> phenols.core
    Core('Oc1ccccc1', 7 atoms, in 3 of 3 members)
    >>> print(phenols.variation(phenols.core).places[0])
    R1: CH₃ 33 %, Cl 33 %, H 33 %
    """

    def __init__(self, molecules: ClusterMolecules) -> None:
        self.molecules = molecules
        self._variations: dict[Core, Variation] = {}
        self._turned: dict[Aligned, Any] = {}
        self._series: SeriesName | None = None

    @property
    def label(self) -> int:
        """The number of the cluster."""
        return self.molecules.label

    @property
    def medoid(self) -> Aligned:
        """The member that is nearest to the mean: `row` is its place in the collection, `molecule` the molecule."""
        return self.molecules.medoid

    @property
    def series(self) -> SeriesName:
        """What most members have in common, in words: ring systems and functional groups, compared with the other clusters."""
        if self._series is None:  # it was not read together with others
            (self._series,) = name_series([self.molecules.molecules])
        return self._series

    @cached_property
    def frame(self) -> Frame:
        """What stands at each node of the mean, counted over the aligned members."""
        return Frame(self.molecules.aligned)

    @cached_property
    def cores(self) -> list[Core]:
        """The different common cores at falling supports, the smallest first."""
        return self._search.all(LEVELS)

    @cached_property
    def _search(self) -> Cores:
        return Cores(self.frame, self.molecules)

    @property
    def core(self) -> Core | None:
        """The core that says most, of those that about half of the members contain, or more.

        Its size counts, times the root of the share of members that contain it; one with a ring system that about half of the
        members have is preferred.
        """
        rings = {w.name for w, share in self.series.counted.items() if w.ring and share >= USUAL and w.name != BENZENE}
        return usual_core(self.cores, rings)

    def core_at(self, support: float) -> Core | None:
        """The core at a support.

        Parameters
        ----------
        support : float
            The least share of members that contain it.

        Returns
        -------
        Core or None
            None if no three connected atoms have that support.
        """
        return self._search.at(support)

    def variation(self, core: Core) -> Variation:
        """Say what varies around a core.

        Parameters
        ----------
        core : Core
            A core of this cluster.

        Returns
        -------
        Variation
            The places at which aligned members that contain the core differ, clockwise around its picture.
        """
        if core not in self._variations:
            self._variations[core] = variation(core, self.molecules.aligned, clockwise(core, self.laid_out(core.host)))
        return self._variations[core]

    @cached_property
    def all_scaffolds(self) -> list[str]:
        """The Murcko scaffold of each member as SMILES."""
        return [scaffold(molecule) for molecule in self.molecules.molecules]

    @property
    def scaffolds(self) -> list[Scaffold]:
        """The most frequent Murcko scaffolds of the members."""
        return most_frequent(self.all_scaffolds)

    @cached_property
    def all_properties(self) -> FloatArray:
        """Weight, logP, TPSA and number of rings of each member, a row each."""
        return np.array([properties(molecule) for molecule in self.molecules.molecules]).reshape(-1, 4)

    @property
    def ranges(self) -> dict[str, Range]:
        """The ranges of these properties."""
        return ranges(self.all_properties)

    @property
    def middle(self) -> dict[str, Range]:
        """What the middle half of the members have: rings, heavy atoms and weight, each with the member in the middle."""
        atoms = np.array([float(molecule.GetNumHeavyAtoms()) for molecule in self.molecules.molecules])
        values = {"rings": self.all_properties[:, 3], "heavy atoms": atoms, "weight": self.all_properties[:, 0]}
        return {name: middle_half(column) for name, column in values.items()}

    # -- pictures ----------------------------------------------------------------------------------

    @cached_property
    def _drawn(self) -> Any:
        return laid_out(self.medoid.molecule)

    def laid_out(self, member: Aligned) -> Any:
        """Lay a member out in the plane, turned as the medoid is.

        Parameters
        ----------
        member : Aligned
            One of `molecules.aligned`, or another member that is aligned to the same mean.

        Returns
        -------
        rdkit.Chem.Mol
            A copy of its molecule with coordinates, which is made once.
        """
        if member not in self._turned:
            drawn = self._drawn
            medoid, parts = self.medoid, self._search.of_medoid
            self._turned[member] = drawn if member is medoid else turned_to(member, medoid, drawn, parts, self._core_atoms)
        return self._turned[member]

    @cached_property
    def _core_atoms(self) -> frozenset[int]:
        """The atoms of the core that is shown first, if it is read in the medoid."""
        core = self.core
        return frozenset(core.atoms if core is not None and core.host is self.medoid else ())

    def medoid_picture(self) -> MoleculePicture:
        """Draw the medoid, with the share of members that have each of its atoms and bonds underneath.

        Returns
        -------
        MoleculePicture
            The picture, which notebooks show; `svg()` is its text.
        """
        return self.member_picture(self.medoid, support=True)

    def core_picture(self, core: Core, places: bool = True) -> MoleculePicture:
        """Draw a core as it lies in the medoid, with the names of the places at which members differ.

        Parameters
        ----------
        core : Core
            A core of this cluster.
        places : bool, default=True
            Whether these places are named. Without, what varies need not be looked for.

        Returns
        -------
        MoleculePicture
            The picture.
        """
        host = self.laid_out(core.host)
        piece, labels = core_with_places(core, self.variation(core) if places else Variation((), 0), host)
        return draw(piece, labels=labels)

    def scaffold_picture(self, scaffold: Scaffold) -> MoleculePicture | None:
        """Draw a scaffold, as it lies in the nearest member that has it, which is turned as the medoid is.

        Parameters
        ----------
        scaffold : Scaffold
            One of `scaffolds`.

        Returns
        -------
        MoleculePicture or None
            The picture; None for molecules without rings.
        """
        has = {
            row
            for row, smiles in zip(self.molecules.rows, self.all_scaffolds, strict=True)
            if smiles == scaffold.smiles
        }
        host = next((member for member in self.molecules.aligned if member.row in has), self.medoid)
        molecule = scaffold_turned_to(scaffold.smiles, host, self.laid_out(host))
        return None if molecule is None else draw(molecule)

    def member_picture(self, member: Aligned, support: bool = False) -> MoleculePicture:
        """Draw a member, turned as the medoid is.

        Parameters
        ----------
        member : Aligned
            One of `molecules.aligned`.
        support : bool, default=False
            Whether the share of members that have each of its atoms and bonds is drawn underneath.

        Returns
        -------
        MoleculePicture
            The picture.
        """
        drawn = self.laid_out(member)
        if not support:
            return draw(drawn)
        return draw(drawn, self.frame.atom_support(member), self.frame.link_support(member))


def read_clusters(estimator: Any, graphs: Any, *, aligned: int = ALIGNED) -> list[ClusterChemistry]:
    """Read the clusters of molecules as a chemist does.

    Parameters
    ----------
    estimator : GraphKMeans
        A fitted estimator.
    graphs : list of Graph, or of rdkit.Chem.Mol
        The molecules that it was fitted to, in the same order. Graphs must have been made of molecules.
    aligned : int, default=200
        At most this many members of each cluster are aligned to its mean, evenly from the nearest to the farthest. Supports
        and variation rest on these; what contains a core, scaffolds and properties are counted over all members.

    Returns
    -------
    list of ClusterChemistry
        One for each cluster that has members.

    See Also
    --------
    describe_clusters : The same as a table.
    report.write_report : The same as a page.

    Examples
    --------
    >>> import graphmeans as gm
    >>> graphs = gm.from_smiles(["Oc1ccccc1", "Oc1ccccc1C", "Oc1ccccc1Cl", "CCCCCC", "CCCCCCC", "CCCCCCCC"])
    >>> km = gm.GraphKMeans(2, random_state=0).fit(graphs)
    >>> sorted(str(cluster.core.smiles) for cluster in gm.chemistry.read_clusters(km, graphs))
    ['CCCCCC', 'Oc1ccccc1']
    """
    found = cluster_molecules(estimator, graphs_as_fitted(estimator, graphs), aligned=aligned)
    return named([ClusterChemistry(molecules) for molecules in found if len(molecules)])


def named(clusters: list[ClusterChemistry]) -> list[ClusterChemistry]:
    """The same clusters, each with a name that is chosen beside the others."""
    for cluster, series in zip(clusters, name_series([c.molecules.molecules for c in clusters]), strict=True):
        cluster._series = series
    return clusters


def common_core(
    estimator: Any, graphs: Any, cluster: int, support: float | None = None, *, aligned: int = ALIGNED
) -> Core | None:
    """Find the common core of a cluster of molecules.

    It is the largest connected part of the cluster's mean, as it stands in the medoid or in another member near the mean, that
    the share of the members contain, by substructure search; rings are whole or left out. Rings and heteroatoms count for
    more than other atoms where the largest part is looked for.

    Parameters
    ----------
    estimator : GraphKMeans
        A fitted estimator.
    graphs : list of Graph, or of rdkit.Chem.Mol
        The molecules that it was fitted to, in the same order.
    cluster : int
        The number of the cluster.
    support : float, optional
        The least share of members that contain it. By default the support from 0.2 to 1 is taken whose core says most of about
        half of the members, or more: see `ClusterChemistry.core`.
    aligned : int, default=200
        At most this many members are aligned to the mean, evenly from the nearest to the farthest.

    Returns
    -------
    Core or None
        None if no three connected atoms have the support, or the cluster is empty.

    See Also
    --------
    read_clusters : All clusters, with cores at all supports and what varies around them.

    Examples
    --------
    >>> import graphmeans as gm
    >>> graphs = gm.from_smiles(["Oc1ccccc1", "Oc1ccccc1C", "Oc1ccccc1Cl", "CCCCCC", "CCCCCCC", "CCCCCCCC"])
    >>> km = gm.GraphKMeans(2, random_state=0).fit(graphs)
    >>> gm.chemistry.common_core(km, graphs, km.labels_[0]).smarts
    'O-c1:c:c:c:c:c:1'
    """
    if support is not None and not 0 < support <= 1:
        raise GraphError(f"support must be above 0 and at most 1, got {support!r}")
    (found,) = cluster_molecules(estimator, graphs_as_fitted(estimator, graphs), [int(cluster)], aligned)
    if not len(found):
        return None
    read = ClusterChemistry(found)
    return read.core if support is None else read.core_at(support)


def describe_clusters(estimator: Any, graphs: Any, *, aligned: int = ALIGNED) -> list[dict[str, Any]]:
    """Describe the clusters of molecules in a table.

    Parameters
    ----------
    estimator : GraphKMeans
        A fitted estimator.
    graphs : list of Graph, or of rdkit.Chem.Mol
        The molecules that it was fitted to, in the same order.
    aligned : int, default=200
        At most this many members of each cluster are aligned to its mean, evenly from the nearest to the farthest.

    Returns
    -------
    list of dict
        A row for each cluster that has members, for example for `pandas.DataFrame`: ``cluster``, ``size``, ``series`` (what most
        members have in common, in words), ``series_share``, ``medoid`` (its place in the collection),
        ``medoid_smiles``, ``core_smiles``, ``core_smarts``, ``core_atoms``, ``core_share`` (of all members, by substructure
        search), ``variation`` (text), ``scaffold``, ``scaffold_share``, and the medians ``weight``, ``logP``, ``TPSA`` and
        ``rings``.

    See Also
    --------
    read_clusters : The same as objects, with pictures.

    Examples
    --------
    >>> import graphmeans as gm
    >>> graphs = gm.from_smiles(["Oc1ccccc1", "Oc1ccccc1C", "Oc1ccccc1Cl", "CCCCCC", "CCCCCCC", "CCCCCCCC"])
    >>> km = gm.GraphKMeans(2, random_state=0).fit(graphs)
    >>> row = gm.chemistry.describe_clusters(km, graphs)[km.labels_[0]]
    >>> row["series"], row["core_smiles"], row["core_share"], row["variation"]
    ('Phenols', 'Oc1ccccc1', 1.0, 'R1: CH₃ 33 %, Cl 33 %, H 33 %')
    """
    chem = part("Chem")
    rows = []
    for cluster in read_clusters(estimator, graphs, aligned=aligned):
        core, found = cluster.core, cluster.scaffolds[0]
        rows.append({
            "cluster": cluster.label, "size": len(cluster.molecules), "series": cluster.series.title,
            "series_share": cluster.series.share, "medoid": cluster.medoid.row,
            "medoid_smiles": chem.MolToSmiles(cluster.medoid.molecule),
            "core_smiles": "" if core is None else core.smiles, "core_smarts": "" if core is None else core.smarts,
            "core_atoms": 0 if core is None else len(core.atoms), "core_share": np.nan if core is None else core.share,
            "variation": "" if core is None else "; ".join(map(str, cluster.variation(core).places)),
            "scaffold": found.smiles, "scaffold_share": found.members / len(cluster.molecules),
            **{name: row.median for name, row in cluster.ranges.items()},
        })  # fmt: skip
    return rows


def ranges_of_all(clusters: Sequence[ClusterChemistry]) -> dict[str, Range]:
    """The ranges of properties over all clusters together."""
    return ranges(np.concatenate([cluster.all_properties for cluster in clusters])) if clusters else {}
