"""The map of the house is true: every file is in the tree of CONTRIBUTING.md, and every hop of the walk leads somewhere.

    python tests/test_contributing.py     # writes the tree anew, after files have come or gone
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "graphmeans"
CONTRIBUTING = ROOT / "CONTRIBUTING.md"
BEGIN, END = "<!-- the tree -->\n", "<!-- end of the tree -->\n"
#: Folders in the order of the layers, the lowest first.
FOLDERS = [
    "graphs", "graphs/convert", "graphs/encoding", "kernels", "kernels/cuda", "matching", "nearest", "means", "common",
    "cluster", "cluster/data", "cluster/centers", "cluster/shards", "cluster/persistence", "cluster/engines",
    "cluster/algorithms", "cluster/estimators", "search", "evaluation", "chemistry", "chemistry/names", "io",
    "io/formats", "io/parquet", "io/storage", "datasets", "plots", "report/facts", "report/pictures", "report/sentences",
    "report/cards", "report/data", "report", "paper", "cli",
]  # fmt: skip


def said(path: Path) -> str:
    """The first sentence of a module."""
    text = " ".join((ast.get_docstring(ast.parse(path.read_text())) or "").split("\n\n")[0].split())
    found = re.match(r"(.*?[.!?])(?= [A-Z`]|$)", text)
    return (found[1] if found else text).rstrip(".")


def tree() -> str:
    """One line for each file, folder by folder."""
    blocks = []
    for folder in [".", *FOLDERS]:
        files = sorted(path for path in (SOURCE / folder).glob("*.py") if path.name not in ("__init__.py", "__main__.py"))
        title = "src/graphmeans/" + ("" if folder == "." else f"{folder}/")
        about = said(SOURCE / folder / "__init__.py")
        width = max((len(path.name) for path in files), default=0)
        lines = [f"    {path.name:{width}}  {said(path)}" for path in files]
        blocks.append("\n".join([f"{title}    {about}", *lines]))
    return "```\n" + "\n\n".join(blocks) + "\n```\n"


def test_every_folder_is_in_the_tree():
    found = {str(path.parent.relative_to(SOURCE)) for path in SOURCE.rglob("*.py")}
    assert found - {"."} == set(FOLDERS)


def test_the_tree_is_that_of_the_files():
    text = CONTRIBUTING.read_text()
    assert text[text.index(BEGIN) + len(BEGIN) : text.index(END)] == tree()


@pytest.mark.parametrize(
    "page", ["CONTRIBUTING.md", "docs/concepts/how-it-works.md", "docs/concepts/interval.md", "docs/how-to/scaling.md"]
)
def test_links_to_the_source_lead_to_what_they_name(page):
    """[`name`](path.py): the file defines a function, method or class of this name."""
    path = ROOT / page
    links = re.findall(r"\[`?([^\]`]+)`?\]\(([^)]*src/graphmeans/[^)]+)\)", path.read_text())
    for name, target in links:
        file = (path.parent / target).resolve()
        assert file.exists(), target
        if file.suffix == ".py" and not name.endswith(".py"):
            defined = {node.name for node in ast.walk(ast.parse(file.read_text())) if hasattr(node, "name")}
            assert name.split(".")[-1] in defined, f"{name} is not in {target}"


def test_the_walk_has_at_most_25_hops_to_the_labels():
    text = (ROOT / "docs" / "concepts" / "how-it-works.md").read_text()
    walk = text[text.index("## From a networkx graph to its label") : text.index("## From labels to the page")]
    hops = re.findall(r"^ *- (\d+) ", walk, flags=re.M)
    assert [int(hop) for hop in hops] == list(range(1, len(hops) + 1))
    assert 10 < len(hops) <= 25


if __name__ == "__main__":
    text = CONTRIBUTING.read_text()
    CONTRIBUTING.write_text(text[: text.index(BEGIN) + len(BEGIN)] + tree() + text[text.index(END) :])
