"""Ctrl-C before the work begins ends at once, and leaves no process behind."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest

from runs import hear_interrupts, wait_for_children

pytest.importorskip("distributed", reason="dask is not installed: pip install 'graphmeans[dask]'")
psutil = pytest.importorskip("psutil")
pytestmark = pytest.mark.thorough

WAITING = """
import functools, runpy, sys
from graphmeans.cluster.engines.dask_client import DaskClient

try:
    with DaskClient("dask", 1, functools.partial(runpy.run_path, sys.argv[1])):
        print("began")
except KeyboardInterrupt:
    print("interrupted")
"""


@pytest.mark.parametrize("compiling", [False, True])
def test_ctrl_c_while_workers_start_or_compile(tmp_path, compiling):
    sign, warm_up = tmp_path / "began", tmp_path / "warm_up.py"
    warm_up.write_text(f"import pathlib, time; pathlib.Path({str(sign)!r}).touch(); time.sleep(600)", encoding="utf-8")
    running = subprocess.Popen(
        [sys.executable, "-c", WAITING, warm_up], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, preexec_fn=hear_interrupts
    )
    wait_for_children(running, 1)  # the scheduler
    while compiling and not sign.exists():
        assert running.poll() is None
        time.sleep(0.1)
    started = psutil.Process(running.pid).children(recursive=True)
    running.send_signal(2)
    said, _ = running.communicate(timeout=120)  # workers hold the pipe, too
    assert said.decode().strip() == "interrupted"
    assert not psutil.wait_procs(started, timeout=30)[1]
