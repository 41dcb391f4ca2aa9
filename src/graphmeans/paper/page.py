"""The files of the command: tables as Markdown and CSV, pictures as SVG, and one page with all of it."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from pathlib import Path

from markupsafe import Markup

import graphmeans
from graphmeans.paper.figures import all_figures
from graphmeans.paper.results_csv import ResultRow
from graphmeans.paper.tables import PaperTable, all_tables
from graphmeans.report.words import page_template

CAPTIONS = {
    "speedup_k": "Times fewer matchings an iteration than std, against the number of clusters",
    "speedup_silhouette": "Times fewer matchings an iteration than std, against cluster structure",
    "speedup_dimension": "Times fewer matchings an iteration than std, against the dimension of the space",
}


def write_all(
    folder: Path, rows: Sequence[ResultRow], *, command: str | None = None, note: str = ""
) -> tuple[list[PaperTable], Path]:
    """Write tables, pictures and the page into a folder; return the tables and the path of the page.

    Parameters
    ----------
    folder : Path
    rows : rows of results.csv
    command : str, optional
        The command that made them, shown on the page.
    note : str
        What must be known about them all.
    """
    tables, plots = all_tables(rows), all_figures(rows)
    for table in tables:
        with (folder / f"{table.key}.csv").open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([table.header, *table.rows])
    for name, svg in plots.items():
        (folder / f"{name}.svg").write_text(svg, encoding="utf-8")
    (folder / "tables.md").write_text(markdown(tables, list(plots), command, note), encoding="utf-8")
    page = folder / "paper.html"
    page.write_text(_html(tables, plots, command, note), encoding="utf-8")
    return tables, page


def markdown(tables: Sequence[PaperTable], plots: Sequence[str], command: str | None, note: str) -> str:
    """All tables as Markdown, with links to the pictures."""
    parts = ["# Elkan's k-means for graphs, run again"]
    parts += [f"    {command}"] if command else []
    parts += [note] if note else []
    for table in tables:
        parts += [f"## {table.title}", table_markdown(table), table.note]
    parts += [f"![{CAPTIONS[name]}]({name}.svg)" for name in plots]
    return "\n\n".join(parts) + "\n"


def table_markdown(table: PaperTable) -> str:
    """One table as Markdown; numbers to the right."""
    cells = [[cell.replace("|", "\\|") for cell in row] for row in (table.header, *table.rows)]
    lines = ["| " + " | ".join(row) + " |" for row in cells]
    return "\n".join([lines[0], "|---" * 2 + "|--:" * (len(table.header) - 2) + "|", *lines[1:]])


def _html(tables: Sequence[PaperTable], plots: dict[str, str], command: str | None, note: str) -> str:
    # Matplotlib's ids are the same in every picture: keep them apart.
    own = {name: re.sub(r'(id="|#)([\w.\-]+)', rf"\1{name}-\2", _safe(svg)) for name, svg in plots.items()}
    pictures = [(CAPTIONS[name], Markup(svg)) for name, svg in own.items()]
    return page_template(Path(__file__).parent).render(
        tables=tables, pictures=pictures, command=command, note=note, version=graphmeans.__version__
    )


def _safe(svg: str) -> str:
    """The picture with colours as rgb(...): a colour #rrggbb would be taken for an id."""
    return re.sub(r"#([0-9a-f]{6})\b", lambda m: f"rgb({int(m[1][:2], 16)},{int(m[1][2:4], 16)},{int(m[1][4:], 16)})", svg)
