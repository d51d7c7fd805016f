# `make serve` starts the emulator, `make test` runs every test. Both set up .venv first, once.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Newer than pyproject.toml means: .venv is as pyproject.toml wants it.
STAMP := $(VENV)/.installed
TOOLS := $(VENV)/.tools
ARGS ?=

.DEFAULT_GOAL := help
.PHONY: help setup serve test check soak crash cluster bench

help: ## Show what make can do
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/make \1|\2/p' Makefile | awk -F'|' '{ printf "%-12s %s\n", $$1, $$2 }'

setup: $(STAMP) ## Make .venv with the emulator and everything its tests need

serve: $(STAMP) ## Start the emulator on 127.0.0.1:9324; flags: make serve ARGS="--port 9555"
	@exec $(BIN)/sqs-emulator serve $(ARGS)

test: $(STAMP) $(TOOLS) ## Run all tests, then other clients (SDKs, aws CLI) against the emulator
	$(BIN)/python -m pytest -n 2
	$(BIN)/python compat/run.py

soak: $(STAMP) ## Ten thousand random runs of the model-based test; takes long
	SQS_EMULATOR_SOAK=1 $(BIN)/python -m pytest tests/model -n 2 -o timeout=0

crash: $(STAMP) ## Kill a server with a data file 100 times under load, and check what it kept
	SQS_EMULATOR_CRASH_CYCLES=$${SQS_EMULATOR_CRASH_CYCLES:-100} $(BIN)/python -m pytest tests/crash -s -o timeout=0

cluster: $(STAMP) ## Three nodes on PostgreSQL: a million messages, nodes killed for five minutes, a primary lost
	SQS_EMULATOR_CLUSTER_MESSAGES=$${SQS_EMULATOR_CLUSTER_MESSAGES:-1000000} \
		SQS_EMULATOR_CLUSTER_S=$${SQS_EMULATOR_CLUSTER_S:-300} $(BIN)/python -m pytest tests/cluster -s -o timeout=0

bench: $(STAMP) ## Measure CPU, rate and latency beside other emulators; needs wrk
	$(BIN)/python -m bench $(ARGS)

check: $(STAMP) ## Check format, lint, types and the direction of imports
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

$(TOOLS): tests/support/tools.sh | $(STAMP)
	tests/support/tools.sh $(VENV)
	@touch $@

$(STAMP): pyproject.toml
	@command -v $(PYTHON) >/dev/null || { echo "$(PYTHON) was not found: install Python 3.11 or newer"; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "Python 3.11 or newer is needed, $(PYTHON) is $$($(PYTHON) --version 2>&1)." \
			"Name another one: make setup PYTHON=python3.13"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	@# The first pip that can install a dependency group.
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	$(BIN)/python -m pip install --quiet --editable . --group dev
	@touch $@
