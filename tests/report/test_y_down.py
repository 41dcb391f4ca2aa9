"""Positions that were read off an image: y grows downwards in all pictures, if one says so."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest
from typer.testing import CliRunner

import graphmeans as gm
from graphmeans.cli import app
from graphmeans.io.collection import write_graph
from graphmeans.report import write_report

HOOK = gm.Graph({"x": [0.0, 0.0, 2.0], "y": [0.0, 3.0, 3.0]}, [(0, 1), (1, 2)], name="hook")


def heights(svg):
    """The y of every dot, as drawn (downwards)."""
    return [float(y) for y in re.findall(r'<circle cx="[^"]*" cy="([^"]*)"', svg)]


@pytest.fixture(autouse=True)
def upwards_afterwards():
    yield
    gm.plots.y_down(False)


def test_pictures_are_turned_over_until_the_end_of_the_block():
    up = gm.plots.draw_svg(HOOK)
    with gm.plots.y_down():
        down = gm.plots.draw_svg(HOOK)
    assert gm.plots.draw_svg(HOOK) == up
    np.testing.assert_allclose(heights(down), [240 - y for y in heights(up)], atol=0.02)
    assert heights(up)[0] > heights(up)[1]  # node 0 is below node 1: y upwards


def test_or_from_now_on():
    up = gm.plots.layout(HOOK)
    gm.plots.y_down()
    with gm.plots.y_down(False):
        np.testing.assert_array_equal(gm.plots.layout(HOOK), up)
    np.testing.assert_array_equal(gm.plots.layout(HOOK), up * [1, -1])
    assert gm.plots.viewport([HOOK]) == (-0.5, -3.0, 2.5, 0.0)


def test_it_concerns_positions_that_graphs_carry():
    tree = gm.Graph({"part": ["S", "NP", "VP"]}, [(0, 1), (0, 2)], directed=True)
    given = [[0.0, 1.0], [1.0, 0.0], [2.0, 2.0]]
    up = gm.plots.layout(tree), gm.plots.draw_svg(tree), gm.plots.draw_svg(HOOK, positions=given)
    with gm.plots.y_down():
        np.testing.assert_array_equal(gm.plots.layout(tree), up[0])
        assert (gm.plots.draw_svg(tree), gm.plots.draw_svg(HOOK, positions=given)) == up[1:]


def hooks():
    rng = np.random.default_rng(0)
    graphs = []
    for i in range(12):
        turned = [0.0, 3.0, 3.0] if i % 2 else [0.0, 3.0, 0.5]
        y = np.array(turned) + rng.normal(0, 0.05, 3)
        graphs.append(gm.Graph({"x": [0.0, 0.0, 2.0], "y": y}, [(0, 1), (1, 2)], name=f"g{i}"))
    return graphs


def data_in(page):
    """What the page draws from."""
    return json.loads(re.search(r'<script[^>]*type="application/json"[^>]*>(.*?)</script>', page, re.S).group(1))


def test_the_report_remembers_it(tmp_path):
    graphs = hooks()
    km = gm.GraphKMeans(2, random_state=0).fit(graphs)
    options = {"estimator": km, "graphs": graphs, "seconds": 1.0}
    up = write_report(tmp_path / "up.html", **options).read_text(encoding="utf-8")
    down = write_report(tmp_path / "down.html", **options, y_down=True).read_text(encoding="utf-8")
    gm.plots.y_down()
    assert write_report(tmp_path / "set.html", **options).read_text(encoding="utf-8") == down
    assert write_report(tmp_path / "up2.html", **options, y_down=False).read_text(encoding="utf-8") == up
    assert "y in pictures" in down
    assert "y in pictures" not in up
    assert data_in(up) != data_in(down)
    assert len(down) == pytest.approx(len(up), rel=0.02)


def test_commands(tmp_path):
    folder = tmp_path / "hooks"
    folder.mkdir()
    for graph in hooks():
        write_graph(graph, folder / f"{graph.name}.graphml")

    def run(*words):
        result = CliRunner().invoke(app, [str(word) for word in words])
        assert result.exit_code == 0, result.output

    for name, extra in (("up", []), ("down", ["--y-down"])):
        here = tmp_path / name
        run("cluster", folder, "-k", 2, "-o", here, *extra)
        run("mean", folder, "-o", here / "mean", *extra)
        run("distance", f"{folder}#g0", f"{folder}#g1", "-o", here / "alignment.png", *extra)
        run("compare", here, here, "-o", here / "compared", *extra)
    for file in ("centroids/cluster_00.svg", "mean/mean.svg"):
        up, down = ((tmp_path / name / file).read_text(encoding="utf-8") for name in ("up", "down"))
        np.testing.assert_allclose(sorted(heights(down)), sorted(400 - y for y in heights(up)), atol=0.02)
    for file in ("alignment.png", "compared/flow.svg"):
        assert (tmp_path / "up" / file).read_bytes() != (tmp_path / "down" / file).read_bytes()
    run("distance", f"{folder}#g0", f"{folder}#g1", "-o", tmp_path / "again.png")
    assert (tmp_path / "again.png").read_bytes() == (tmp_path / "up/alignment.png").read_bytes()
    page = (tmp_path / "down" / "report.html").read_text(encoding="utf-8")
    assert "y in pictures" in page
    assert (tmp_path / "up/labels.csv").read_bytes() == (tmp_path / "down/labels.csv").read_bytes()
