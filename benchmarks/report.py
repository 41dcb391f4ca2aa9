"""How large is a report, what does it cost beside the fit in the same run, and how long does a frame of its map take?

    .venv/bin/python benchmarks/report.py            # 750, 2,250 and 3,000 letters, and 1,000 molecules (needs RDKit)
    .venv/bin/python benchmarks/report.py --large    # 100,000 letters as well: fitted on 1,500, the others assigned
    .venv/bin/python benchmarks/report.py --often    # 750 letters only: twelve fits, five pages after each, medians and quartiles
    .venv/bin/python benchmarks/report.py --frames   # and the map in headless Chromium, zoomed and panned (needs selenium)

Seconds are of the processor, of all threads, the median of five pages. The first page of a process is told apart.
Frames are the time that the script takes to draw one.
"""

from __future__ import annotations

import gc
import shutil
import sys
import tempfile
from pathlib import Path
from statistics import median
from time import process_time

import numpy as np
from molecule_fits import molecules

import graphmeans as gm
from graphmeans.report import write_report
from graphmeans.report.facts.evidence import gather
from graphmeans.report.facts.summary import all_matchings

#: Pages that are written of each collection; fits before them, where they are repeated.
PAGES, FITS = 5, 12
#: Zoom in and out in turn, a frame each, and hand back what each took.
FRAMES = """const done = arguments[arguments.length - 1], took = [], ids = ["zoom-in", "zoom-in", "zoom-out", "zoom-out"];
let n = 0;
function step() {
  document.getElementById(ids[n % 4]).click();
  requestAnimationFrame(() => requestAnimationFrame(() => { took.push(mapView.frame); if (++n < 60) step(); else done(took); }));
}
step();"""


def measure(what: str, graphs: list, classes: list | None, k: int, folder: Path, fit_on: int | None = None) -> None:
    fit_on = len(graphs) if fit_on is None else fit_on
    start = process_time()
    km = gm.GraphKMeans(k, random_state=0).fit(graphs[:fit_on])
    fitting = process_time() - start
    if fit_on < len(graphs):
        distances = km.transform(graphs)
        km.labels_, km.distances_ = distances.argmin(axis=1).astype(np.int32), distances.min(axis=1)
        km.certified_fraction_ = float("nan")
    taken = []
    for _ in range(PAGES):
        start = process_time()
        path = write_report(folder / "report.html", estimator=km, graphs=graphs, classes=classes)
        taken.append(process_time() - start)
    seconds = median(taken)
    share = gather(km, graphs).matchings / all_matchings(km)
    print(
        f"{what:32s} {path.stat().st_size / 1e6:6.2f} MB {seconds:6.2f} s, {seconds / fitting:.2f} of fitting {fit_on:,}; "
        f"{share:.2f} of its matchings"
    )
    if "--frames" in sys.argv:
        took = frames(path)
        print(f"{'':32s} a frame of the map: median {np.median(took):.1f} ms, nine tenths within {np.quantile(took, 0.9):.1f} ms")


def often(folder: Path) -> None:
    """Fits of 750 letters and pages of them in turn, in one process: what a page costs beside a fit, and how much that varies."""
    graphs, classes = letters(750)
    fits, pages, met = [], [], 0
    for _ in range(FITS):
        start = process_time()
        km = gm.GraphKMeans(15, random_state=0).fit(graphs)
        fits.append(process_time() - start)
        for _ in range(PAGES):
            before, start = gc.get_stats()[2]["collections"], process_time()
            write_report(folder / "report.html", estimator=km, graphs=graphs, classes=classes)
            pages.append(process_time() - start)
            met += gc.get_stats()[2]["collections"] > before
    for what, taken in (("fits", fits), ("pages", pages)):
        low, middle, high = 1000 * np.quantile(taken, [0.25, 0.5, 0.75])
        print(f"{len(taken)} {what}: median {middle:.1f} ms, quartiles {low:.1f} to {high:.1f}, mean {1000 * np.mean(taken):.1f}")
    print(
        f"a page takes {median(pages) / median(fits):.3f} of a fit by medians, {np.mean(pages) / np.mean(fits):.3f} by means; "
        f"{met} pages met a full garbage collection"
    )


def letters(n: int) -> tuple[list, list]:
    graphs, y = gm.datasets.make_letters(n, random_state=0)
    return graphs, y.tolist()


def frames(path: Path) -> list[float]:
    """Milliseconds of frames of the map of a page, after the first twenty."""
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or shutil.which("google-chrome") or ""
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=1440,900"):
        options.add_argument(argument)
    driver = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
    try:
        driver.set_script_timeout(110)
        driver.get(path.as_uri())
        return [float(ms) for ms in driver.execute_async_script(FRAMES)[20:]]
    finally:
        driver.quit()


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        graphs, _ = gm.datasets.make_letters(30, random_state=0)
        warm = gm.GraphKMeans(3, random_state=0).fit(graphs)
        start = process_time()
        write_report(folder / "warm.html", estimator=warm, graphs=graphs)  # kernels compile once
        print(f"first page of this process, of 30 letters: {1000 * (process_time() - start):.0f} ms")
        if "--often" in sys.argv:
            return often(folder)
        measure("750 letters, 15 clusters", *letters(750), 15, folder)
        measure("2,250 letters, 30 clusters", *letters(2250), 30, folder)
        measure("3,000 letters, 200 clusters", *letters(3000), 200, folder)
        measure("1,000 molecules, 20 clusters", gm.from_rdkit(molecules(1000)), None, 20, folder)
        if "--large" in sys.argv:
            measure("100,000 letters, 15 clusters", *letters(100_000), 15, folder, fit_on=1500)


if __name__ == "__main__":
    main()
