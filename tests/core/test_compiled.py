"""Whoever waits while kernels are compiled is told so: once, and only when it happens."""

import io
import logging
import re
import sys
from pathlib import Path

import numba
import pytest

from cardwar_envs.core import compiled

ROOT = Path(__file__).parents[2]


class Terminal(io.StringIO):
    def isatty(self):
        return True


def compile_for(module, offset):
    def body(number):
        return number + offset

    body.__module__ = module
    numba.njit(body)(1)


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="nothing is compiled")
def test_compiling_is_told_once_on_a_terminal_and_only_when_it_happens(monkeypatch):
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    compiled._tell.cache_clear()
    compile_for("somebody.elses", 1)
    assert terminal.getvalue() == ""
    compile_for("baselines.kernel", 2)
    compile_for("cardwar_envs.kernel", 3)
    assert terminal.getvalue() == f"{compiled.COMPILING}\n"


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="nothing is compiled")
def test_compiling_is_logged_elsewhere_and_workers_do_not_tell(monkeypatch, caplog, capsys):
    caplog.set_level(logging.INFO)
    monkeypatch.setattr(compiled, "parent_process", lambda: "a parent")
    compiled._tell.cache_clear()
    compile_for("baselines.kernel", 4)
    assert caplog.messages == []
    monkeypatch.undo()
    compiled._tell.cache_clear()
    compile_for("baselines.kernel", 5)
    assert caplog.messages == [compiled.COMPILING]
    assert capsys.readouterr() == ("", "")


def test_all_kernels_get_the_compiler_from_one_place():
    files = [path for package in ("cardwar_envs", "baselines", "train") for path in (ROOT / package).rglob("*.py")]
    own = re.compile(r"^from numba import .*njit|^import numba$", re.MULTILINE)
    assert [path.name for path in files if own.search(path.read_text())] == ["compiled.py"]
