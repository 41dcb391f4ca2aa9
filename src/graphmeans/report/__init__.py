"""One self-contained HTML page that shows a clustering."""

from __future__ import annotations

from graphmeans.report.report import write_report

__all__ = ["write_report"]
