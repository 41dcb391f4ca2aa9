"""Where the IAM collections lie. They may not be committed: tests that need them are skipped where they are absent."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

IAM = Path(os.environ.get("GRAPHMEANS_IAM") or Path(__file__).resolve().parents[2] / "shared" / "data" / "iam")


def iam_path() -> Path:
    """The folder with the zips; skips the test, with the reason, if it is not there."""
    if not (IAM / "Letter-LOW.zip").exists():
        pytest.skip(f"no IAM data at {IAM}; set GRAPHMEANS_IAM to the folder that holds Letter-LOW.zip and the others")
    return IAM
