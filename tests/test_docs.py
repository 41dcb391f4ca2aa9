"""The code in the how-to pages runs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from effort import thorough

DOCS = Path(__file__).parents[1] / "docs"
PAGES = [
    "how-to/your-graphs.md", "how-to/search.md", "how-to/encoding.md", "how-to/structures.md", "how-to/save-and-load.md",
    "how-to/large-collections.md", "how-to/see-it.md",
]  # fmt: skip
#: Pages that fit and choose more than the others do.
SLOW = {"how-to/see-it.md", "how-to/save-and-load.md"}
#: Pages whose blocks go on from one another; elsewhere each can be pasted by itself.
GOES_ON = {"how-to/see-it.md"}


@pytest.mark.parametrize("page", [thorough(page) if page in SLOW else page for page in PAGES])
def test_code_of_a_page_runs(page, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", (DOCS / page).read_text(), re.DOTALL)
    assert blocks
    known: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, page, "exec"), known if page in GOES_ON else {})


@pytest.mark.parametrize("page", ["how-to/large-collections.md", "how-to/scaling.md"])
def test_code_for_a_cluster_runs(page, tmp_path, monkeypatch):
    pytest.importorskip("distributed", reason="dask is not installed: pip install 'graphmeans[dask]'")
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python dask\n(.*?)```", (DOCS / page).read_text(), re.DOTALL)
    assert blocks
    for block in blocks:
        exec(compile(block, page, "exec"), {})


@pytest.mark.parametrize("page", sorted(str(path.relative_to(DOCS)) for path in DOCS.rglob("*.md")))
def test_links_lead_somewhere(page):
    for link in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", (DOCS / page).read_text()):
        assert link.startswith("https://") or ((DOCS / page).parent / link).exists(), link
