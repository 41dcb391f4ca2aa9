"""What a chemist reads of clusters of molecules: a name, medoid, common core, what varies around it, scaffolds and properties."""

from graphmeans.chemistry.core import Core
from graphmeans.chemistry.describe import ClusterChemistry, common_core, describe_clusters, read_clusters
from graphmeans.chemistry.names.series import SeriesName
from graphmeans.chemistry.variation import Place, Variation

__all__ = [
    "ClusterChemistry", "Core", "Place", "SeriesName", "Variation", "common_core", "describe_clusters", "read_clusters",
]  # fmt: skip
