"""Collections of graphs to try things on."""

from graphmeans.datasets.letters import letter_prototypes, make_letters

__all__ = ["letter_prototypes", "make_letters"]
