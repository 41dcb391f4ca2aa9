"""What `import graphmeans` offers: a short list at first sight, and the rest by name."""

from __future__ import annotations

import subprocess
import sys

import pytest

import graphmeans as gm


def test_the_first_sight_is_short_and_every_name_loads():
    assert len(gm.__all__) <= 26
    assert dir(gm) == sorted([*gm.__all__, "__version__"])
    for name in gm.__all__:
        assert getattr(gm, name) is not None


def test_converters_are_in_one_namespace_and_by_name():
    converters = [name for name in gm._NAMES["graphs.convert"] if name != "convert"]
    assert len(converters) == 13
    for name in converters:
        assert getattr(gm, name) is getattr(gm.convert, name)
        assert name not in gm.__all__


@pytest.mark.parametrize("name", ["Exact", "Graduated", "Search", "sketch"])
def test_other_names_are_there_for_who_asks(name):
    assert getattr(gm, name).__name__ == name


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="'graphmeans' has no attribute 'nothing'"):
        _ = gm.nothing


def test_the_import_loads_nothing_heavy():
    said = "import sys, graphmeans; print([name for name in ('numba', 'sklearn', 'networkx') if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", said], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
