"""XML read through defusedxml, at the speed of expat; and text fit to be written into XML."""

from __future__ import annotations

import re
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any
from xml.parsers.expat import ExpatError
from xml.sax.saxutils import escape

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import DefusedXMLParser, ParseError

from graphmeans.files import fail
from graphmeans.graphs.errors import GraphError

_ILLEGAL = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def parse_xml(
    data: bytes, start: Callable[[str, dict[str, str]], None], end: Callable[[str], None], text: Callable[[str], Any],
    where: str,
) -> None:
    """Call `start`, `end` and `text` for what the document holds; tags come without their namespace.

    The parser is defusedxml's own, with its refusal of entity declarations and external references in place. A DOCTYPE
    is tolerated and its DTD never fetched. Only the element handlers are set directly on its expat parser, because the
    tree that they would otherwise build in pure Python takes three times as long.
    """
    target = SimpleNamespace(data=text)  # only gathers text; `data` must exist for undefined entities to be errors
    parser = DefusedXMLParser(target=target, forbid_dtd=False, forbid_entities=True, forbid_external=True)
    expat = parser.parser
    expat.ordered_attributes = False
    expat.specified_attributes = True  # a default declared in the DOCTYPE would be copied for every element
    if b"xmlns" in data or b"\0" in data:  # namespaces, or an encoding in which they cannot be seen
        expat.StartElementHandler = lambda tag, attributes: start(tag.rpartition("}")[2], attributes)
        expat.EndElementHandler = lambda tag: end(tag.rpartition("}")[2])
    else:
        expat.StartElementHandler, expat.EndElementHandler = start, end
    try:
        expat.Parse(data, True)
    except GraphError:
        raise
    except DefusedXmlException as error:
        raise fail(where, f"refused, its XML declares entities or external references ({error})") from None
    except (ExpatError, ParseError, ValueError, LookupError) as error:
        raise fail(where, f"is not well-formed XML ({error})") from None


def xml_text(value: str, what: str) -> str:
    """The text escaped for an element or a quoted attribute; characters that XML cannot hold are an error."""
    illegal = _ILLEGAL.search(value)
    if illegal:
        raise GraphError(f"{what} contains the character {illegal.group()!r}, which XML cannot hold; use JSON or npz")
    return escape(value, {'"': "&quot;", "\r": "&#13;", "\n": "&#10;", "\t": "&#9;"})
