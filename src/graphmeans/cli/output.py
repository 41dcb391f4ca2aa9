"""What commands print: JSON for scripts, and tables and names for people."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from rich.table import Table


def say(what: str | Table) -> None:
    """Print a line of rich's markup, which the terminal may wrap, or a table."""
    from rich.console import Console

    Console(highlight=False).print(what, soft_wrap=isinstance(what, str))


def echo_json(value: Any) -> None:
    """Print JSON that every reader accepts: what is not a finite number becomes null."""
    typer.echo(json.dumps(_finite(value), indent=1, ensure_ascii=False, allow_nan=False))


def plain_table(*left: str, right: tuple[str, ...] = (), gap: int = 3, no_wrap: bool = False) -> Table:
    """An empty table without lines, with columns that are aligned to the left and, after them, to the right."""
    from rich.table import Table

    table = Table(box=None, header_style="bold", pad_edge=False, padding=(0, gap, 0, 0))
    for name in left:
        table.add_column(name, no_wrap=no_wrap)
    for name in right:
        table.add_column(name, justify="right", no_wrap=no_wrap)
    return table


def safe_markup(text: object, limit: int | None = None) -> str:
    """A name from a file or a path as text that rich prints as it is."""
    from rich.markup import escape

    from graphmeans.plots.text import plain_text

    return escape(plain_text(text, limit))


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _finite(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(item) for item in value]
    if hasattr(value, "item"):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value
