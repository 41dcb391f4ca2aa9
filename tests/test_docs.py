"""The code in the how-to pages runs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from effort import thorough

DOCS = Path(__file__).parents[1] / "docs"
PAGES = ["your-graphs.md", "search.md", "encoding.md", "structures.md", "save-and-load.md", "large-collections.md", "see-it.md"]
#: Pages that fit and choose more than the others do.
SLOW = {"see-it.md", "save-and-load.md"}
#: Pages whose blocks go on from one another; elsewhere each can be pasted by itself.
GOES_ON = {"see-it.md"}


@pytest.mark.parametrize("page", [thorough(page) if page in SLOW else page for page in PAGES])
def test_code_of_a_page_runs(page, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", (DOCS / page).read_text(), re.DOTALL)
    assert blocks
    known: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, page, "exec"), known if page in GOES_ON else {})


@pytest.mark.parametrize("page", ["large-collections.md", "scaling.md"])
def test_code_for_a_cluster_runs(page, tmp_path, monkeypatch):
    pytest.importorskip("distributed", reason="dask is not installed: pip install 'graphmeans[dask]'")
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python dask\n(.*?)```", (DOCS / page).read_text(), re.DOTALL)
    assert blocks
    for block in blocks:
        exec(compile(block, page, "exec"), {})


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page):
    for link in re.findall(r"\]\(([^)#]+)\)", (DOCS / page).read_text()):
        assert link.startswith("https://") or (DOCS / link).exists(), link
