"""Small clusterings that the tests of the page, of pictures and of comparing share; and the page as a parser sees it."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np

import graphmeans as gm
from graphmeans import Graph

HOSTILE = ["<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "[red]x[/red]", "\x1b[31mred", "{{ 7 * 7 }}"]


def fitted(graphs: list[Graph], n_clusters: int, **params: Any) -> Any:
    """A fitted estimator whose result does not depend on defaults."""
    settings = {"algorithm": "interval", "init": "k-means++", "n_init": 1, "random_state": 0, **params}
    return gm.GraphKMeans(n_clusters, **settings).fit(graphs)


def drawings(n: int, names: list[str] | None = None, kinds: list[str] | None = None, seed: int = 0) -> list[Graph]:
    """Lines and triangles, in turn, a little distorted."""
    random = np.random.default_rng(seed)
    made = []
    for i in range(n):
        shape = np.array([[0.0, 0.0], [1.0, 1.0]] if i % 2 else [[0.0, 0.0], [2.0, 0.0], [1.0, 2.0]])
        points = shape + random.normal(0, 0.05, shape.shape)
        columns: dict[str, Any] = {"x": points[:, 0], "y": points[:, 1]}
        if kinds is not None:
            columns["kind"] = [kinds[(i + j) % len(kinds)] for j in range(len(shape))]
        edges = [(0, 1)] if i % 2 else [(0, 1), (1, 2), (2, 0)]
        made.append(Graph(columns, edges, name=names[i % len(names)] if names else f"drawing {i}"))
    return made


def letters(n: int = 120, k: int = 15, **params: Any) -> tuple[list[Graph], list[str], Any]:
    """Letters, their classes and a clustering of them."""
    graphs, y = gm.datasets.make_letters(n, random_state=0)
    return graphs, y.tolist(), fitted(graphs, k, **params)


VOID = {"meta", "circle", "path", "rect", "br", "input", "link", "use", "wbr"}


class Page(HTMLParser):
    """Collects what a browser would see, and complains about tags that do not match."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = self.script = ""
        self.json: list[str] = []
        self.feed(path.read_text(encoding="utf-8"))
        self.close()
        assert self.open == []
        self.data, *members = map(json.loads, self.json)
        for c, rows in enumerate(members):  # what the page reads late
            mine = [row for row in self.data["graphs"] if row["c"] == c]
            for row, more in zip(mine, rows, strict=True):
                row.update(more)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag in ("td", "th", "dd", "dt", "div"):
            self.text += " "  # they stand apart
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        if self.open[-1:] == ["script"]:
            if self.tags[-1][1].get("type") == "application/json":
                self.json.append(data)
            else:
                self.script += data
        elif self.open[-1:] != ["style"]:
            self.text += data


def words(page: Page) -> str:
    return re.sub(r"\s+", " ", page.text)
