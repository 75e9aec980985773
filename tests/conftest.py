"""Lets tests import the helper modules in `helpers`, keeps libraries to one thread, and chooses the cases that run.

The folder `tests` itself must stay off the path: `tests/baselines` would hide `baselines`.
"""

import os
import sys
from pathlib import Path

import pytest

# Before numpy and torch are imported. There is a worker on each core; more threads would wait for one another.
os.environ["OMP_NUM_THREADS"] = "1"
sys.path.insert(0, str(Path(__file__).parent / "helpers"))

from thinning import mark_the_rest_as_wide  # lies in the folder above


def pytest_addoption(parser):
    parser.addoption("--wide", action="store_true", help="run each test on all of its cases, not on a chosen few")


@pytest.hookimpl(tryfirst=True)  # before `-m` is looked at, which may ask for what is marked here
def pytest_collection_modifyitems(config, items):
    mark_the_rest_as_wide(items)
    if not config.getoption("--wide"):
        left_out = [item for item in items if item.get_closest_marker("wide")]
        items[:] = [item for item in items if not item.get_closest_marker("wide")]
        config.hook.pytest_deselected(items=left_out)
