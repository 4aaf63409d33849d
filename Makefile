# Every target sets up what it needs in .venv; nothing outside this folder is changed.
# PYTHON=python3.12 make test   uses another interpreter.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
OLDEST := .venv-oldest
TESTS ?=
DEMO := demo
REPRODUCTION := reproduction
EXPERIMENTS := sensitivity estimators asymmetry mixed larger honesty selection families greedy ablations consistency significance ebic

KERNELS := *_kernels.py,*_sums.py,*/_arrange.py,*/_distances.py,*/_elimination.py,*/_expected.py,*/_few.py,*/_lanes.py,*/_lists.py,*/_pairs.py,*/_spread.py,*/_tables.py

PENGUINS := src/mrflearn/datasets/data/penguins.csv --missing drop

.PHONY: help demo test test-oldest coverage lint docs package bench bench-gpu reproduce experiments figures clean

help:
	@echo "make demo         learn the graph of the bundled penguins table: $(DEMO)/"
	@echo "make test         run the tests; make test TESTS=tests/search runs some"
	@echo "make test-oldest  run them with the oldest versions of what we depend on"
	@echo "make coverage     run the tests and count the lines they reach"
	@echo "make lint         check style and types"
	@echo "make docs         build the documentation: docs/_build/index.html"
	@echo "make package      build dist/, install the wheel and the sdist alone, and try them"
	@echo "make bench        measure speed"
	@echo "make bench-gpu    measure what the CUDA card of this machine is worth"
	@echo "make reproduce    repeat the paper's experiment: $(REPRODUCTION)/"
	@echo "make experiments  run the experiments of the documentation (hours)"
	@echo "make figures      draw the figures of the documentation"
	@echo "make clean        remove everything that make made"

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "mrflearn needs Python 3.11 or newer; set PYTHON=... ($$($(PYTHON) --version))"; exit 1; }
	@$(PYTHON) -m venv $(VENV) || \
		{ rm -rf $(VENV); echo "cannot make $(VENV): install the venv module of $(PYTHON)"; exit 1; }

# One stamp for each set of extras; a change of pyproject.toml installs anew.
$(VENV)/ready-%: pyproject.toml | $(VENV)/bin/python
	$(PIP) install --quiet --editable '.$(if $(filter-out base,$*),[$*])'
	@touch $@

demo: $(VENV)/ready-base
	@mkdir -p $(DEMO)
	$(BIN)/mrflearn learn $(PENGUINS) --figure $(DEMO)/penguins.png --report $(DEMO)/penguins.html \
		--output $(DEMO)/penguins.graphml --result $(DEMO)/penguins.json
	@echo "The report to open in a browser: $(CURDIR)/$(DEMO)/penguins.html"

test: $(VENV)/ready-test
	$(BIN)/python -m pytest -n 2 --dist worksteal $(TESTS)

# The same tests with the oldest versions that pyproject.toml allows, in an environment of their own.
test-oldest:
	$(PYTHON) -m venv $(OLDEST)
	$(PYTHON) packaging/oldest.py > $(OLDEST)/constraints.txt
	$(OLDEST)/bin/python -m pip --disable-pip-version-check install --quiet \
		--constraint $(OLDEST)/constraints.txt --editable '.[test]'
	$(OLDEST)/bin/python -m pytest -n 2 --dist worksteal $(TESTS)

# Compiled code cannot be watched: kernels are run once more as plain Python, in the tests of them.
# An empty cache lets the tests see how vector operations are generated, too.
coverage: $(VENV)/ready-coverage
	$(BIN)/python -m coverage erase
	rm -rf $(VENV)/compiled
	NUMBA_CACHE_DIR=$(CURDIR)/$(VENV)/compiled $(BIN)/python -m pytest -n 2 --dist worksteal --cov --cov-report=
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest -n 2 --cov --cov-append --cov-report= -m kernel
	@echo "Kernels:"
	$(BIN)/python -m coverage report --include='$(KERNELS)' --fail-under=90
	@echo "All else:"
	$(BIN)/python -m coverage report --omit='$(KERNELS)' --fail-under=90

lint: $(VENV)/ready-lint
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

docs: $(VENV)/ready-docs
	$(BIN)/python -m sphinx --fail-on-warning --keep-going -q -b html docs docs/_build
	@echo "The documentation to open in a browser: $(CURDIR)/docs/_build/index.html"

# The wheel and the sdist, each in an environment of its own that has nothing else.
package: $(VENV)/ready-package
	rm -rf dist
	$(BIN)/python -m build --outdir dist
	for built in dist/*.whl dist/*.tar.gz; do \
		rm -rf dist/alone && $(PYTHON) -m venv dist/alone && \
		dist/alone/bin/python -m pip --disable-pip-version-check install --quiet $$built && \
		(cd dist && alone/bin/python ../packaging/smoke.py) || exit 1; \
	done
	rm -rf dist/alone

# Others' estimators, beside what is installed already: it keeps its versions.
$(VENV)/ready-peers: pyproject.toml benchmarks/install_peers.py | $(VENV)/ready-base
	$(BIN)/python benchmarks/install_peers.py
	@touch $@

bench: $(VENV)/ready-dask $(VENV)/ready-peers
	$(BIN)/python benchmarks/imports.py
	$(BIN)/python benchmarks/evaluations.py
	$(BIN)/python benchmarks/crossovers.py
	$(BIN)/python benchmarks/whole_job.py
	$(BIN)/python benchmarks/sieve.py
	$(BIN)/python benchmarks/discrete.py
	$(BIN)/python benchmarks/cmi.py
	$(BIN)/python benchmarks/fits.py
	$(BIN)/python benchmarks/threads.py
	$(BIN)/python benchmarks/executors.py
	$(BIN)/python benchmarks/wide.py
	$(BIN)/python benchmarks/scaling_model.py
	$(BIN)/python benchmarks/soak.py
	$(BIN)/python benchmarks/glasso.py
	$(BIN)/python benchmarks/report.py

bench-gpu: $(VENV)/ready-gpu
	$(BIN)/python benchmarks/gpu.py

reproduce: $(VENV)/ready-arrow
	$(BIN)/mrflearn reproduce --output $(REPRODUCTION)

experiments: reproduce
	cp $(REPRODUCTION)/roc.png docs/experiments/images/paper.png
	for name in $(EXPERIMENTS); do $(BIN)/python experiments/$$name.py || exit 1; done

figures: $(VENV)/ready-test
	@mkdir -p $(DEMO)
	$(BIN)/mrflearn learn $(PENGUINS) --quiet --figure docs/images/penguins.png \
		--result $(DEMO)/penguins.json > /dev/null
	$(BIN)/python docs/draw_report.py $(DEMO)/penguins.json docs/images/report.png
	$(BIN)/python docs/draw_how_gs_mple_works.py
	$(BIN)/python docs/draw_cases.py

clean:
	rm -rf .coverage $(VENV) $(OLDEST) $(DEMO) $(REPRODUCTION) build dist docs/_build docs/generated .hypothesis .pytest_cache .ruff_cache .mypy_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
	rm -rf src/*.egg-info benchmarks/results experiments/results
