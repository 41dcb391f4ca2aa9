"""Comparing two clusterings: what happened to clusters, who moved, the picture and the command."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest
from defusedxml import ElementTree
from typer.testing import CliRunner

from graphmeans import Graph, GraphError
from graphmeans.cli import app
from graphmeans.cli.results import write_results
from graphmeans.plots.flow import flow_svg
from graphmeans.report.comparison import compare_clusterings
from reports import HOSTILE, drawings, fitted


def clustering(*sizes: int) -> dict[str, int]:
    """ReportGraphs named by number, the first `sizes[0]` of them in cluster 0, and so on."""
    labels = np.repeat(np.arange(len(sizes)), sizes)
    return {f"g{i}": int(label) for i, label in enumerate(labels)}


def told(left: dict[str, int], right: dict[str, int]) -> list[str]:
    return [event.said() for event in compare_clusterings(left, right).events]


def test_renumbered_clusters_are_the_same():
    found = compare_clusterings(clustering(4, 6), {name: 1 - label for name, label in clustering(4, 6).items()})
    assert [event.kind for event in found.events] == ["same", "same"]
    assert found.agreement == 1
    assert len(found.moved) == 0
    assert found.partner == {0: 1, 1: 0}


def test_split_and_merged():
    assert told(clustering(10, 10), clustering(10, 6, 4)) == ["1 split into 1 and 2", "0 is 0"]
    assert told(clustering(10, 6, 4), clustering(10, 10)) == ["1 and 2 merged into 1", "0 is 0"]
    assert told(clustering(20, 2), clustering(18, 2, 2)) == ["0 split into 0 and 1", "1 is 2"]


def test_regrouped_changed_new_and_gone():
    assert told(clustering(10, 10), clustering(5, 10, 5)) == ["0 and 1 regrouped as 0, 1 and 2"]
    changed = compare_clusterings(clustering(10, 10), clustering(12, 8))
    assert [event.said() for event in changed.events] == ["0 became 0, with changes", "1 became 1, with changes"]
    assert [event.moved for event in changed.events] == [0, 2]
    assert [changed.names[i] for i in changed.moved] == ["g10", "g11"]
    left = {f"g{i}": i // 8 for i in range(48)}
    right = {name: (int(name[1:]) % 8 if label == 5 else label + 8) for name, label in left.items()}
    kinds = {event.kind for event in compare_clusterings(left, right).events}
    assert "same" in kinds
    # cluster 5 is scattered over eight clusters that hold nothing else: all of them come from it
    assert told(left, right)[0] == "5 split into 0, 1, 2, 3, 4, 5, 6 and 7"


def test_scattered_clusters_are_gone_and_collected_ones_new():
    left = clustering(*[20] * 8)
    right = {name: (8 if int(name[1:]) % 20 < 3 else label) for name, label in left.items()}
    assert "8 is new" in told(left, right)
    assert "8 is gone" in told(right, left)


def test_graphs_of_one_side_only_and_classes():
    left, right = clustering(3, 3), clustering(3, 4)
    del right["g0"]
    found = compare_clusterings(left, right, {name: "x" if label else "y" for name, label in left.items()} | {"g6": "x"})
    assert found.only_left == ("g0",)
    assert found.only_right == ("g6",)
    assert found.accuracy == (1.0, 1.0)
    assert json.loads(json.dumps(found.as_dict()))["only_in_a"] == ["g0"]
    with pytest.raises(GraphError, match="no graph in common"):
        compare_clusterings({"a": 0}, {"b": 0})


def test_every_graph_is_in_the_picture():
    counts = np.random.default_rng(0).integers(0, 9, size=(6, 9))
    picture = flow_svg(counts, titles=(HOSTILE[0], HOSTILE[1]), pictures=({0: Graph(3, [(0, 1)])}, {}))
    root = ElementTree.fromstring(picture)
    svg = "{http://www.w3.org/2000/svg}"
    titles = [t.text for t in root.iter(f"{svg}title")]
    flows = [int(t.split()[0]) for t in titles if t and " from " in t and t[0].isdigit()]
    assert sum(flows) == counts.sum()
    texts = "".join("".join(t.itertext()) for t in root.iter(f"{svg}text"))
    assert HOSTILE[0] in texts
    assert picture == flow_svg(counts, titles=(HOSTILE[0], HOSTILE[1]), pictures=({0: Graph(3, [(0, 1)])}, {}))
    with pytest.raises(GraphError, match="not all zero"):
        flow_svg(np.zeros((2, 2)))


@pytest.fixture(scope="module")
def folders(tmp_path_factory) -> tuple[Path, Path]:
    root = tmp_path_factory.mktemp("compare")
    graphs = drawings(24, [f"{HOSTILE[0]} {i}" for i in range(24)])
    for name, k in (("two", 2), ("four", 4)):
        write_results(
            root / name, estimator=fitted(graphs, k), graphs=graphs, classes=["line" if i % 2 else "triangle" for i in range(24)],
            title=name, arguments=None, seconds=1.0,
        )  # fmt: skip
    return root / "two", root / "four"


def run(*arguments: object) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, [str(a) for a in arguments])
    return result.exit_code, result.stdout, result.stderr


def test_the_command_tells_and_writes(folders, tmp_path):
    code, out, _ = run("compare", *folders, "-o", tmp_path / "c")
    assert code == 0
    assert "split into" in out
    assert "adjusted Rand index" in out
    assert "100%" in out
    ElementTree.parse(tmp_path / "c" / "flow.svg")
    written = json.loads((tmp_path / "c" / "comparison.json").read_text(encoding="utf-8"))
    assert written["clusters"] == [2, 4]
    assert written["graphs"] == 24
    assert np.sum(written["table"]) == 24
    assert "<path" in (tmp_path / "c" / "flow.svg").read_text(encoding="utf-8")
    assert "<script" not in (tmp_path / "c" / "flow.svg").read_text(encoding="utf-8")


def test_json_and_quiet_print_nothing_else(folders, tmp_path):
    code, out, _ = run("compare", *folders, "-o", tmp_path, "--json")
    assert code == 0
    assert {event["kind"] for event in json.loads(out)["events"]} <= {"split", "same"}
    code, out, _ = run("compare", *folders, "-o", tmp_path, "--quiet")
    assert out.strip() == str(tmp_path / "flow.svg")


def test_names_that_occur_twice_are_counted(tmp_path):
    for name, labels in (("a", [0, 0, 1]), ("b", [0, 1, 1])):
        (tmp_path / name).mkdir()
        with (tmp_path / name / "labels.csv").open("w", newline="") as file:
            csv.writer(file).writerows([["name", "label", "distance"], *[["same", label, 0.0] for label in labels]])
    code, out, _ = run("compare", tmp_path / "a", tmp_path / "b", "-o", tmp_path, "--json")
    assert code == 0
    assert [moved["name"] for moved in json.loads(out)["moved"]] == ["same (2)"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "holds no labels.csv"),
        ("", "no columns name and label"),
        ("name,label\n", "holds no graph"),
        ("name,label\nx,-1\n", "line 2: '-1' is not the number of a cluster"),
    ],
)
def test_unusable_folders_are_said_in_one_line(folders, tmp_path, content, message):
    if content is not None:
        (tmp_path / "labels.csv").write_text(content)
    code, _, err = run("compare", folders[0], tmp_path, "-o", tmp_path)
    assert code == 2
    assert message in err
    assert len(err.strip().splitlines()) == 1
