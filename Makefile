# make demo and make test need nothing but Python 3.11+ and make; both create .venv first.
SHELL := /bin/bash
.SHELLFLAGS := -eo pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help

# Tests start hundreds of interpreters, which would compile our sources each time.
unexport PYTHONDONTWRITEBYTECODE

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
SOURCES := bnsl bnsl_cli formats stages tests examples
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
PIP_WHEEL := $(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps

.PHONY: help demo install install-dev lint format test test-quick test-long test-boundscheck test-nojit \
        fuzz fuzz-answers faults examples examples-check bench ablation ablation-table docs-check native wheel clean clean-cache

help:  ## Show the targets.
	@grep -E '^[a-z-]+:.*##' Makefile | sed 's/:.*## /\t/' | expand -t 20

# ------------------------------------------------------------------------------------ environment
$(BIN)/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or later is needed")'
	$(PYTHON) -m venv $(VENV) || { echo "python3 -m venv failed; on Debian: apt install python3-venv"; exit 1; }

# "compat": a plain path entry, so that folders named like ours in the current directory do not hide our packages.
$(VENV)/.installed: pyproject.toml | $(BIN)/python
	$(PIP) --editable . --config-settings editable_mode=compat
	@touch $@

$(VENV)/.installed-dev: pyproject.toml | $(BIN)/python
	$(PIP) --editable '.[dev]' --config-settings editable_mode=compat
	-$(PIP) --no-deps 'pyagrum>=2'  # for tests of conversions and inference; its dependencies are for drawing
	-$(PIP) 'pgmpy>=1.0'  # for tests of conversions
	@touch $@ $(VENV)/.installed

install: $(VENV)/.installed  ## Create .venv and install the command into it.
install-dev: $(VENV)/.installed-dev  ## The same with what tests and checks need.

# ------------------------------------------------------------------------------------------- use
demo: install  ## Learn a network from real data, show it and judge it.
	@PATH="$$PWD/$(BIN):$$PATH" examples/demo.sh

EXPERIMENTS := $(patsubst %/Makefile,%,$(wildcard examples/*/Makefile))

examples: install-dev  ## Run the tour and all experiments of examples/ at their smallest: some minutes.
	PATH="$$PWD/$(BIN):$$PATH" examples/tour.sh
	for e in $(EXPERIMENTS); do PATH="$$PWD/$(BIN):$$PATH" $(MAKE) -C $$e all check; done

TABLES ?=

examples-check: install  ## Cells of examples/*/results.md computed anew and compared; more where TABLES=FOLDER has data.
	for e in $(EXPERIMENTS); do \
	  PATH="$$PWD/$(BIN):$$PATH" $(MAKE) -s -C $$e check TABLES="$(abspath $(TABLES))"; \
	done

# ------------------------------------------------------------------------------------------ checks
lint: install-dev  ## Formatting, static checks, types, dead code, docstrings against signatures.
	$(BIN)/ruff format --check $(SOURCES)
	$(BIN)/ruff check $(SOURCES)
	$(BIN)/mypy
	$(BIN)/vulture
	$(BIN)/python tests/tools/check_docstrings.py

format: install-dev  ## Format the sources.
	$(BIN)/ruff format $(SOURCES)
	$(BIN)/ruff check --fix $(SOURCES)

TESTS ?=

test: install-dev  ## The whole test suite, or TESTS="FILE FOLDER ...".
	$(BIN)/python -m pytest $(TESTS)

test-quick: install-dev  ## Two cases of each fast test: about a minute of processor time.
	BNSL_HYPOTHESIS=quick $(BIN)/python -m pytest -m "not slow"

test-long: install-dev  ## The suite with many more examples per property.
	BNSL_HYPOTHESIS=long $(BIN)/python -m pytest

KERNEL_TESTS := $(shell find tests/stages -type d -name kernels)

test-boundscheck: install-dev  ## Kernels, and whole commands on random tables, with every array index checked.
	NUMBA_BOUNDSCHECK=1 NUMBA_CACHE_DIR=$(abspath $(VENV))/cache-boundscheck $(BIN)/python -m pytest $(KERNEL_TESTS)
	NUMBA_BOUNDSCHECK=1 NUMBA_CACHE_DIR=$(abspath $(VENV))/cache-boundscheck PYTHONPATH=tests \
	  $(BIN)/python -m fuzz.answers --tables 500 --seed $(FUZZ_SEED)

test-nojit: install-dev  ## Kernels as plain Python: readable tracebacks.
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest $(KERNEL_TESTS)

FUZZ_INPUTS ?= 1000000
FUZZ_SEED ?= 1

fuzz: install-dev  ## A million hostile inputs to every reader and command; what fails is saved in fuzz-findings/.
	PYTHONPATH=tests $(BIN)/python -m fuzz.run --inputs $(FUZZ_INPUTS) --seed $(FUZZ_SEED)

ANSWERS ?= 100000

fuzz-answers: install-dev  ## Answers on 100,000 random tables against plain definitions; differences in fuzz-findings/.
	PYTHONPATH=tests $(BIN)/python -m fuzz.answers --tables $(ANSWERS) --seed $(FUZZ_SEED)

faults: install-dev  ## Four signals at 200 moments of each stage, full disks, damaged caches, closed streams.
	BNSL_SIGNALS=200 $(BIN)/python -m pytest tests/cli/running/test_faults.py

bench: install-dev  ## Measure and append to tests/benchmarks/results.
	$(BIN)/python tests/benchmarks/run.py

PARTS ?=
SEEDS ?= 1 2 3 4 5
LIMIT ?= 10
ABLATION = PYTHONPATH=tests:. $(BIN)/python -m benchmarks.ablation

ablation: install-dev  ## What each part of a search gains: PARTS="walk,groups" TABLES="plants,alarm" SEEDS="1 2" LIMIT=60.
	$(ABLATION) --seeds $(SEEDS) --limit $(LIMIT) $(if $(PARTS),--parts "$(PARTS)") $(if $(TABLES),--tables "$(TABLES)")

ablation-table: install-dev  ## Its results so far, as a table in Markdown.
	@$(ABLATION) --table

# ----------------------------------------------------------------------------------- documentation
docs-check: install-dev  ## Examples of help, pages and README run.
	$(BIN)/python -m pytest tests/cli/test_docs.py

native: install-dev  ## Machine code of all kernels, which no run has to compile then; until a kernel is changed.
	PYTHONPATH=tests $(BIN)/python -m tools.native.build

wheel: native  ## Build the wheel with machine code into dist/, the pure one into dist/pure/.
	rm -rf build dist/*.whl dist/pure
	SOURCE_DATE_EPOCH=$${SOURCE_DATE_EPOCH:-315532800} $(PIP_WHEEL) --wheel-dir dist/pure .
	PYTHONPATH=tests $(BIN)/python -m tools.native.wheel dist/pure/bnsl_cli-*.whl -o dist

clean:  ## Remove what the examples and builds wrote.
	rm -rf examples/out build dist *.egg-info stages/kernels/_native_*.so

clean-cache:  ## Remove compiled kernels of all versions; the next run compiles anew.
	rm -rf "$${XDG_CACHE_HOME:-$$HOME/.cache}/bnsl" $(VENV)/cache-boundscheck
