"""Every block of Python on every page runs, every link of a page leads somewhere, and every page begins with what it is for."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import matplotlib
import pytest
from matplotlib import pyplot as plt

from effort import thorough

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
GENERATED = {"auto_examples", "generated", "_build"}
PAGES = sorted(
    path.relative_to(ROOT).as_posix() for path in (ROOT / "README.md", *DOCS.rglob("*.md"))
    if not GENERATED & set(path.relative_to(ROOT).parts)
)  # fmt: skip
TEXTS = {page: (ROOT / page).read_text(encoding="utf-8") for page in PAGES}
#: Pages that fit and choose more than the others do. Of the tutorials, three are run as notebooks (test_notebooks.py).
SLOW = {
    "docs/how-to/see-it.md", "docs/how-to/save-and-load.md", "docs/how-to/choose-k.md", "docs/tutorials/symbols.md",
    "docs/tutorials/letters.md", "docs/tutorials/million-graphs.md", "docs/get-started/the-picture.md", "docs/index.md",
    "README.md",
}  # fmt: skip
NOTEBOOKS = {f"docs/tutorials/{name}.md" for name in ("molecules", "connectomes", "search")}
#: Pages whose blocks go on from one another; elsewhere each can be pasted by itself.
GOES_ON = ("docs/get-started/", "docs/tutorials/", "docs/how-to/see-it.md", "docs/how-to/why-together.md")
#: Pages of one list, or whose text stands elsewhere.
NO_OPENING = {"README.md", "docs/index.md", "docs/changelog.md", "docs/contributing.md", "docs/inventories/README.md"}


def blocks(page: str, kind: str = "python") -> list[str]:
    return re.findall(rf"^```{kind}\n(.*?)^```", TEXTS[page], re.DOTALL | re.MULTILINE)


WITH_CODE = [page for page in PAGES if blocks(page) and page not in NOTEBOOKS]


@pytest.mark.parametrize("page", [thorough(page) if page in SLOW else page for page in WITH_CODE])
def test_code_of_a_page_runs(page, capsys, tmp_path, monkeypatch):
    if "dask" in TEXTS[page] and "from dask" in "".join(blocks(page)):
        pytest.importorskip("distributed", reason="dask is not installed: pip install 'graphmeans[dask]'")
    monkeypatch.chdir(tmp_path)
    matplotlib.use("agg")
    known: dict[str, object] = {}
    for block in blocks(page):
        exec(compile(block, page, "exec"), known if page.startswith(GOES_ON) else {})
    plt.close("all")


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "python dask")])
def test_code_for_a_cluster_runs(page, tmp_path, monkeypatch):
    pytest.importorskip("distributed", reason="dask is not installed: pip install 'graphmeans[dask]'")
    monkeypatch.chdir(tmp_path)
    for block in blocks(page, "python dask"):
        exec(compile(block, page, "exec"), {})


def test_every_block_has_a_kind_that_is_known():
    """So that no block of Python is left out by a misspelt name."""
    for page, text in TEXTS.items():
        for opening in re.findall(r"^(?:```|:::+)([^\n`]*)\n(?=.)", text, re.MULTILINE):
            assert re.fullmatch(r"(python|python dask|text|\{[\w-]+\}.*|)", opening.strip()), f"{page}: {opening}"


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page):
    for link in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", TEXTS[page]):
        assert link.startswith("https://") or ((ROOT / page).parent / link).exists(), link


@pytest.mark.parametrize("page", sorted(set(PAGES) - NO_OPENING))
def test_a_page_begins_with_what_its_reader_can_do_after_it(page):
    assert re.match(r"# .+\n\nAfter (this|one of these|these)", TEXTS[page])


def test_the_readme_fits_on_two_screens():
    lines = [line for line in TEXTS["README.md"].splitlines() if line.strip()]
    assert len(lines) <= 60


def test_live_blocks_show_what_a_notebook_would(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "path", [str(DOCS / "_ext"), *sys.path])
    from live_blocks import cells, run_page

    page = tmp_path / "page.md"
    page.write_text("# A\n\n```python\nx = 2\nprint('said')\nx + 1\n```\n\nB\n\n```python\nx;\n```\n", encoding="utf-8")
    shown = run_page(page, tmp_path / "images", "images")
    assert "said\n3\n```" in shown
    assert shown.count("{code-block}") == 1
    assert [kind for kind, _ in cells(page.read_text(encoding="utf-8"))] == ["markdown", "code", "markdown", "code"]
