"""How good a clustering is: accuracy, the paper's silhouette index, the objective; and how many clusters to take."""

from graphmeans.evaluation.choosing import KChoice, choose_k
from graphmeans.evaluation.measures import accuracy, objective, silhouette

__all__ = ["KChoice", "accuracy", "choose_k", "objective", "silhouette"]
