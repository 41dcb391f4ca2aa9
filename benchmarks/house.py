"""How much code does a fit go through, before and after the rebuild? Both versions are measured in one run.

    python benchmarks/house.py               # the last commit before the rebuild against this working tree
    python benchmarks/house.py REVISION      # another commit against this working tree
    python benchmarks/house.py REVISION --json figures.json

Run it in a clone: the sources of the earlier revision are taken out of git into a temporary folder, where its kernels are
compiled once (a minute or two). Each version runs in a process of its own, on one thread, so that everything it enters is
seen. What is counted: functions and modules of the package that are entered, calls of them (a generator that is resumed
counts again), conversions, and calls of the engine that reach shards. Kernels are compiled before counting begins.
"""

from __future__ import annotations

import argparse
import ast
import io
import json
import os
import statistics
import subprocess
import sys
import tarfile
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

BEFORE = "6fad4bc"
ROOT = Path(__file__).resolve().parents[1]

#: Functions that convert graphs, by name; one call may convert many.
CONVERSIONS = {"to_graphs", "to_graph", "convert_graphs", "convert_graph"}
#: The engine on threads, by the end of its file name; a call of a method with one of these names reaches shards.
ENGINE = ("engines/threads.py",)
ENGINE_CALLS = {"total", "each", "one", "_call"}

#: Rounds of timed calls of `gm.distance`, taken in turns, and calls in each.
ROUNDS, CALLS = 15, 20


# -- in the process of one version -----------------------------------------------------------------


def docstring_lines(path: Path) -> int:
    """Lines of docstrings that are not blank."""
    text = path.read_text(encoding="utf-8")
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    found = [node.body[0] for node in ast.walk(ast.parse(text)) if isinstance(node, kinds) and ast.get_docstring(node)]
    lines = text.splitlines()
    rows = {row for node in found for row in range(node.lineno - 1, node.end_lineno or node.lineno)}
    return sum(bool(lines[row].strip()) and not lines[row].lstrip().startswith("#") for row in rows)


def static(package: Path) -> dict[str, Any]:
    """What the sources are like, without running them."""
    files = sorted(package.rglob("*.py"))
    lines = {path.relative_to(package).as_posix(): path.read_text(encoding="utf-8").splitlines() for path in files}
    longest = max(lines, key=lambda name: len(lines[name]))
    code = [line for text in lines.values() for line in text if line.strip() and not line.lstrip().startswith("#")]
    return {
        "lines of Python": sum(map(len, lines.values())),
        "... not blank, no comment": len(code),
        "... and no docstring": len(code) - sum(map(docstring_lines, files)),
        "modules": len(files),
        "longest module, lines": len(lines[longest]),
        "longest module": longest,
    }


def entered(package: Path, work: Callable[[], Any]) -> dict[str, Any]:
    """Run something and count what it enters of the package."""
    inside, calls = str(package) + os.sep, Counter[Any]()

    def seen(frame: Any, event: str, _: Any) -> None:
        if event == "call":
            calls[frame.f_code] += 1

    threading.setprofile(seen)
    sys.setprofile(seen)
    try:
        work()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)  # type: ignore[arg-type]
    own = {code: n for code, n in calls.items() if code.co_filename.startswith(inside)}
    return {
        "functions entered": len(own),
        "modules entered": len({code.co_filename for code in own}),
        "calls": sum(own.values()),
        "conversions": sum(n for code, n in own.items() if code.co_name in CONVERSIONS),
        "engine calls": sum(
            n for code, n in own.items() if code.co_filename.endswith(ENGINE) and code.co_name in ENGINE_CALLS
        ),
    }


def child() -> None:
    """Answer, a line of JSON each, what is asked for on stdin: "count", or "distance" for the microseconds of some calls."""
    import graphmeans as gm
    from graphmeans.report import write_report

    package = Path(gm.__file__).resolve().parent
    graphs, classes = gm.datasets.make_letters(60, random_state=0)

    def fit() -> Any:
        return gm.GraphKMeans(8, random_state=0, n_jobs=1).fit(graphs)

    def page(estimator: Any) -> None:
        with tempfile.TemporaryDirectory() as folder:
            write_report(Path(folder) / "r.html", estimator=estimator, graphs=graphs, classes=classes.tolist())

    for question in sys.stdin:
        answer: Any
        if question.strip() == "count":
            answer = {"": {**static(package), "public names": sum(not name.startswith("_") for name in dir(gm))}}
            km = fit()
            jobs = {
                "fit of 60 letters, k = 8": fit,
                "predict": lambda km=km: km.predict(graphs),
                "gm.distance": lambda: gm.distance(graphs[0], graphs[1]),
                "report": lambda km=km: page(km),
            }
            for job in jobs.values():
                job()  # kernels are compiled, modules loaded
            answer.update({name: entered(package, job) for name, job in jobs.items()})
        else:
            answer = []
            for _ in range(CALLS):
                start = time.perf_counter()
                gm.distance(graphs[0], graphs[1])
                answer.append(1e6 * (time.perf_counter() - start))
        print(json.dumps(answer), flush=True)


# -- both, side by side ----------------------------------------------------------------------------


class Version:
    """A process that runs one version of the package."""

    def __init__(self, source: Path) -> None:
        environment = {**os.environ, "PYTHONPATH": str(source)}
        self._process = subprocess.Popen(
            [sys.executable, __file__, "--child"], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def ask(self, question: str) -> Any:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(question + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise SystemExit("house.py: a version could not be measured; what it said stands above")
        return json.loads(line)

    def close(self) -> None:
        self._process.communicate()


def measure(sources: list[Path]) -> list[dict[str, dict[str, Any]]]:
    versions = [Version(source) for source in sources]
    try:
        found = [version.ask("count") for version in versions]
        seconds: list[list[float]] = [[] for _ in versions]
        for _ in range(ROUNDS):  # in turns, so that both see the same machine
            for times, version in zip(seconds, versions, strict=True):
                times.extend(version.ask("distance"))
    finally:
        for version in versions:
            version.close()
    for figures, times in zip(found, seconds, strict=True):
        figures["gm.distance"]["microseconds, median"] = statistics.median(times)
    return found


def table(before: dict[str, dict[str, Any]], after: dict[str, dict[str, Any]]) -> list[str]:
    lines = ["| | before | after | ratio |", "|---|---:|---:|---:|"]
    for part, figures in before.items():
        for name, old in figures.items():
            new = after[part][name]
            if name == "engine calls" and not old and not new:
                continue
            both = isinstance(old, (int, float)) and old
            ratio = f"{new / old:.2f}" if both else ""
            shown = [f"{value:,.0f}" if isinstance(value, (int, float)) else str(value) for value in (old, new)]
            lines.append(f"| {part + ': ' if part else ''}{name} | {shown[0]} | {shown[1]} | {ratio} |")
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("revision", nargs="?", default=BEFORE, help=f"what to compare with (default: {BEFORE})")
    parser.add_argument("--json", type=Path, help="write the figures to this file, too")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        packed = subprocess.run(["git", "archive", options.revision, "src"], cwd=ROOT, check=True, capture_output=True).stdout
        with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
            archive.extractall(folder)
        before, after = measure([Path(folder) / "src", ROOT / "src"])
    print("\n".join(table(before, after)))
    if options.json:
        options.json.write_text(json.dumps({"before": before, "after": after}, indent=1))


if __name__ == "__main__":
    child() if sys.argv[1:] == ["--child"] else main()
