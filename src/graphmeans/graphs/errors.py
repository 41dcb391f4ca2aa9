"""The one exception for input that cannot be used."""

from __future__ import annotations


class GraphError(ValueError):
    """A graph, file or collection that cannot be used; the message is one line naming what is at fault."""
