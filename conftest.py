"""Lets tests import the helper modules in `helpers`, spares them what takes time, and chooses the cases that run.

It serves the tests of all houses. The folder `tests` itself must stay off the path: `tests/baselines` would hide
`baselines`.
"""

import gc
import os
import sys
from pathlib import Path

import pytest

# Before numpy and torch are imported. There is a worker on each core; more threads would wait for one another.
os.environ["OMP_NUM_THREADS"] = "1"
sys.path.insert(0, str(Path(__file__).parent / "tests" / "helpers"))

from thinning import mark_the_rest_as_wide  # lies in that folder

# The order in which tests run, by the start of their paths. Of two workers, each begins with one half of the tests: the
# first compiles the solvers, while the second runs what needs few kernels, and later loads what the first has compiled.
ORDER = (
    *("tests/baselines/rank_games", "tests/baselines/finite_horizon", "tests/baselines", "", "tests/envs"),
    *("tests/games", "tests/core", "tests/train/algorithms", "tests/train/measures", "tests/cardwar_play"),
    "tests/train/reports/test_playoffs",
)


@pytest.fixture(scope="session", autouse=True)
def files_need_not_outlast_a_loss_of_power():
    """Nothing in a test does, and to wait for the disk would take a tenth of the time of all of them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("os.fsync", os.fstat)
        yield


@pytest.fixture(scope="session", autouse=True)
def compilation_is_not_announced():
    """Whether a test is the first that compiles depends on the machine."""
    from cardwar_envs.core import compiled

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compiled, "_announced", {compiled.COMPILING, compiled.NOT_KEPT})
        yield


def pytest_runtest_setup():
    """Looks again for kernels that another worker has compiled in the meantime."""
    if compiled := sys.modules.get("cardwar_envs.core.compiled"):
        compiled._is_cached.cache_clear()


def pytest_collection_finish():
    """All that was imported stays: the garbage collector need not look at it again and again."""
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)


def pytest_addoption(parser):
    parser.addoption("--wide", action="store_true", help="run each test on all of its cases, not on a chosen few")


@pytest.hookimpl(tryfirst=True)  # before `-m` is looked at, which may ask for what is marked here
def pytest_collection_modifyitems(config, items):
    mark_the_rest_as_wide(items)
    if not config.getoption("--wide"):
        left_out = [item for item in items if item.get_closest_marker("wide")]
        items[:] = [item for item in items if not item.get_closest_marker("wide")]
        config.hook.pytest_deselected(items=left_out)
    items.sort(key=place_in_order)


def place_in_order(item):
    path = item.path.relative_to(Path(__file__).parent).as_posix()
    return ORDER.index(max((start for start in ORDER if path.startswith(start)), key=len))
