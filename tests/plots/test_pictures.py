"""Every picture against its baseline, and the gallery against the pictures.

A picture that was changed on purpose: `.venv/bin/python tests/pictures.py` draws all baselines anew.
"""

from __future__ import annotations

import re
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from matplotlib.image import imread
from scipy.ndimage import uniform_filter

import graphmeans as gm
from pictures import BASELINE, GALLERY, PICTURES, SVG_PICTURES, gallery, render

#: Root mean square difference of the blurred pixels (0 to 255) that other versions of fonts and libraries may make.
TOLERANCE = 5.0
#: Where labels of axes decide how much room is left, more of it.
CHARTS = dict.fromkeys(
    ("silhouette", "convergence", "elbow", "choice", "paper_k", "paper_silhouette", "paper_dimension"), 11.0
)
NEEDS_RDKIT = {"molecules", "molecule_svg"}


def pixels(path: Path) -> np.ndarray:
    return uniform_filter(imread(path)[:, :, :3] * 255.0, size=(5, 5, 1), mode="nearest")


def difference(a: np.ndarray, b: np.ndarray) -> float:
    return float(np.sqrt(np.mean((a - b) ** 2))) if a.shape == b.shape else np.inf


@pytest.mark.parametrize("name", PICTURES)
def test_picture(name: str, tmp_path: Path):
    if name in NEEDS_RDKIT:
        pytest.importorskip("rdkit", "2026", reason="no RDKit, or an older one, which places atoms elsewhere")
    render(name, tmp_path / "now.png")
    found = difference(pixels(tmp_path / "now.png"), pixels(BASELINE / f"{name}.png"))
    assert found < CHARTS.get(name, TOLERANCE), (
        f"{name} differs by {found:.1f}; if that is meant: .venv/bin/python tests/pictures.py"
    )


def test_the_tolerance_tells_pictures_apart(tmp_path: Path):
    images = {name: pixels(BASELINE / f"{name}.png") for name in PICTURES}
    for a, b in combinations(images, 2):
        assert difference(images[a], images[b]) > 1.5 * max(CHARTS.get(name, TOLERANCE) for name in (a, b)), (
            f"{a} and {b} could be mistaken for each other"
        )
    # a single stroke that is missing is seen
    broken = images["letter"].copy()
    dark = np.argwhere(broken.mean(axis=2) < 200)
    half = dark[dark[:, 0] > np.median(dark[:, 0])]
    broken[half[:, 0], half[:, 1]] = 255.0
    assert difference(broken, images["letter"]) > TOLERANCE


NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


@pytest.mark.parametrize("name", SVG_PICTURES)
def test_svg_picture(name: str):
    if name in NEEDS_RDKIT:
        pytest.importorskip("rdkit", "2026", reason="no RDKit, or an older one, which places atoms elsewhere")
    now = SVG_PICTURES[name][0]()
    baseline = (BASELINE / f"{name}.svg").read_text(encoding="utf-8").rstrip("\n")
    assert NUMBER.sub("#", now) == NUMBER.sub("#", baseline)
    a, b = ([float(n) for n in NUMBER.findall(text)] for text in (now, baseline))
    assert a == pytest.approx(b, abs=1.0)


def test_the_gallery_shows_whatever_draws():
    shown = GALLERY.read_text(encoding="utf-8")
    for name in set(gm.plots.__all__) - {"layout", "viewport"}:  # which say where, and draw nothing
        assert f"plots.{name}" in shown


def test_the_gallery_shows_every_picture_and_nothing_else_is_kept():
    assert GALLERY.read_text(encoding="utf-8") == gallery()
    kept = {path.name for path in BASELINE.iterdir()}
    assert kept == {f"{name}.png" for name in PICTURES} | {f"{name}.svg" for name in SVG_PICTURES}
    assert sum(path.stat().st_size for path in BASELINE.iterdir()) < 500_000
