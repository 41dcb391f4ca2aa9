"""What a row of a Parquet file holds: one graph as typed list columns, and the graph back from them.

===================  ========================  ==============================================================
column               type                      meaning
===================  ========================  ==============================================================
``name``, ``label``  string                    the graph's name and its class; null if it has none
``n_nodes``          int32                     number of nodes
``source, target``   list of int32             end nodes of each edge, as positions
``nodes.x``          list of float64, bool     the node column x, one value for each node; a vector column of width w holds w
                     or string                 values a node, one node after the other; null for a missing value
``edges.x``          the same                  the edge column x
``nodes``, ``edges`` list of float64           a bare array, as a vector column
``node_ids, roles``  list of int64 or string   null if the graph has none; JSON texts where they are neither
``apart``            binary                    a graph that does not fit these columns, whole, as the bytes of an .npz
===================  ========================  ==============================================================

A list is null where a graph lacks the column altogether. The schema's metadata has an entry ``graphmeans`` with JSON: the
format, its version, whether edges are directed, and name, type and width of every column.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from numpy.typing import NDArray

from graphmeans.file_schema import PARQUET
from graphmeans.files import blaming, fail, parse_json
from graphmeans.graphs.graph import BARE, Graph
from graphmeans.graphs.values import unknown_type
from graphmeans.io.parquet.arrow import arrow
from graphmeans.schema import check

COLLECTION_FORMAT, COLLECTION_VERSION = "graphmeans collection", 1
#: A table of labels beside a collection describes itself in the same way.
LABELS_FORMAT, LABELS_VERSION = "graphmeans labels", 1
#: Where the description stands in the metadata of a schema.
KEY = b"graphmeans"
#: Columns that are no attributes.
NAME, LABEL, SIZE, SOURCE, TARGET, IDS, ROLES, APART = (
    "name", "label", "n_nodes", "source", "target", "node_ids", "roles", "apart"
)  # fmt: skip

class ColumnKind(NamedTuple):
    """The type of a column, and the width of its vectors."""

    type: str  # "number", "bool" or "string"
    width: int | None = None

    def fits(self, values: NDArray[Any]) -> bool:
        """Return whether a column of a graph can be written as this kind and is read back unchanged."""
        if (None if values.ndim == 1 else values.shape[1]) != self.width:
            return False
        # A column of single values without any value has no type.
        return (values.ndim == 1 and (not len(values) or unknown_type(values))) or column_kind(values).type == self.type


def column_kind(values: NDArray[Any]) -> ColumnKind:
    """Return the kind of a column."""
    kind = {"f": "number", "b": "bool", "O": "string"}[values.dtype.kind]
    return ColumnKind(kind, values.shape[1] if values.ndim == 2 else None)


@dataclass
class Layout:
    """The columns that all rows of a file have."""

    directed: bool = False
    nodes: dict[str, ColumnKind] = field(default_factory=dict)
    edges: dict[str, ColumnKind] = field(default_factory=dict)
    ids: str | None = None
    roles: str | None = None

    @classmethod
    def of(cls, graphs: Sequence[Graph]) -> Layout:
        """Return the columns of these graphs. Where two disagree about a type, that of the first is taken."""
        layout = cls(directed=sum(1 if graph.directed else -1 for graph in graphs) > 0)
        for part, known in (("node", layout.nodes), ("edge", layout.edges)):
            shown: set[str] = set()
            for graph in graphs:
                for key, values in (graph._nodes if part == "node" else graph._edge_attributes).items():
                    if key in shown or _is_default(key, values, part) or not is_text(key):
                        continue
                    # A column without any value is taken for one of numbers.
                    if len(values) and not unknown_type(values):
                        shown.add(key)
                        known[key] = column_kind(values)
                    else:
                        known.setdefault(key, column_kind(values))
        layout.ids = _common_kind(graph._node_ids for graph in graphs)
        layout.roles = _common_kind(graph._roles for graph in graphs)
        return layout

    def holds(self, graph: Graph) -> bool:
        """Return whether a graph fits these columns and is read back unchanged."""
        if type(graph) is not Graph or graph.directed != self.directed or not is_text(graph.name or ""):
            return False
        for labels, kind in ((graph._node_ids, self.ids), (graph._roles, self.roles)):
            if labels is not None and kind != "json" and (kind is None or (labels and label_kind(labels) != kind)):
                return False
        return _fit(graph._nodes, self.nodes, "node") and _fit(graph._edge_attributes, self.edges, "edge")

    # -- the schema of a file ----------------------------------------------------------------------

    def schema(self) -> Any:
        """Return the Arrow schema, with the description in its metadata."""
        pa = arrow()
        types = {"number": pa.float64(), "bool": pa.bool_(), "string": pa.string(), "int": pa.int64(), "json": pa.string()}
        fields = [pa.field(NAME, pa.string()), pa.field(LABEL, pa.string()), pa.field(SIZE, pa.int32(), nullable=False)]
        fields += [pa.field(end, pa.list_(pa.int32())) for end in (SOURCE, TARGET)]
        for part, columns in (("nodes", self.nodes), ("edges", self.edges)):
            fields += [pa.field(stored(part, key), pa.list_(types[kind.type])) for key, kind in columns.items()]
        fields += [pa.field(key, pa.list_(types[kind])) for key, kind in ((IDS, self.ids), (ROLES, self.roles)) if kind]
        fields.append(pa.field(APART, pa.binary()))
        return pa.schema(fields, metadata={KEY: json.dumps(self._described()).encode()})

    def _described(self) -> dict[str, Any]:
        return {
            "format": COLLECTION_FORMAT,
            "version": COLLECTION_VERSION,
            "directed": self.directed,
            "nodes": [[key, *kind] for key, kind in self.nodes.items()],
            "edges": [[key, *kind] for key, kind in self.edges.items()],
            "node_ids": self.ids,
            "roles": self.roles,
        }

    @classmethod
    def from_schema(cls, schema: Any, where: str) -> Layout:
        """Return the layout that a file describes, after checking that its columns are as it says."""
        about = own_metadata(schema, where)
        if about is None or about.get("format") != COLLECTION_FORMAT:
            raise fail(where, "is a Parquet file, but not a collection of graphs written by graphmeans")
        if about.get("version") != COLLECTION_VERSION:
            raise fail(where, f"has format version {about.get('version')!r}, this release reads {COLLECTION_VERSION}")
        with blaming(where, "its description of the columns is malformed"):
            check(PARQUET, about, "its description")
        nodes, edges = ({key: ColumnKind(kind, width) for key, kind, width in about[part]} for part in ("nodes", "edges"))
        layout = cls(about["directed"], nodes, edges, about["node_ids"], about["roles"])
        for one in layout.schema():
            found = schema.field(one.name).type if schema.get_field_index(one.name) >= 0 else None
            if found != one.type:
                raise fail(where, f"column {one.name!r} is {'absent' if found is None else found}, expected {one.type}")
        return layout


def own_metadata(schema: Any, where: str) -> dict[str, Any] | None:
    """Return what graphmeans wrote into the metadata of a schema, or None."""
    about = parse_json((schema.metadata or {}).get(KEY, b"null").decode("utf-8", "replace"), where)
    return about if isinstance(about, dict) else None


def is_label_table(schema: Any, where: str) -> bool:
    """Return whether a file holds labels rather than graphs."""
    about = own_metadata(schema, where)
    return about is not None and about.get("format") == LABELS_FORMAT


def stored(part: str, key: str) -> str:
    """Return the name that the column of an attribute has in the file."""
    return part if key == BARE else f"{part}.{key}"


def label_kind(labels: Sequence[Any]) -> str:
    """Return how node ids or roles are written."""
    if all(type(label) is int and abs(label) < 2**63 for label in labels):
        return "int"
    return "string" if all(type(label) is str and is_text(label) for label in labels) else "json"


def _fit(columns: Mapping[str, NDArray[Any]], known: Mapping[str, ColumnKind], part: str) -> bool:
    for key, values in columns.items():
        if key in known and known[key].fits(values):
            if values.dtype == object and not all(map(is_text, values.tolist())):
                return False
        elif not _is_default(key, values, part):
            return False
    return True


def _is_default(key: str, values: NDArray[Any], part: str) -> bool:
    """Return whether this is the bare array of a graph without attributes, which needs no column."""
    return key == BARE and values.shape[1] == (part == "edge") and bool((values == 1).all())


def is_text(text: str | None) -> bool:
    """Return whether a text can be written as UTF-8, which half of a surrogate pair cannot."""
    return text is None or text.isascii() or writable_text(text) == text


def _common_kind(labels: Iterable[Sequence[Any] | None]) -> str | None:
    given = [some for some in labels if some is not None]
    kinds = {label_kind(some) for some in given if some}
    return "json" if len(kinds) > 1 else next(iter(kinds), "int" if given else None)


def writable_text(text: str) -> str:
    """Replace each half of a surrogate pair, which cannot be written, by a question mark."""
    return text.encode("utf-8", "replace").decode()
