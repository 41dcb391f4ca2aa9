"""How good a clustering is, how many clusters to take, and what is in a collection."""

from graphmeans.evaluation.choosing import KChoice, choose_k
from graphmeans.evaluation.inspecting import Inspection, inspect
from graphmeans.evaluation.measures import accuracy, objective, silhouette

__all__ = ["Inspection", "KChoice", "accuracy", "choose_k", "inspect", "objective", "silhouette"]
