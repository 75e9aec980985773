"""Whoever waits while kernels are compiled is told so: once, and only when it happens."""

import importlib
import pickle
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
KERNEL = """
from cardwar_envs.core import compiled
compiled.OURS.add(__name__)
@compiled.njit()
def successor(number):
    return number + 1
"""


def test_compiled_once_where_a_folder_is_writable_and_each_time_elsewhere(tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    (tmp_path / "kernel.py").write_text(KERNEL)
    call = "import kernel; print(kernel.successor(0))"
    runs = [UNWRITABLE + call, call, call]
    done = [subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True) for code in runs]
    assert [run.stdout for run in done] == ["1\n"] * 3
    assert [run.stderr for run in done] == [f"{compiled.NOT_KEPT}\n", f"{compiled.COMPILING}\n", ""]


CALLED = """
from cardwar_envs.core.compiled import njit
STEP = {step}
@njit()
def called(number):
    return number + STEP
"""
INTRINSIC = """
from numba.extending import overload
def called(number):
    return number + {step}
overload(called)(lambda number: lambda number: number + {step})
"""
IMPORTED = """
from numba.extending import overload
from step import STEP
def called(number):
    return number + STEP
overload(called)(lambda number: lambda number: number + STEP)
"""
CALLS = """
from called import called
from cardwar_envs.core.compiled import njit
@njit()
def calls(number):
    return called(number)
"""


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="nothing is compiled")
@pytest.mark.parametrize("source", [CALLED, INTRINSIC, IMPORTED])
def test_a_change_of_what_a_kernel_calls_is_noticed(source, tmp_path, monkeypatch):
    """For example after an upgrade; numba looks at the file of the kernel alone."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)  # what is imported again within a second may be read from it
    (tmp_path / "calls.py").write_text(CALLS)
    found, stored = [], []
    for step in (1, 1, 2):
        (tmp_path / "called.py").write_text(source.format(step=step))
        (tmp_path / "step.py").write_text(f"STEP = {step}")
        for module in ("calls", "called", "step"):
            sys.modules.pop(module, None)
        kernel = importlib.import_module("calls").calls
        found.append(kernel(0))
        stored.append(sum(kernel.stats.cache_hits.values()))
    assert (found, stored) == ([1, 1, 2], [0, 1, 0])


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="nothing is compiled")
def test_kernels_are_not_cached_because_those_that_they_import_are(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "calls.py").write_text(CALLS)
    (tmp_path / "called.py").write_text(CALLED.format(step=1))
    for module in ("calls", "called"):
        monkeypatch.delitem(sys.modules, module, raising=False)
    importlib.import_module("called").called(0)
    assert [compiled._is_cached.__wrapped__(name) for name in ("called", "calls")] == [True, False]
    importlib.import_module("calls").calls(0)
    assert compiled._is_cached.__wrapped__("calls")


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="nothing is compiled")
def test_a_kernel_may_name_a_function_without_a_source(tmp_path):
    """As in a notebook."""
    source = CALLS.replace("from called import called", "def real(): pass").replace("called(number)", "number.real")
    file, space = tmp_path / "calls.py", {"__name__": "no_such_module"}
    file.write_text(source)
    exec(compile(source, file, "exec"), space)
    assert space["calls"](1) == 1


def test_all_kernels_get_the_compiler_from_one_place():
    files = [path for package in ("cardwar_envs", "baselines", "train") for path in (ROOT / package).rglob("*.py")]
    own = re.compile(r"^from numba import .*njit|^import numba$", re.MULTILINE)
    assert [path.name for path in files if own.search(path.read_text())] == ["compiled.py"]


def test_a_cache_of_another_version_whose_modules_have_moved_is_as_none(tmp_path):
    file = compiled._Cache(compiled.quickest)._cache_file
    file._index_path = str(tmp_path / "moved.nbi")
    for module in (b"cno_such_module\nName\n.", b"cnumba\nNoSuchName\n."):
        Path(file._index_path).write_bytes(pickle.dumps(file._version) + module)
        assert file._load_index() == {}
