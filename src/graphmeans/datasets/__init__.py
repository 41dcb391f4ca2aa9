"""Collections of graphs to try things on."""

from graphmeans.datasets.iam import load_iam
from graphmeans.datasets.letters import letter_prototypes, make_letters

__all__ = ["letter_prototypes", "load_iam", "make_letters"]
