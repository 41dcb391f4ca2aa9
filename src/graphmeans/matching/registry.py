"""The matchers by name. A new matcher is registered here."""

from __future__ import annotations

from graphmeans.graphs.errors import GraphError
from graphmeans.matching.auto import Auto
from graphmeans.matching.exact import Exact
from graphmeans.matching.graduated import Graduated
from graphmeans.matching.match import Matcher
from graphmeans.matching.search import Search

#: The classes of matchers, by the name that users give.
MATCHERS: dict[str, type] = {"auto": Auto, "exact": Exact, "graduated": Graduated, "search": Search}
#: The matchers that look harder if they are given more effort.
WITH_EFFORT = ("auto", "search")


def get_matcher(matcher: str | Matcher, effort: float = 1.0) -> Matcher:
    """The matcher of this name, with this effort; a matcher that is given as an object is returned as it is."""
    if not isinstance(matcher, str):
        if not isinstance(matcher, Matcher):
            raise GraphError(f"matcher must be a name or an object with get_params and solve, got {matcher!r}")
        if effort != 1.0:
            raise GraphError(f"effort={effort!r} means nothing where the matcher is given as an object")
        return matcher
    if matcher not in MATCHERS:
        raise GraphError(f"unknown matcher {matcher!r}; known are {', '.join(sorted(MATCHERS))}")
    if effort == 1.0:
        return MATCHERS[matcher]()
    if matcher not in WITH_EFFORT:
        raise GraphError(f"effort={effort!r} means nothing to the {matcher} matcher")
    return MATCHERS[matcher](effort=effort)
