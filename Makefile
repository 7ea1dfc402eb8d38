# Every target makes what it needs: nothing but `make` and a python3 of 3.11 or later has to be there.
# SAM and ministack pin different botocores, so each has an environment of its own, made when first needed.
# Several Pythons live side by side in environments of their own: make test PYTHON=python3.13 VENV=.venv-3.13

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
# Locks are complete, so pip has nothing to resolve: --no-deps, and every file is checked by its hash.
INSTALL := -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r
SOURCES := layers/engine/cardroom desk functions tests tools bench examples
# The run-time environment is part of the development one: where the latter stands, it serves.
RUNTIME := $(if $(wildcard $(VENV)/.dev),$(VENV)/.dev,$(VENV)/.desk)
# An environment that another version of Python made is made anew where PYTHON= asks for one, and else kept.
VERSION := -c 'import sys; print(sys.version_info[:2])'
ifneq ($(origin PYTHON),file)
ANEW := $(shell test ! -f $(VENV)/pyvenv.cfg || test "$$($(BIN)/python $(VERSION))" = "$$($(PYTHON) $(VERSION))" || echo anew)
endif

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help setup demo run test lint pytest bench build sam-local ministack-audit lock clean anew

help:  ## what can be made here
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | expand -t 18

setup: $(VENV)/.dev  ## everything that development needs, in .venv

$(BIN)/python: $(ANEW)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "cardroom needs Python 3.11 or later; set PYTHON=")'
	$(PYTHON) -m venv $(if $(ANEW),--clear )$(VENV)

anew:
	@echo "$(VENV) was made with another Python than $(PYTHON): it is made anew"

$(VENV)/.desk: requirements/desk.txt pyproject.toml $(ANEW) | $(BIN)/python
	$(BIN)/python $(INSTALL) requirements/desk.txt
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation -e .
	@touch $@

$(VENV)/.dev: requirements/dev.txt pyproject.toml $(ANEW) | $(BIN)/python
	$(BIN)/python $(INSTALL) requirements/dev.txt
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation -e .
	@touch $@

demo: $(RUNTIME)  ## plays one round over HTTP, exports its records and verifies them
	@$(BIN)/cardroom demo

run: $(RUNTIME)  ## the local service, until stopped
	@$(BIN)/cardroom serve

test: lint pytest  ## lint, types, import contracts, doctests and tests

lint: setup  ## style, types and import contracts
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy --strict
	$(BIN)/lint-imports --no-logo

pytest: setup
	$(BIN)/pytest -n 2 --dist loadgroup

bench: setup .venv-bench/.bench build/bench/.peers  ## speed, beside other libraries in the same run
	@$(BIN)/python bench/run.py

# What is measured beside ours and is no dependency of development; without npm the one from there is left out.
.venv-bench/.bench: requirements/bench.txt
	$(PYTHON) -m venv .venv-bench
	.venv-bench/bin/python $(INSTALL) requirements/bench.txt
	@touch $@

build/bench/.peers: bench/peers/package.json bench/peers/package-lock.json
	@mkdir -p build/bench && cp $^ build/bench
	@if command -v npm >/dev/null; then npm ci --prefix build/bench --ignore-scripts --no-audit --no-fund --silent; \
		else echo "no npm: nothing of it stands beside"; fi
	@touch $@

.venv-sam/.sam: requirements/sam.txt
	$(PYTHON) -m venv .venv-sam
	.venv-sam/bin/python $(INSTALL) requirements/sam.txt
	@touch $@

build: .venv-sam/.sam  ## validates the template, builds functions and layer, compiles the layer
	@tools/build $(ARCHITECTURE)

sam-local: .venv-sam/.sam setup  ## plays a round on sam local; needs a Docker engine
	@$(BIN)/python tools/sam_local.py

ministack-audit: .venv-sam/.sam setup  ## deploys with SAM into ministack, audits there, locks what is published
	CARDROOM_BY_SAM=1 $(BIN)/pytest -m ministack tests/sam/test_audit_on_ministack.py

UV = .venv-lock/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header \
	--no-emit-index-url $(UPGRADE)

lock:  ## writes the lock files anew; UPGRADE=--upgrade takes newer versions
	@test -x .venv-lock/bin/uv || { $(PYTHON) -m venv .venv-lock && .venv-lock/bin/pip install --quiet uv; }
	$(UV) pyproject.toml --extra desk --extra aws --group build --group dev -o requirements/dev.txt
	$(UV) pyproject.toml --extra desk --group build -c requirements/dev.txt -o requirements/desk.txt
	$(UV) pyproject.toml -c requirements/dev.txt -o layers/engine/requirements.txt
	$(UV) requirements/ministack.in -o requirements/ministack.txt
	$(UV) requirements/sam.in -o requirements/sam.txt
	$(UV) requirements/bench.in -c requirements/dev.txt -o requirements/bench.txt

clean:  ## removes what was made, the data folder apart
	rm -rf .venv .venv-* .aws-sam .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache build *.egg-info
