"""Collections of graphs to try things on."""

from graphmeans.datasets.iam import load_iam
from graphmeans.datasets.letters import letter_prototypes, make_letters
from graphmeans.datasets.tudataset import fetch_tudataset, load_tudataset

__all__ = ["fetch_tudataset", "letter_prototypes", "load_iam", "load_tudataset", "make_letters"]
