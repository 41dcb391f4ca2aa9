"""The one exception for input that cannot be used."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

#: Messages are no longer than this, whatever names they quote; of longer ones the middle is left out.
LONGEST, END = 900, 200


class GraphError(ValueError):
    """A graph, file or collection that cannot be used; the message is one line naming what is at fault.

    Parameters
    ----------
    message : object, default=""
        What is at fault. Of a message of more than 900 letters the middle is left out.

    See Also
    --------
    Graph : Raises it for values that cannot be used.

    Examples
    --------
    >>> import graphmeans as gm
    >>> try:
    ...     gm.Graph([[float("nan")]])
    ... except gm.GraphError as error:
    ...     print(type(error).__name__)
    GraphError
    """

    def __init__(self, message: object = "") -> None:
        text = str(message)
        super().__init__(text if len(text) <= LONGEST else f"{text[: LONGEST - END]} … {text[-END:]}")


@contextmanager
def speaking_of(label: str) -> Iterator[None]:
    """Errors that are raised inside and begin with "graph:" name the graph by this label instead."""
    try:
        yield
    except GraphError as error:
        raise GraphError(str(error).replace("graph:", f"{label}:", 1)) from None
