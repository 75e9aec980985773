"""Tests that run briefly every time, and for long when they are marked `soak`."""

import pytest


def briefly_or_long(argument, brief, long):
    """Runs a test with a small number, and as a soak test with a large one."""
    long = long if isinstance(long, tuple) else (long,)
    return pytest.mark.parametrize(argument, [brief, pytest.param(*long, marks=pytest.mark.soak)])
