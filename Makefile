# make demo   set everything up and run the main job on the bundled walls
# make test   set everything up and run the tests
# make check  ruff and mypy
# make test-sim  the CUDA kernels' tests in numba's simulator
# make bench  the benchmarks (minutes)
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin

.DEFAULT_GOAL := demo
.PHONY: demo test test-sim check bench clean

$(BIN)/python:
	@$(PYTHON) -c 'import sys; v = sys.version_info[:2]; (3, 11) <= v < (3, 14) or sys.exit("fourfold needs Python 3.11 to 3.13, and $(PYTHON) is %d.%d: name another with make PYTHON=python3.12" % v)'
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); $(PYTHON) -m pip install virtualenv && $(PYTHON) -m virtualenv $(VENV); }

$(VENV)/.demo: $(BIN)/python pyproject.toml setup.py constraints.txt
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[demo]'
	@touch $@

$(VENV)/.dev: $(BIN)/python pyproject.toml setup.py constraints.txt
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[dev]'
	@touch $@ $(VENV)/.demo

demo: $(VENV)/.demo
	$(BIN)/fourfold run

test: $(VENV)/.dev
	$(BIN)/pytest

test-sim: $(VENV)/.dev
	NUMBA_ENABLE_CUDASIM=1 $(BIN)/pytest tests/kernels -k simulator

check: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(VENV)/.dev
	$(BIN)/pytest benchmarks --benchmark-only

clean:
	rm -rf $(VENV) build dist src/*.egg-info
