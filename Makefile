# Everything a newcomer needs: `make demo` and `make test` set up .venv by themselves.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# A process a core; the tests of a file stay together, so that what they share is made once. conftest.py puts long files first.
SPREAD := --dist loadfile --no-loadscope-reorder

.PHONY: help demo test test-thorough test-gpu test-quick coverage benchmarks clean

help:
	@echo "make demo            cluster the embedded letters and write a report page"
	@echo "make test            lint, types, layers and the tests of every day"
	@echo "make test-thorough   longer runs, more variants, and coverage"
	@echo "make clean           remove .venv and everything generated"

demo: $(VENV)/installed
	$(BIN)/graphmeans demo

test: $(VENV)/installed-test
	$(BIN)/ruff check --quiet .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	$(BIN)/python -m pytest -n auto $(SPREAD)

# What is marked thorough, and every property with all its examples.
test-thorough: $(VENV)/installed-test coverage
	$(BIN)/python -m pytest -n auto $(SPREAD) --thorough -m "thorough or hypothesis"

# The tracer does not see compiled code: the tests of the kernels run once more on the same lines as plain Python.
coverage: $(VENV)/installed-test
	$(BIN)/python -m pytest -q -n auto $(SPREAD) --cov --cov-report=
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest -q tests/kernels --cov --cov-append --cov-report=
	$(BIN)/python -m coverage report --fail-under=90

# On a machine with a GPU: pip install 'graphmeans[cuda]' first.
test-gpu: $(VENV)/installed-test
	$(BIN)/python -m pytest -q --gpu tests/matching/test_device.py

test-quick: $(VENV)/installed-test
	$(BIN)/python -m pytest -x -q

benchmarks: $(VENV)/installed-test
	$(BIN)/python benchmarks/matching.py
	$(BIN)/python benchmarks/kmeans.py

# The check for a usable pip catches distributions that ship python3 without venv.
$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' || { echo "graphmeans needs Python 3.10 or newer"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip

$(VENV)/installed: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --editable .
	@touch $@

$(VENV)/installed-test: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --editable '.[test]'
	@touch $@ $(VENV)/installed

clean:
	rm -rf $(VENV) graphmeans-demo .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis .coverage htmlcov
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
