"""What the package says of itself agrees with itself: versions, bounds, the recipe, the citation, the workflows."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import yaml

import graphmeans as gm

ROOT = Path(__file__).parents[1]
try:
    import tomllib
except ImportError:  # Python 3.10
    tomllib = pytest.importorskip("tomli", reason="no tomllib before Python 3.11")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def bounds(lines: list[str]) -> dict[str, str]:
    """The lower bound of each requirement."""
    found = [re.match(r"([\w-]+)(?:\[\w+\])?>=([\d.]+)(?!.*;)", line) for line in lines]
    return {match[1].lower(): match[2] for match in found if match}


def test_one_version():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    recipe = (ROOT / "recipe" / "meta.yaml").read_text(encoding="utf-8")
    assert gm.__version__ == PROJECT["version"] == citation["version"]
    assert f'{{% set version = "{gm.__version__}" %}}' in recipe
    assert citation["license"] == PROJECT["license"] == "BSD-3-Clause"


def test_the_oldest_versions_are_the_lower_bounds():
    wanted = bounds(PROJECT["dependencies"])
    for extra in ("pandas", "igraph", "rdkit", "dask"):
        wanted |= bounds(PROJECT["optional-dependencies"][extra])
    text = (ROOT / "tests" / "oldest.txt").read_text(encoding="utf-8")
    tried = {name.lower(): version for name, version in re.findall(r"^([\w-]+)(?:\[\w+\])?==([\d.]+)$", text, re.MULTILINE)}
    assert set(tried) == set(wanted)
    for name, version in wanted.items():
        assert (tried[name] + ".").startswith(version + "."), name


def test_the_recipe_has_the_same_bounds():
    recipe = (ROOT / "recipe" / "meta.yaml").read_text(encoding="utf-8")
    listed = dict(re.findall(r"^    - ([\w-]+) >=([\d.]+)$", recipe[recipe.index("  run:") :], re.MULTILINE))
    listed["matplotlib"] = listed.pop("matplotlib-base")
    assert listed == bounds(PROJECT["dependencies"])


def test_extras_agree():
    """What the tests install is no older than what users are promised."""
    test = bounds(PROJECT["optional-dependencies"]["test"])
    for extra in ("pandas", "igraph", "rdkit", "dask"):
        for name, version in bounds(PROJECT["optional-dependencies"][extra]).items():
            assert test[name] == version


def test_every_python_that_is_promised_is_tested():
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "tests.yml").read_text(encoding="utf-8"))
    matrix = workflow["jobs"]["everyday"]["strategy"]["matrix"]
    promised = [c.rpartition(" ")[2] for c in PROJECT["classifiers"] if re.search(r":: 3\.\d+$", c)]
    assert matrix["python"] == promised
    assert PROJECT["requires-python"] == f">={promised[0]}"
    assert {name.partition("-")[0] for name in matrix["os"]} == {"ubuntu", "macos", "windows"}


@pytest.mark.parametrize("path", sorted((ROOT / ".github").rglob("*.yml")), ids=lambda path: path.name)
def test_workflows_and_forms_are_yaml(path):
    assert yaml.safe_load(path.read_text(encoding="utf-8"))


def test_the_benchmarks_over_history_are_found():
    settings = json.loads((ROOT / "asv.conf.json").read_text(encoding="utf-8"))
    assert list((ROOT / settings["benchmark_dir"]).glob("*.py"))
