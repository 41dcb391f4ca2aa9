"""How numbers, shares, times and counts are written on the page and in the terminal; the template of a page."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template
from markupsafe import Markup, escape
from numpy.typing import NDArray

#: The page itself: HTML, style sheets and scripts.
PAGE = Path(__file__).parent / "page"
#: Numbers of longer vectors, such as hashed surroundings of atoms, say nothing to a reader one by one: they are not told of.
LONG = 8
#: A member is near the border to another cluster, and doubtful, if it is so much of the way to the mean of that cluster.
BORDER = 0.4
#: Names of so many letters are not broken.
WHOLE = 14
#: Where a long name of several words may be broken, also where capitals tell them apart; not within brackets, as in names of
#: ring systems.
_TOGETHER = re.compile(r"(\[[^\[\]\s]*-[^\[\]\s]*\]|\b[\d–]+ g/mol\b)")
_BETWEEN_WORDS = re.compile(
    r"(?<=[^\W\d][./-])(?=\w)|(?<=[^\W_]_)(?=[^\W_])|(?<=[a-z]{3})(?=[A-Z][A-Za-z]{2})|"
    r"(?<=[A-Z]{2})(?=[A-Z][a-z]{2})|(?<=[a-z]\d)(?=[A-Z][a-z]{2})"
)
#: What stands in a table where there is no value.
MISSING = "—"


def number(value: float) -> str:
    """A number with separators or four digits: 12,345 or 3.142.

    Examples
    --------
    >>> number(12345), number(3.14159), number(7), number(0.00012)
    ('12,345', '3.142', '7', '0.00012')
    """
    value = float(value)
    if not math.isfinite(value):
        return "–"
    if value == int(value) or abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.4g}"


def significant(value: float, digits: int) -> float:
    """A number rounded to this many significant digits.

    Examples
    --------
    >>> significant(3.14159, 3)
    3.14
    """
    return float(f"{float(value):.{digits}g}")


def percent(share: float) -> str:
    """A share in per cent; only a share of exactly 1 is written as 100%.

    Examples
    --------
    >>> percent(0.98), percent(0.9996), percent(1)
    ('98%', '99.9%', '100%')
    """
    if share >= 1:
        return "100%"
    value = math.floor(share * 1000) / 10 if share > 0.995 else round(share * 1000) / 10
    return f"{value:g}%"


def whole_percents(counts: Sequence[int]) -> list[int]:
    """Shares in whole per cent that add up to 100: those are rounded up that lose most by rounding down.

    Examples
    --------
    >>> whole_percents([58, 7, 1]), whole_percents([1, 1, 1])
    ([88, 11, 1], [34, 33, 33])
    """
    total = sum(counts)
    found = [100 * count // total for count in counts]
    by_rest = sorted(range(len(counts)), key=lambda n: -(100 * counts[n] % total))
    for n in by_rest[: 100 - sum(found)]:
        found[n] += 1
    return found


def is_long(values: NDArray[Any]) -> bool:
    """Whether a column is of vectors of many numbers."""
    return values.ndim == 2 and values.shape[1] > LONG


def duration(seconds: float) -> str:
    """A time in suitable units.

    Examples
    --------
    >>> duration(0.0002), duration(0.0312), duration(4.24), duration(75), duration(7320)
    ('under 1 ms', '31 ms', '4.2 s', '1 min 15 s', '2 h 2 min')
    """
    if seconds < 0.0005:
        return "under 1 ms"
    if seconds < 0.9995:
        return f"{seconds * 1000:.0f} ms"
    if seconds < 59.95:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60} h {minutes % 60} min"


def counted(count: int, what: str, many: str | None = None) -> str:
    """A count with its noun, whose plural ends in s unless it is given.

    Examples
    --------
    >>> counted(1, "graph"), counted(1200, "graph")
    ('1 graph', '1,200 graphs')
    """
    return f"{count:,} {what if count == 1 else many or what + 's'}"


def natural_key(text: str) -> list[tuple[int, int, str]]:
    """A key that sorts names as people do: numbers in them by their value.

    Examples
    --------
    >>> sorted(["10", "2", "1", "b2", "b10", "B1"], key=natural_key)
    ['1', '2', '10', 'B1', 'b2', 'b10']
    """
    parts = [part for part in re.split(r"([0-9]+)", text) if part]
    plain = [(0, int(part), "") if part[0] in "0123456789" else (1, 0, part.casefold()) for part in parts]
    return [*plain, (2, 0, text)]  # of names that are alike otherwise, 01 and 1 say, the order is fixed, too


def breakable(text: str) -> Markup:
    """Escaped, with places where a line may end inside of long names: between their words, after points, bars and strokes.

    Short ones stay whole.

    Examples
    --------
    >>> breakable("such as os.add_dll_directory, y 85.1, read_string")
    Markup('such as os.<wbr>add_<wbr>dll_<wbr>directory, y 85.1, read_string')
    >>> breakable("codecs.BufferedIncrementalDecoder")
    Markup('codecs.<wbr>Buffered<wbr>Incremental<wbr>Decoder')
    >>> breakable("Thieno[2,3-b]pyridines")
    Markup('Thieno<bdi style="white-space: nowrap">[2,3-b]</bdi>pyridines')
    """
    found = Markup("")
    for n, part in enumerate(_TOGETHER.split(text)):
        if n % 2:
            found += Markup('<bdi style="white-space: nowrap">{}</bdi>').format(part)
        else:
            for word in re.split(r"(\s+)", part):
                pieces = _BETWEEN_WORDS.split(word) if len(word) > WHOLE else [word]
                found += Markup("<wbr>").join(map(escape, pieces))
    return found


def in_percent(share: float) -> str:
    """A share in whole per cent; what is rare is not nothing, and what nearly all have is not all."""
    return percent(share) if share in (0.0, 1.0) else f"{min(max(round(100 * share), 1), 99)}%"


@cache
def page_template(folder: Path, page: str = "page.html") -> Template:
    """A page in this folder."""
    environment = Environment(
        loader=FileSystemLoader(folder), autoescape=True, undefined=StrictUndefined, trim_blocks=True,
        lstrip_blocks=True,
    )  # fmt: skip
    environment.filters.update(number=number, percent=percent, counted=counted, breakable=breakable)
    return environment.get_template(page)
