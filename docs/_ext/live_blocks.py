"""Tutorials whose code is run when the site is built: what a block prints and draws is shown below it.

The blocks of a page go on from one another, as the cells of a notebook do; `cells` gives them to whoever makes a
notebook of a page. A result is kept in generated/ until the page or the package changes.
"""

from __future__ import annotations

import ast
import contextlib
import hashlib
import io
import os
import re
import tempfile
from pathlib import Path
from typing import Any

BLOCK = re.compile(r"^```python\n(.*?)^```\n", re.DOTALL | re.MULTILINE)
#: Pages of these folders are run.
FOLDERS = ("tutorials/", "get-started/")


def cells(text: str) -> list[tuple[str, str]]:
    """The page as ("markdown" or "code", text), in order."""
    found, end = [], 0
    for block in BLOCK.finditer(text):
        found += [("markdown", text[end : block.start()].strip()), ("code", block[1].rstrip())]
        end = block.end()
    found.append(("markdown", text[end:].strip()))
    return [(kind, said) for kind, said in found if said]


def run(code: str, known: dict[str, Any], name: str) -> tuple[str, list[Any]]:
    """Execute a block: what it prints, with the value of a last expression, and the figures that it leaves open.

    As in a notebook, a semicolon keeps the value from being shown, and a value that is a figure is shown as one.
    """
    from matplotlib import pyplot as plt
    from matplotlib.figure import Figure

    tree = ast.parse(code)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    said, figures = io.StringIO(), []
    with contextlib.redirect_stdout(said):
        exec(compile(tree, name, "exec"), known)
        if last is not None:
            value = eval(compile(ast.Expression(last.value), name, "eval"), known)
            if isinstance(value, Figure):
                figures.append(value)
            elif value is not None and not code.rstrip().endswith(";"):
                print(repr(value))
    opened = [figure for figure in map(plt.figure, plt.get_fignums()) if figure not in figures]
    return said.getvalue().rstrip(), opened + figures


def run_page(page: Path, images: Path, address: str) -> str:
    """The page with its outputs. Figures are written to `images`, which the page reaches under `address`."""
    import matplotlib

    matplotlib.use("agg")
    from matplotlib import pyplot as plt

    known: dict[str, Any] = {"__name__": "__main__"}
    here, parts, number = Path.cwd(), [], 0
    with tempfile.TemporaryDirectory() as place:
        os.chdir(place)
        try:
            text = page.read_text(encoding="utf-8")
            end = 0
            for block in BLOCK.finditer(text):
                parts.append(text[end : block.end()])
                end = block.end()
                said, figures = run(block[1], known, page.name)
                if said:
                    parts.append(f"\n```{{code-block}} text\n:class: output\n\n{said}\n```\n")
                for figure in figures:
                    number += 1
                    images.mkdir(parents=True, exist_ok=True)
                    figure.savefig(images / f"{page.stem}-{number}.png", dpi=110, bbox_inches="tight", facecolor="white")
                    label = figure.get_label() or f"The picture that the block above draws, number {number} of this page."
                    parts.append(f"\n```{{image}} {address}/{page.stem}-{number}.png\n:alt: {label}\n```\n")
                plt.close("all")
            parts.append(text[end:])
        finally:
            os.chdir(here)
            plt.close("all")
    return "".join(parts)


def run_pages(app) -> None:
    """All pages whose result is not kept, before anything is read."""
    if not app.config.live_blocks:
        return
    source = Path(app.srcdir)
    kept = source / "generated" / "blocks"
    kept.mkdir(parents=True, exist_ok=True)
    for folder in FOLDERS:
        for page in sorted((source / folder).glob("*.md")):
            if not BLOCK.search(page.read_text(encoding="utf-8")):
                continue
            mark = hashlib.sha256(page.read_bytes() + app.config.release.encode()).hexdigest()[:16]
            result = kept / f"{page.stem}-{mark}.md"
            if not result.exists():
                result.write_text(run_page(page, kept / page.stem, f"../generated/blocks/{page.stem}"), encoding="utf-8")


def show_outputs(app, docname: str, source: list[str]) -> None:
    if docname.startswith(FOLDERS):
        mark = hashlib.sha256(Path(app.env.doc2path(docname)).read_bytes() + app.config.release.encode()).hexdigest()[:16]
        result = Path(app.srcdir) / "generated" / "blocks" / f"{Path(docname).name}-{mark}.md"
        if result.exists():
            source[0] = result.read_text(encoding="utf-8")


def setup(app) -> dict[str, bool]:
    app.add_config_value("live_blocks", True, "env", types=[bool])
    app.connect("builder-inited", run_pages)
    app.connect("source-read", show_outputs)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
