# make demo   set everything up and run the main job on the bundled walls
# make test   set everything up and run all tests, on all cores
# make quick  run the tests that are not marked slow, in two to three minutes
# make check  ruff and mypy
# make test-sim  the CUDA kernels' tests in numba's simulator
# make test-flair  the encoders beside flair's, in an environment of its own (.venv-flair)
# make bench  the benchmarks (minutes)
# make soak   trials of faults: damaged files, kills, two at once (10 minutes; SEED= MINUTES= TRIALS= choose)
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
VENV_FLAIR ?= .venv-flair
# A file's tests share what is made once for them; tests/conftest.py says which files come first.
ON_ALL_CORES := --numprocesses auto --dist loadfile --no-loadscope-reorder

.DEFAULT_GOAL := demo
.PHONY: demo test quick test-sim test-flair check bench soak clean

$(BIN)/python $(VENV_FLAIR)/bin/python:
	@$(PYTHON) -c 'import sys; v = sys.version_info[:2]; (3, 11) <= v < (3, 14) or sys.exit("fourfold needs Python 3.11 to 3.13, and $(PYTHON) is %d.%d: name another with make PYTHON=python3.12" % v)'
	@$(PYTHON) -m venv $(@:/bin/python=) || { rm -rf $(@:/bin/python=); $(PYTHON) -m pip install virtualenv && $(PYTHON) -m virtualenv $(@:/bin/python=); }

$(VENV)/.demo: $(BIN)/python pyproject.toml setup.py constraints.txt
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[demo]'
	@touch $@

$(VENV)/.dev: $(BIN)/python pyproject.toml setup.py constraints.txt
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[dev]'
	@touch $@ $(VENV)/.demo

$(VENV_FLAIR)/.flair: $(VENV_FLAIR)/bin/python pyproject.toml setup.py constraints.txt
	$(VENV_FLAIR)/bin/python -m pip install --quiet --constraint constraints.txt --editable '.[flair]' 'pytest>=8.3' 'hypothesis>=6.100'
	@touch $@

demo: $(VENV)/.demo
	$(BIN)/fourfold run

test: $(VENV)/.dev
	$(BIN)/pytest $(ON_ALL_CORES)

quick: $(VENV)/.dev
	$(BIN)/pytest $(ON_ALL_CORES) -m 'not slow'

test-sim: $(VENV)/.dev
	NUMBA_ENABLE_CUDASIM=1 $(BIN)/pytest tests/kernels -k simulator

# flair's own code and its dependencies warn of much that is no matter of ours.
test-flair: $(VENV_FLAIR)/.flair
	$(VENV_FLAIR)/bin/pytest -W ignore tests/flair tests/embeddings/test_flair_0_9.py

check: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(VENV)/.dev
	$(BIN)/pytest benchmarks --benchmark-only

soak: $(VENV)/.dev
	$(BIN)/python tests/soak/soak.py $(if $(SEED),--seed $(SEED)) $(if $(MINUTES),--minutes $(MINUTES)) $(TRIALS)

clean:
	rm -rf $(VENV) $(VENV_FLAIR) build dist src/*.egg-info
