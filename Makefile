# The commands of this repository; `make` lists them.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

PYTHON ?= python3
BIN := .venv/bin
UV := .tools/bin/uv
STATIC := src/deputize/surfaces/http/static
WEB_SOURCES := $(shell find web/src web/scripts -type f 2>/dev/null) $(wildcard web/*.ts web/*.json web/*.html)

.PHONY: help setup web demo check lint test test-long coverage bench docs lock clean

help: ## list these targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/\1\t\2/' | expand -t 12

.tools/.made:
	@$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or later is needed") if sys.version_info < (3, 11) else None'
	$(PYTHON) -m venv .tools
	.tools/bin/python -m pip install --quiet --disable-pip-version-check uv
	@touch $@

.venv/.locked: requirements-dev.lock .tools/.made
	test -x $(BIN)/python || $(UV) venv --quiet --allow-existing --python "$$($(PYTHON) -c 'import sys; print(sys.executable)')" .venv
	$(UV) pip sync --quiet --compile-bytecode --require-hashes --python $(BIN)/python requirements-dev.lock
	@touch $@

.venv/.installed: pyproject.toml .venv/.locked
	$(UV) pip install --quiet --no-deps --no-build-isolation --python $(BIN)/python -e .
	@touch $@

web/node_modules/.made: web/package-lock.json web/package.json
	cd web && npm ci --no-audit --no-fund --loglevel=error
	@touch $@

$(STATIC)/deputize.js: web/node_modules/.made $(WEB_SOURCES)
	cd web && npm run --silent build
	@test -f $@ && touch $@

setup: .venv/.installed ## make the Python environment from the lock

web: $(STATIC)/deputize.js ## build the element into the package

demo: setup web ## run the clinic with the embedded planner; no key, no network
	@$(BIN)/python -m compileall -q src
	@exec $(BIN)/deputize demo clinic

check: setup web/node_modules/.made ## the quick look (90 s): lint, types, SQLite, no browser
	@$(BIN)/python scripts/suites.py check

lint: setup ## style, types and the import contract
	@$(BIN)/python scripts/suites.py lint

test: setup web ## what CI runs: everything but the long suite
	@$(BIN)/python scripts/suites.py test

test-long: setup web ## the long suite alone: random kills, zombies, wide searches
	@$(BIN)/python scripts/suites.py long

coverage: setup ## branch coverage of core, policy and redaction by their own tests; must be complete
	@$(BIN)/python scripts/suites.py coverage

bench: setup web ## side-by-side benchmarks against peers; results below bench/results
	@for script in bench/*/run.py; do $(BIN)/python "$$script"; done

docs: setup ## write what is generated: map, reference, picture of states, events of the element
	@for script in scripts/generate_*.py; do PYTHONPATH=. $(BIN)/python "$$script"; done

lock: .tools/.made ## resolve the dependencies anew into the locks (hashes, no addresses)
	$(UV) pip compile pyproject.toml --all-extras --group dev --universal --generate-hashes --no-header --no-annotate \
		--upgrade --python-version 3.11 --quiet -o requirements-dev.lock
	$(UV) pip compile pyproject.toml --all-extras --group image --constraint requirements-dev.lock --universal \
		--generate-hashes --no-header --no-annotate --python-version 3.11 --quiet -o deploy/requirements.lock

clean: ## remove everything that was made
	rm -rf .venv .tools web/node_modules $(STATIC) dist build .pytest_cache .mypy_cache .ruff_cache .import_linter_cache \
		.hypothesis .coverage htmlcov
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
