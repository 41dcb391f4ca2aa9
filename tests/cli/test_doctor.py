"""`graphmeans doctor`: versions, cache, devices, and a self-test that notices when a kernel is wrong."""

from __future__ import annotations

import json

from typer.testing import CliRunner

from graphmeans.cli import app, doctor


def test_doctor_tells_what_a_report_needs_and_tests_the_kernels():
    result = CliRunner().invoke(app, ["doctor", "--json"])
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert list(found) == ["versions", "system", "kernels", "self-test"]
    assert {"Python", "graphmeans", "numpy", "numba"} <= set(found["versions"])
    assert {"platform", "threads", "memory", "GPU"} <= set(found["system"])
    assert set(found["self-test"].values()) == {"ok"}
    assert len(found["self-test"]) == 7


def test_a_kernel_that_is_wrong_is_noticed(monkeypatch):
    from graphmeans.matching.exact import Exact

    solve = Exact.solve

    def wrong(self, *args, **options):
        found = solve(self, *args, **options)
        found.upper[:] += 0.5
        return found

    monkeypatch.setattr(Exact, "solve", wrong)
    monkeypatch.setattr(doctor, "_mean", lambda: None)
    monkeypatch.setattr(doctor, "_fit", lambda: None)
    monkeypatch.setattr(doctor, "_bounds", lambda: None)
    result = CliRunner().invoke(app, ["doctor"])
    assert result.exit_code == 1
    assert "exact: AssertionError" in result.stdout
    assert "the self-test failed: exact" in result.stderr
