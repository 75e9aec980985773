"""Whoever waits while kernels are compiled is told so: once, and only when it happens."""

import re
import subprocess
import sys
from pathlib import Path

import numba
import pytest

from cardwar_envs.core import compiled

ROOT = Path(__file__).parents[2]


def compile_for(module, offset):
    def body(number):
        return number + offset

    body.__module__, body.__name__ = module, f"body_{offset}"
    numba.njit(body)(1)


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="nothing is compiled")
def test_compiling_is_announced_once_and_only_when_it_happens(monkeypatch, capsys):
    monkeypatch.setattr(compiled, "_announced", set())
    compile_for("somebody.elses", 1)
    assert capsys.readouterr() == ("", "")
    with monkeypatch.context() as worker:
        worker.setattr(compiled, "parent_process", lambda: "a parent")
        compile_for("baselines.kernel", 2)
    assert capsys.readouterr() == ("", "")
    compile_for("baselines.kernel", 3)
    compile_for("cardwar_envs.kernel", 4)
    assert capsys.readouterr() == ("", f"{compiled.NOT_KEPT}\n")


UNWRITABLE = """
from numba.core import caching
def refuse(locator): raise OSError("read-only")
caching._CacheLocator.ensure_cache_path = refuse
"""
CHOOSE = """
import numpy as np
from cardwar_envs.core.compiled import always_compiled
from cardwar_envs.envs.engines.engine import chosen_actions
with always_compiled():
    print(chosen_actions(np.array([[0.0, 1.0]]), np.array([0.5])))
"""


def test_compiled_once_where_a_folder_is_writable_and_each_time_elsewhere(tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    runs = [UNWRITABLE + CHOOSE, CHOOSE, CHOOSE]
    done = [subprocess.run([sys.executable, "-c", code], capture_output=True, text=True) for code in runs]
    assert [run.stdout for run in done] == ["[1]\n"] * 3
    assert [run.stderr for run in done] == [f"{compiled.NOT_KEPT}\n", f"{compiled.COMPILING}\n", ""]


def test_all_kernels_get_the_compiler_from_one_place():
    files = [path for package in ("cardwar_envs", "baselines", "train") for path in (ROOT / package).rglob("*.py")]
    own = re.compile(r"^from numba import .*njit|^import numba$", re.MULTILINE)
    assert [path.name for path in files if own.search(path.read_text())] == ["compiled.py"]
