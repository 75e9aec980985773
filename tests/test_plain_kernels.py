"""Kernels run as plain Python too: so they can be stepped through, and coverage sees their lines."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
COMMAND = [sys.executable, "-m", "pytest", "-q", "-m", "plain_kernels", "-p", "no:cacheprovider"]


@pytest.mark.slow
def test_kernels_run_as_plain_python():
    """Runs the tests marked `plain_kernels` once more, in a process in which numba compiles nothing."""
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    marked = [path for path in sorted(ROOT.glob("tests/*/**/test_*.py")) if "mark.plain_kernels" in path.read_text()]
    done = subprocess.run([*COMMAND, *marked], cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert " passed" in done.stdout
