# Everything a newcomer needs: `make demo` and `make test` set up .venv by themselves.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# A process a core; the tests of a file stay together, so that what they share is made once. conftest.py puts long files first.
SPREAD := --dist loadfile --no-loadscope-reorder

# How long `make fuzz` tries, and how often `make kills` kills.
MINUTES ?= 10
KILLS ?= 300

.PHONY: help demo test test-thorough test-oldest test-faults test-gpu test-quick coverage docs notebooks benchmarks fuzz kills boundscheck clean

help:
	@echo "make demo            cluster the embedded letters and write a report page"
	@echo "make test            lint, types, layers and the tests of every day"
	@echo "make test-thorough   longer runs, more variants, and coverage"
	@echo "make docs            the site, in docs/_build/html"
	@echo "make test-oldest     the tests with the oldest versions of everything that is supported"
	@echo "make fuzz MINUTES=10 files, models, checkpoints and calls with something wrong in them; also: make kills KILLS=300"
	@echo "make boundscheck     the tests once more, with the bounds of arrays checked inside the compiled kernels"
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

# Nothing is fetched: inventories of other projects are stored in docs/inventories. Every warning is an error.
docs: $(VENV)/installed-docs
	$(BIN)/python -m sphinx -W --keep-going -q -b html docs docs/_build/html
	$(BIN)/python docs/check_site.py docs/_build/html
	@echo "open docs/_build/html/index.html"

# The tutorials that are also notebooks, run again with their outputs.
notebooks: $(VENV)/installed-docs
	$(BIN)/python docs/make_notebooks.py

# The lower bounds of pyproject.toml as exact versions, on the oldest Python that is supported.
OLDEST_PYTHON ?= python3.10
test-oldest:
	$(OLDEST_PYTHON) -m venv .venv-oldest
	.venv-oldest/bin/python -m pip install --quiet --upgrade pip
	.venv-oldest/bin/python -m pip install --quiet -r tests/oldest.txt
	.venv-oldest/bin/python -m pip install --quiet --no-deps --editable .
	.venv-oldest/bin/python -m pytest -n auto $(SPREAD)

# Workers that pause, die in pairs or lose their network. Timeouts of dask decide how long that takes.
test-faults: $(VENV)/installed-test
	$(BIN)/python -m pytest -q --thorough --faults tests/cluster/engines/test_faults.py

# On a machine with a GPU: pip install 'graphmeans[cuda]' first.
test-gpu: $(VENV)/installed-test
	$(BIN)/python -m pytest -q --gpu tests/matching/test_device.py

test-quick: $(VENV)/installed-test
	$(BIN)/python -m pytest -x -q

# Odd files, models, checkpoints and calls, each in a process with limits; other cases with other SEED.
fuzz: $(VENV)/installed-test
	$(BIN)/python tests/fuzz --minutes $(MINUTES) --seed $(or $(SEED),0)

# Fits that are killed at random moments must end as if nothing had happened.
kills: $(VENV)/installed-test
	$(BIN)/python tests/kills.py --kills $(KILLS) --seed $(or $(SEED),0)

# numba checks every index, in a cache of its own, since such code is another. What asserts that kernels are cached is left out.
boundscheck: $(VENV)/installed-test
	NUMBA_BOUNDSCHECK=1 NUMBA_CACHE_DIR=$(abspath $(VENV))/boundscheck $(BIN)/python -m pytest -q -n auto $(SPREAD)

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

$(VENV)/installed-docs: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --editable '.[docs]'
	@touch $@ $(VENV)/installed

clean:
	rm -rf $(VENV) .venv-oldest graphmeans-demo docs/_build docs/auto_examples docs/api/generated docs/generated .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis .coverage htmlcov
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
