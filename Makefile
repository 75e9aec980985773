# Every target makes the virtual environment first, if it is missing or out of date.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: demo test slow soak coverage lint bench

demo: $(READY)
	$(BIN)/python -m train.demo

test: $(READY)
	$(BIN)/python -m pytest

slow: $(READY)
	$(BIN)/python -m pytest -m slow

soak: $(READY)
	$(BIN)/python -m pytest -m soak

coverage: $(READY)
	$(BIN)/python -m coverage run -m pytest tests/core tests/games tests/envs tests/baselines tests/conformance
	$(BIN)/python -m coverage report --fail-under=95

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(READY)
	$(BIN)/python -m pip install --quiet -c constraints.txt -e '.[bench]'
	$(BIN)/cardwar bench

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed; say make PYTHON=...")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet -c constraints.txt -e '.[ray,train,test,lint]'
	touch $(READY)
