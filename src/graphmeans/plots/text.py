"""Names from files, made harmless before they are shown."""

from __future__ import annotations

import re
import unicodedata

# Marks that reorder the text around them (a name could disguise itself, or its line); and the last two, not
# characters in the sense of XML 1.0, of which one makes an SVG or GraphML file unreadable.
_DROPPED = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufffe\uffff")


def plain_text(text: object, limit: int | None = None) -> str:
    """The text on one line without control characters; cut to `limit` characters if that is given.

    Markup stays as it is: escaping is the business of whoever puts the text into HTML, SVG or a terminal.

    Examples
    --------
    >>> plain_text("a\\x1b[31m\\nname")
    'a[31m name'
    """
    line = str(text)
    if line.isascii() and line.isprintable() and "  " not in line:  # most are harmless already
        kept = line
    else:
        line = re.sub(r"\s+", " ", line)
        kept = "".join(c for c in line if unicodedata.category(c) not in ("Cc", "Cs") and c not in _DROPPED)
    return kept if limit is None or len(kept) <= limit else kept[: limit - 1] + "…"
