"""What a graph was made of, kept in little room: a `PackedOrigin` is unpacked each time it is asked for."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any


class PackedOrigin(ABC):
    """The object that a graph was made of, in a form that is small, and that can be pickled without loss."""

    __slots__ = ()

    @abstractmethod
    def unpack(self) -> Any:
        """The object itself, made anew."""
