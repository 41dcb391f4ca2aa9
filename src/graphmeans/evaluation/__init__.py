"""How good a clustering is: accuracy, the paper's silhouette index, the objective."""

from graphmeans.evaluation.measures import accuracy, objective, silhouette

__all__ = ["accuracy", "objective", "silhouette"]
