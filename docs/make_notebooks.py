"""Three tutorials as notebooks with their outputs, for code hosts that show notebooks.

    python docs/make_notebooks.py            # runs them and writes docs/notebooks/*.ipynb
    python docs/make_notebooks.py --check    # runs them and says whether the stored ones have the same cells
"""

from __future__ import annotations

import re
import sys
import tempfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_ext"))

from live_blocks import cells  # noqa: E402

TUTORIALS = ("molecules", "connectomes", "search")


def notebook(name: str) -> Any:
    """The cells of a tutorial, without outputs."""
    import nbformat

    made = []
    for number, (kind, text) in enumerate(cells((HERE / "tutorials" / f"{name}.md").read_text(encoding="utf-8"))):
        if kind == "code":
            cell = nbformat.v4.new_code_cell(text)
        else:
            text = re.sub(r"\{py:\w+\}`([^`]+)`", r"`\1`", text)
            cell = nbformat.v4.new_markdown_cell(re.sub(r"\]\((?!https?:)([^)]+)\)", r"](../tutorials/\1)", text))
        cell["id"] = f"{name}-{number}"
        made.append(cell)
    about = {
        "kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"},
        "language_info": {"name": "python"},
    }
    return nbformat.v4.new_notebook(cells=made, metadata=about)


def executed(name: str) -> Any:
    """The notebook with its outputs, run in a folder of its own."""
    from nbclient import NotebookClient

    made = notebook(name)
    with tempfile.TemporaryDirectory() as folder:
        NotebookClient(made, timeout=600, kernel_name="python3", resources={"metadata": {"path": folder}}).execute()
    for cell in made.cells:
        cell.get("metadata", {}).pop("execution", None)
    return made


def stored(name: str) -> Path:
    return HERE / "notebooks" / f"{name}.ipynb"


def main(*options: str) -> int:
    import nbformat

    stale = []
    for name in TUTORIALS:
        made = executed(name)
        if "--check" in options:
            kept = nbformat.read(stored(name), as_version=4)
            if [cell.source for cell in kept.cells] != [cell.source for cell in made.cells]:
                stale.append(name)
        else:
            stored(name).parent.mkdir(exist_ok=True)
            nbformat.write(made, stored(name))
            print(stored(name))
    for name in stale:
        print(f"{stored(name)} is not the notebook of its tutorial any more: make notebooks")
    return 1 if stale else 0


if __name__ == "__main__":
    raise SystemExit(main(*sys.argv[1:]))
