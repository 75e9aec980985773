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

.PHONY: demo test check docs wide slow soak coverage mutants broken history landscape lint bench release

demo: $(DEMO)
	$(BIN)/python -m cardwar_cli.demo

# Tests that are generated for many cases run on a few of them (tests/helpers/thinning.py).
test: $(READY)
	@echo "Running the tests: four to seven minutes on two cores, one more the first time."
	$(BIN)/python -m pytest -n auto --dist worksteal
	cd kit && ../$(BIN)/python -m pytest -n auto --dist worksteal

# Runs the kit, as a user would, on the environments of all games, and briefly on wrapped ones and on one whose players
# leave early: three minutes on two cores.
CHECKED := $(patsubst %.py,cardwar_envs.%,$(notdir $(wildcard cardwar_envs/*_v0.py)))
WRAPPED := $(addprefix tests.envs.wrapped:,order_enforced flattened as_parallel as_aec leaving leaving_parallel)
check: $(READY)
	printf '%s\n' $(CHECKED) | xargs -t -n 1 -P 2 $(BIN)/cardwar check
	printf '%s\n' $(WRAPPED) | xargs -t -n 1 -P 2 $(BIN)/zoocheck --seconds 10

# The documentation site, in docs/_build/html. Every warning is an error, including broken links. All pages are written
# (-a), because each page contains the sidebar.
docs: $(READY)
	$(BIN)/python -m pip install --quiet --no-compile -c constraints.txt -e '.[docs]'
	$(BIN)/python -m sphinx -b html -a -W --keep-going -d docs/_build/doctrees docs docs/_build/html
	@echo "The first page is docs/_build/html/index.html."

# The same tests on all of their cases.
wide: $(READY)
	$(BIN)/python -m pytest -n auto --dist worksteal --wide
	cd kit && ../$(BIN)/python -m pytest -n auto --dist worksteal --wide

slow: $(READY)
	$(BIN)/python -m pytest -m slow
	cd kit && ../$(BIN)/python -m pytest -m slow

soak: $(READY)
	$(BIN)/python -m pytest -m soak

# Coverage does not see code that numba compiles, so a second run measures the kernels as plain Python.
COVERED := tests/core tests/games tests/envs tests/baselines
coverage: $(READY)
	$(BIN)/python -m coverage run -m pytest $(COVERED)
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m coverage run --append -m pytest -m plain_kernels $(COVERED)
	$(BIN)/python -m coverage report --fail-under=95

# Mutation testing by cosmic-ray: two mutants of each module, drawn with a fixed seed, in a clone of the last commit.
# Sessions are stored in build/mutants; a stopped run can be continued there (cosmic-ray exec).
MUTATED := rules environments solvers storage kernels
mutants: $(READY)
	$(BIN)/python -m pip install --quiet --no-compile -c constraints.txt -e '.[mutants]'
	rm -rf build/mutants && git clone --quiet . build/mutants
	set -e; cd build/mutants; PATH=$(CURDIR)/$(BIN):$$PATH; for part in $(MUTATED); do \
	  cosmic-ray init tests/mutation/$$part.toml $$part.sqlite; python tests/mutation/draw.py $$part.sqlite; \
	  cosmic-ray exec tests/mutation/$$part.toml $$part.sqlite; cr-report $$part.sqlite | tail -3; done

# Runs the kit on a frozen set of broken environments (kit/docs/measured.md).
# The same command continues a run that was stopped.
PROCESSES := 2
broken: $(READY)
	cd kit && ../$(BIN)/python -m broken.measure --processes $(PROCESSES)

# Runs the kit on known defects of public environments, in the last release with each defect and the first without it.
# Installs these releases under kit/build/history. The same command continues a run that was stopped.
history: $(READY)
	cd kit && ../$(BIN)/python -m history.measure

# Runs the kit on current releases of public environments.
landscape: $(READY)
	cd kit && ../$(BIN)/python -m history.landscape

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/codespell
	$(BIN)/zizmor --offline --quiet .github kit/action.yml
	$(BIN)/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml
	$(BIN)/check-jsonschema --builtin-schema vendor.github-actions kit/action.yml

# Builds and checks the wheel and the source archive in dist/, and the kit's in kit/dist/. Publishes nothing.
release: $(READY)
	rm -rf dist kit/dist
	$(BIN)/python -m build
	$(BIN)/python -m build kit
	$(BIN)/twine check --strict dist/* kit/dist/*
	$(BIN)/check-wheel-contents dist/*.whl
	cd kit && ../$(BIN)/check-wheel-contents dist/*.whl

bench: $(READY)
	$(BIN)/python -m pip install --quiet --no-compile -c constraints.txt -e '.[bench]'
	$(BIN)/cardwar bench

define VENV_FOR
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed; say make PYTHON=...")'
	@echo "Installing $(1) in $(VENV): about a minute, longer if the network is slow."
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --no-compile -c constraints.txt -e '.[$(2)]' $(3)
endef

$(DEMO): pyproject.toml constraints.txt
	$(call VENV_FOR,the suite with its learners,play$(COMMA)train)
	@touch $@

$(READY): pyproject.toml kit/pyproject.toml constraints.txt
	$(call VENV_FOR,the suite and what tests and checks need,ray$(COMMA)train$(COMMA)test$(COMMA)lint$(COMMA)release,-e ./kit)
	@touch $(DEMO) $@
