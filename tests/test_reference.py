"""Every public name has a page in the reference, and its docstring says what a page must say: numpydoc's validation."""

from __future__ import annotations

import doctest
import importlib
import inspect
import re
from pathlib import Path

import pytest

import graphmeans as gm

REFERENCE = Path(__file__).parents[1] / "docs" / "api" / "index.rst"
MODULES = ["chemistry", "datasets", "evaluation", "io", "plots", "report", "structures"]
#: What numpydoc would have, and we do not; each with its reason.
EXCEPTIONS = {
    "GL01": "the house style begins the summary on the line of the opening quotes, as PEP 257 allows",
    "ES01": "where the summary says everything, a longer one would repeat it",
    "SA01 of a method": "the page of a class is one page: what to see also stands at its head",
    "EX01 of a method": "the example of a class shows its main methods, on the same page",
}


def public() -> dict[str, object]:
    """Every public name but modules, with the object that it stands for."""
    names = {f"graphmeans.{name}": getattr(gm, name) for names in gm._NAMES.values() for name in names}
    for module in MODULES:
        owner = getattr(gm, module) if hasattr(gm, module) else importlib.import_module(f"graphmeans.{module}")
        listed = getattr(owner, "__all__", None) or [
            name for name, value in vars(owner).items()
            if inspect.isfunction(value) and value.__module__ == owner.__name__ and not name.startswith("_")
        ]  # fmt: skip
        names |= {f"graphmeans.{module}.{name}": getattr(owner, name) for name in listed}
    known: set[int] = set()
    return {
        name: value for name, value in names.items()
        if not inspect.ismodule(value) and not (id(value) in known or known.add(id(value)))  # type: ignore[func-returns-value]
    }  # fmt: skip


PUBLIC = public()


def members(value: type) -> list[str]:
    """The public methods and properties of a class that are ours.

    Plain attributes are described with the parameters of the class, and scikit-learn writes the docstrings of
    ``set_fit_request`` and the like.
    """
    found = []
    for name in dir(value):
        home = next(base for base in value.__mro__ if name in vars(base))
        what = vars(home)[name]
        ours = home.__module__.startswith("graphmeans") and not re.fullmatch(r"set_\w+_request", name)
        documented = isinstance(what, (property, classmethod, staticmethod)) or inspect.isfunction(what)
        if not name.startswith("_") and ours and documented:
            found.append(name)
    return found


def complaints(path: str, method: bool) -> list[str]:
    from numpydoc.validate import validate

    passed = {code.split()[0] for code in EXCEPTIONS if method or "method" not in code}
    return [f"{path}: {code} {said}" for code, said in validate(path)["errors"] if code not in passed]


@pytest.mark.parametrize("name", PUBLIC)
def test_docstrings_say_what_a_page_must_say(name):
    pytest.importorskip("numpydoc", reason="numpydoc is not installed: pip install 'graphmeans[test]'")
    value = PUBLIC[name]
    path = f"{value.__module__}.{value.__qualname__}"
    found = complaints(path, method=False)
    if inspect.isclass(value):
        for member in members(value):
            found += complaints(f"{path}.{member}", method=True)
    assert found == []


def test_every_public_name_is_in_the_reference():
    module, listed = "", []
    for line in REFERENCE.read_text(encoding="utf-8").splitlines():
        if found := re.fullmatch(r"\.\. currentmodule:: (\S+)", line):
            module = found[1]
        elif found := re.fullmatch(r"   (\w+)", line):
            listed.append(f"{module}.{found[1]}")
    assert sorted(listed) == sorted(PUBLIC)


def test_see_also_leads_somewhere():
    from numpydoc.docscrape import get_doc_object

    for name, value in PUBLIC.items():
        home = name.rpartition(".")[0]
        for (other, _), *_ in [entry[0] for entry in get_doc_object(value)["See Also"]]:
            assert resolves(f"{home}.{other}") or resolves(f"graphmeans.{other}"), f"{name}: see {other}"


def resolves(path: str) -> bool:
    value: object = gm
    for part in path.split(".")[1:]:
        if not hasattr(value, part):
            try:
                value = importlib.import_module(f"graphmeans.{part}")
            except ImportError:
                return False
        else:
            value = getattr(value, part)
    return True


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["from_pyg", "to_pyg"])
def test_examples_that_need_pytorch_geometric(name):
    """They are left out of the doctests of every day, because few have it."""
    pytest.importorskip("torch_geometric", reason="PyTorch Geometric is not installed")
    function = getattr(gm, name)
    example = doctest.DocTestParser().get_doctest(
        inspect.getdoc(function).replace("# doctest: +SKIP", ""), {}, name, None, 0
    )  # fmt: skip
    assert len(example.examples) > 1
    assert doctest.DocTestRunner().run(example).failed == 0
