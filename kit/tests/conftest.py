"""The option `--wide`: without it, tests that are generated for many environments run on some of them."""

import pytest


def pytest_addoption(parser):
    parser.addoption("--wide", action="store_true", help="run each test on all of its cases, not on a chosen few")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items):
    if not config.getoption("--wide"):
        left_out = [item for item in items if item.get_closest_marker("wide")]
        items[:] = [item for item in items if not item.get_closest_marker("wide")]
        config.hook.pytest_deselected(items=left_out)
