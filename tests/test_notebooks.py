"""The notebooks are the tutorials, run without an error, and keep outputs that a code host shows."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[1] / "docs"


@pytest.fixture(scope="module")
def making():
    pytest.importorskip("nbclient", reason="nbclient is not installed: pip install 'graphmeans[test]'")
    spec = importlib.util.spec_from_file_location("make_notebooks", DOCS / "make_notebooks.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def outputs(notebook):
    return [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]


@pytest.mark.parametrize("name", ["molecules", "connectomes", "search"])
def test_a_stored_notebook_is_its_tutorial(making, name):
    import nbformat

    kept = nbformat.read(making.stored(name), as_version=4)
    nbformat.validate(kept)
    assert [cell.source for cell in kept.cells] == [cell.source for cell in making.notebook(name).cells], "make notebooks"
    assert any("image/png" in output.get("data", {}) for output in outputs(kept))
    assert any(output.output_type == "stream" for output in outputs(kept))
    assert not any(output.output_type == "error" for output in outputs(kept))


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["molecules", "connectomes", "search"])
def test_a_notebook_runs(making, name):
    if name == "molecules":
        pytest.importorskip("rdkit", reason="RDKit is not installed: pip install 'graphmeans[rdkit]'")
    done = making.executed(name)
    assert not any(output.output_type == "error" for output in outputs(done))
    assert sum("image/png" in output.get("data", {}) for output in outputs(done)) >= 1
