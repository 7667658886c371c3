# Everything runs in .venv, which the first target that needs it makes from envs/requirements.lock.
PYTHON ?= python3
CORES ?= all

BIN := .venv/bin
INSTALLED := .venv/.installed
TORCH := $(shell sed -n 's/^torch==//p' envs/requirements.lock)

export PATH := $(CURDIR)/$(BIN):$(PATH)
export MLFLOW_DISABLE_TELEMETRY := true
# A folder of wheels that pip is told of (a CPU build of torch, say) is for uv as well.
ifneq ($(PIP_FIND_LINKS),)
export UV_FIND_LINKS ?= $(PIP_FIND_LINKS)
endif

.PHONY: help demo test lint format ui lock clean

help: ## say what can be made
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 10

demo: $(INSTALLED) ## learn small Hex boards, transfer to a larger one, write the report (minutes)
	snakemake --cores $(CORES)
	@echo "report: results/demo/report/index.html   runs: make ui"

test: $(INSTALLED) ## run the tests
	pytest

lint: $(INSTALLED) ## check style, types and the workflow
	ruff check .
	ruff format --check .
	mypy
	snakefmt --check Snakefile workflow
	snakemake --lint

format: $(INSTALLED) ## put code into the house style
	ruff check --fix .
	ruff format .
	snakefmt Snakefile workflow

ui: $(INSTALLED) ## open the pages on the recorded runs
	crossplay ui

lock: $(INSTALLED) ## resolve envs/requirements.lock anew, torch kept at its version
	echo "torch==$(TORCH)" > .venv/constraints.txt
	uv pip compile --quiet --no-header --no-annotate pyproject.toml --extra cluster --extra dev \
		--constraint .venv/constraints.txt --output-file .venv/resolved.txt
	(sed -n '/^#/p' envs/requirements.lock; sed 's/+cpu$$//' .venv/resolved.txt) > .venv/requirements.lock
	mv .venv/requirements.lock envs/requirements.lock

clean: ## remove the environment, caches and logs; results/ is kept
	rm -rf .venv .snakemake logs build src/*.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(INSTALLED): envs/requirements.lock pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(None if sys.version_info >= (3, 11) else "Python 3.11 or newer is needed")'
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
# uv installs several times faster; where it cannot be had, pip does the same.
	if $(BIN)/python -m pip install --quiet uv; then \
		$(BIN)/uv pip install --quiet --python $(BIN)/python -r envs/requirements.lock && \
		$(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps --editable .; \
	else \
		$(BIN)/python -m pip install --quiet -r envs/requirements.lock && \
		$(BIN)/python -m pip install --quiet --no-deps --editable .; \
	fi
	touch $@
