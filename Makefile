# Every target makes the virtual environment first, if it is missing or out of date: `demo` with what users need, the
# others with the developers' tools too.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
DEMO := $(VENV)/.demo
COMMA := ,
READY := $(VENV)/.ready

# Tests start many processes, which read compiled files much faster than they compile.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test docs wide slow soak coverage mutants broken history landscape lint bench release

demo: $(DEMO)
	$(BIN)/python -m train.demo

# Tests that are made for many cases run on a chosen few of them (tests/helpers/thinning.py).
test: $(READY)
	@echo "Running the tests: three to four minutes on two cores, one more the first time."
	$(BIN)/python -m pytest -n auto --dist worksteal

# The documentation site, in docs/_build/html. Every warning is an error, a broken link as well. All pages are written
# (-a), because each has the sidebar.
docs: $(READY)
	$(BIN)/python -m pip install --quiet --no-compile -c constraints.txt -e '.[docs]'
	$(BIN)/python -m sphinx -b html -a -W --keep-going -d docs/_build/doctrees docs docs/_build/html
	@echo "The first page is docs/_build/html/index.html."

# The same tests on all of their cases.
wide: $(READY)
	$(BIN)/python -m pytest -n auto --dist worksteal --wide

slow: $(READY)
	$(BIN)/python -m pytest -m slow

soak: $(READY)
	$(BIN)/python -m pytest -m soak

# Coverage does not see what numba compiles: kernels count by a second run, in which they are plain Python.
COVERED := tests/core tests/games tests/envs tests/baselines tests/conformance
coverage: $(READY)
	$(BIN)/python -m coverage run -m pytest $(COVERED)
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m coverage run --append -m pytest -m plain_kernels $(COVERED)
	$(BIN)/python -m coverage report --fail-under=95

# Mutation testing by cosmic-ray: two mutants of each module, drawn with a fixed seed, in a clone of the last commit.
# Sessions lie in build/mutants; a run that was stopped goes on when its folder is kept (cosmic-ray exec).
MUTATED := rules environments solvers storage kernels
mutants: $(READY)
	$(BIN)/python -m pip install --quiet --no-compile -c constraints.txt -e '.[mutants]'
	rm -rf build/mutants && git clone --quiet . build/mutants
	set -e; cd build/mutants; PATH=$(CURDIR)/$(BIN):$$PATH; for part in $(MUTATED); do \
	  cosmic-ray init tests/mutation/$$part.toml $$part.sqlite; python tests/mutation/draw.py $$part.sqlite; \
	  cosmic-ray exec tests/mutation/$$part.toml $$part.sqlite; cr-report $$part.sqlite | tail -3; done

# What the conformance kit catches of a frozen set of broken environments (docs/conformance-measured.md).
# A run that was ended goes on when it is started again.
KIT := now
PROCESSES := 2
broken: $(READY)
	$(BIN)/python -m tests.broken.measure --kit $(KIT) --processes $(PROCESSES)

# The same of defects that public environments had, in the last release with each and the first without it.
# Installs those releases under build/history. A run that was ended goes on when it is started again.
history: $(READY)
	$(BIN)/python -m tests.history.measure

# The same for current releases.
landscape: $(READY)
	$(BIN)/python -m tests.history.landscape

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/codespell
	$(BIN)/zizmor --offline --quiet .github action.yml
	$(BIN)/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml
	$(BIN)/check-jsonschema --builtin-schema vendor.github-actions action.yml

# The wheel and the source archive in dist/, made and looked at. Nothing is published.
release: $(READY)
	rm -rf dist
	$(BIN)/python -m build
	$(BIN)/twine check --strict dist/*
	$(BIN)/check-wheel-contents dist/*.whl

bench: $(READY)
	$(BIN)/python -m pip install --quiet --no-compile -c constraints.txt -e '.[bench]'
	$(BIN)/cardwar bench

define VENV_FOR
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed; say make PYTHON=...")'
	@echo "Installing $(1) in $(VENV): a minute or two, longer if the network is slow."
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --no-compile -c constraints.txt -e '.[$(2)]'
endef

$(DEMO): pyproject.toml constraints.txt
	$(call VENV_FOR,the suite with its learners,play$(COMMA)train)
	@touch $@

$(READY): pyproject.toml constraints.txt
	$(call VENV_FOR,the suite and what tests and checks need,ray$(COMMA)train$(COMMA)test$(COMMA)lint$(COMMA)release)
	@touch $(DEMO) $@
