"""A bounded run of the fuzzers, always the same cases; ``make fuzz`` runs as many as one likes."""

from __future__ import annotations

import importlib

import pytest

fuzz = importlib.import_module("fuzz.__main__")

#: Every day a few calls, since other tests spoil files and models; in a thorough run many cases of each fuzzer.
FEW = 100
MORE = {"calls": 1500, "files": 1500, "models": 400, "checkpoints": 60}


def test_a_few_odd_calls():
    assert_fine(fuzz.run("calls", range(FEW)), FEW)


@pytest.mark.thorough
@pytest.mark.parametrize("name", MORE)
def test_many_odd_cases(name):
    assert_fine(fuzz.run(name, range(1000, 1000 + MORE[name])), MORE[name])


def assert_fine(outcome, tried):
    assert outcome.bad == []
    assert outcome.tried == tried
    assert outcome.counts["accepted"] > 0
    assert outcome.counts["refused"] > 0


def test_the_harness_notices_what_it_should(monkeypatch):
    """A signal, a hang, a traceback, an error of two lines, memory and a wrong answer."""
    from fuzz import harness

    monkeypatch.setattr(harness, "SECONDS", 3.0)
    monkeypatch.setattr(harness, "GRACE", 0.2)
    monkeypatch.setattr(harness, "TURNS", 2)
    monkeypatch.setattr(harness, "MEMORY", 50 << 20)
    outcome = harness.run_cases(lambda number: CASES[number], range(len(CASES)), (ValueError,))
    assert [(number, how) for number, how, _ in outcome.bad] == [
        (1, "signal 11"), (2, "hung"), (3, "traceback"), (4, "not one line"), (5, "memory"), (6, "wrong"),
    ]  # fmt: skip
    assert outcome.counts["accepted"] == 1
    assert outcome.counts["refused"] == 1


def refuse(message):
    raise ValueError(message)


def die():
    import os
    import signal

    os.kill(os.getpid(), signal.SIGSEGV)


def sleep():
    import time

    time.sleep(60)


def wrong():
    from fuzz.harness import Wrong

    raise Wrong("it is")


CASES = [
    lambda: None, die, sleep, lambda: {}["x"], lambda: refuse("two\nlines"), lambda: len(bytearray(80 << 20)), wrong,
    lambda: refuse("no"),
]  # fmt: skip
