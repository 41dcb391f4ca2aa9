"""A short audit of proofs every day, a longer one in thorough runs; see audit.py."""

from __future__ import annotations

import pytest

from audit import Tally, audit, audit_pairs
from effort import COMPILED, thorough


@pytest.mark.parametrize("seed", [102_894, 1_012_017, 1_057_393])
def test_products_of_edges_that_nearly_vanish(seed):
    """Steps in units of such products were infinite or divided by; and directed edges lost what they differed by."""
    tally = Tally()
    audit_pairs(seed, tally)
    assert tally.counts["pairs"] == 15
    assert not tally.wrong


@pytest.mark.skipif(not COMPILED, reason="many fits, in plain Python")
@pytest.mark.parametrize(("pairs", "labels", "first"), [(600, 160, 0), thorough(10_000, 2_000, 10_000)])
def test_no_proof_is_false(pairs, labels, first):
    found = audit(pairs, labels, first)
    assert not found.wrong, str(found)
    assert found.counts["pairs certified"] > 0.8 * pairs
    assert found.counts["labels"] > 0.5 * labels
