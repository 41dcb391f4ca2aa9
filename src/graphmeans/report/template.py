"""The HTML template beside a module, in which everything is escaped and nothing may be undefined."""

from __future__ import annotations

from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template

from graphmeans.report.words import counted, number, percent


def page_template(module: str) -> Template:
    """The page.html in the folder of the module whose ``__file__`` this is."""
    environment = Environment(
        loader=FileSystemLoader(Path(module).parent),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(number=number, percent=percent, counted=counted)
    return environment.get_template("page.html")
