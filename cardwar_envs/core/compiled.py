"""numba's `njit` for all kernels, and the choice between compiled kernels and the same functions in plain Python.

Compiling takes seconds to a minute, once per machine. Work that plain Python finishes sooner runs in plain Python. Both
run the same source, so their results are equal to the last bit. Compilation is announced once per process.
"""

from __future__ import annotations

import hashlib
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from inspect import getsource
from multiprocessing import parent_process
from types import CodeType, FunctionType, ModuleType, SimpleNamespace
from typing import Any, TypeVar

import numba
import numpy as np
from numba import config
from numba.core import event
from numba.core.caching import FunctionCache, NullCache
from numba.core.dispatcher import Dispatcher

from cardwar_envs.core.process import Stopwatch

__all__ = ["COMPILING", "always_compiled", "njit", "quickest", "wraps_around"]

COMPILING = "Compiling (once, up to a minute)."
NOT_KEPT = "Compiling (up to a minute). No cache folder is writable: set NUMBA_CACHE_DIR to keep the result."
OURS = {"cardwar_envs", "baselines"}
# A process spends at most this many seconds in a module's plain kernels before it compiles or loads them.
BEFORE_COMPILING, BEFORE_LOADING = 2.0, 0.05

# The functions of rules that `bound` replaces, and the options of kernels that their copies keep.
OF_RULES = {"play", "uniform", "observe"}
PASSED_ON = {"inline", "forceinline", "error_model", "_nrt"}

# If set, called before kernels are compiled: a server lets another process fill the disk cache, because compiling holds
# Python's global lock for seconds.
compile_elsewhere: Callable[[], object] | None = None

F = TypeVar("F", bound=Callable[..., Any])

_spent: Counter[str] = Counter()
_announced: set[str] = set()


def njit(**options: Any) -> Any:
    """Numba's `njit` for kernels, cached on disk if a folder is writable, and running without the GIL."""

    def compiled(function: Callable[..., Any]) -> Any:
        dispatcher: Any = numba.njit(nogil=True, **options)(function)
        if isinstance(dispatcher, Dispatcher):  # a plain function if compilation is disabled
            try:
                dispatcher._cache = _Cache(function)  # type: ignore  # numba has no types
            except RuntimeError as error:
                if "no locator available" not in str(error):
                    raise
        return dispatcher

    return compiled


class _Cache(FunctionCache):
    """Numba's disk cache, which here also detects changes in other files whose code a kernel uses.

    An index with types of modules that no longer exist, from another version of this package, counts as empty.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)  # type: ignore[no-untyped-call]
        read = self._cache_file._load_index

        def load_index() -> Any:
            try:
                return read()  # type: ignore[no-untyped-call]
            except (ImportError, AttributeError):
                return {}

        self._cache_file._load_index = load_index  # type: ignore[method-assign]

    def _index_key(self, *arguments: Any) -> tuple[Any, ...]:
        return (*super()._index_key(*arguments), _fingerprint(self._py_func))  # type: ignore[no-untyped-call]


@cache
def _fingerprint(function: FunctionType) -> str:
    """Returns a digest of a kernel, the kernels that it calls, and the constants compiled into them."""
    digest, kernels = hashlib.sha256(), [function]
    for kernel in kernels:  # grows during the loop
        for code in _codes(kernel.__code__):
            constants: list[Any] = [code.co_code, *(each for each in code.co_consts if not isinstance(each, CodeType))]
            for name, value in _names_used(code, kernel.__globals__):
                if isinstance(value, FunctionType):  # numba is told elsewhere in that module what it compiles to
                    constants += [name, *_surroundings(value)]
                elif not isinstance(value, Dispatcher):
                    constants += [name, value.tobytes() if isinstance(value, np.ndarray) else value]
                elif value.py_func not in kernels:
                    kernels.append(value.py_func)
            digest.update(repr(constants).encode())
    return digest.hexdigest()


def _surroundings(function: FunctionType) -> tuple[Any, ...]:
    """Returns the source of a plain function's module, and the numbers that the module has, also imported ones."""
    try:
        source: Any = getsource(sys.modules[function.__module__])
    except (KeyError, OSError, TypeError):  # no module with a file, for instance in a notebook
        source = function.__code__.co_code
    return source, [pair for pair in function.__globals__.items() if type(pair[1]) in (int, float)]


def _codes(code: CodeType) -> Iterator[CodeType]:
    """Yields the code objects of a function and of the comprehensions in it."""
    yield code
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield from _codes(each)


def _names_used(code: CodeType, space: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yields the kernels and constants that the code names: globals, or attributes of our own modules."""
    spaces = [space]
    for name in code.co_names:
        for value in [space[name] for space in spaces if name in space]:
            if isinstance(value, ModuleType) and value.__name__.partition(".")[0] in OURS:
                spaces.append(vars(value))
            elif isinstance(value, Dispatcher | FunctionType | int | float | str | tuple | np.generic | np.ndarray):
                yield name, value


@contextmanager
def always_compiled() -> Iterator[None]:
    """Context manager within which all kernels run compiled, however small the work."""
    global BEFORE_COMPILING, BEFORE_LOADING
    before = BEFORE_COMPILING, BEFORE_LOADING
    BEFORE_COMPILING = BEFORE_LOADING = -1.0
    try:
        yield
    finally:
        BEFORE_COMPILING, BEFORE_LOADING = before


def quickest(name: str, seconds: float) -> Any:
    """Returns the kernels of a module: plain Python as long as it costs less than compiling or loading, then compiled.

    Args:
        name: The module.
        seconds: Estimated time that plain Python needs for the work, in seconds.
    """
    _spent[name] += seconds  # type: ignore[assignment]  # Counter is typed for integers
    if _spent[name] <= (BEFORE_LOADING if _is_cached(name) else BEFORE_COMPILING):
        return _copies(name)
    if compile_elsewhere is not None and not _is_cached(name):
        compile_elsewhere()
    return import_module(name)


def bound(name: str, seconds: float, rules: ModuleType) -> Any:
    """Like `quickest`, for kernels that call the functions of a game's `CompiledRules.bodies`.

    Args:
        name: The module, which imports some game's `play`, `uniform` and `observe`.
        seconds: Estimated time that plain Python needs for the work, in seconds.
        rules: The module whose functions replace these. Kernels are faster if it has a constant `ALLOCATES_NOTHING`,
            which says that these functions allocate no memory.
    """
    # Functions of others may differ in plain Python, where integers wrap around.
    foreign = rules.__name__.partition(".")[0] not in OURS
    compiled = foreign or isinstance(quickest(name, seconds), ModuleType)
    return _copies(name, rules, compiled and not config.DISABLE_JIT)  # type: ignore[attr-defined]


def wraps_around(function: F) -> F:
    """Marks a kernel whose integers wrap around: silently when compiled, with a NumPy warning in plain Python."""
    function.wraps_around = True  # type: ignore[attr-defined]
    return np.errstate(over="ignore")(function) if config.DISABLE_JIT else function  # type: ignore[attr-defined]


@cache
def _copies(name: str, rules: Any = None, compiled: bool = False) -> SimpleNamespace:
    """Returns a module's contents with each kernel as a copy that calls copies, in plain Python or compiled.

    With `rules`, they call its functions instead of the module's functions of the names in `OF_RULES`.
    """
    module = import_module(name)
    space = dict(vars(module))
    for key, value in vars(module).items():
        function = getattr(value, "py_func", value)  # a plain function if compilation is disabled
        if rules is not None and key in OF_RULES:
            own = getattr(rules, key)
            space[key] = own if compiled or not isinstance(own, Dispatcher) else _plain(own)
        elif isinstance(value, Dispatcher) and not compiled and function.__module__ != name:
            space[key] = _plain(value)
        elif (
            isinstance(function, FunctionType) and function.__module__ == name and not hasattr(function, "__wrapped__")
        ):
            copy = FunctionType(function.__code__, space, function.__name__, function.__defaults__)
            if compiled:
                kept = PASSED_ON & value.targetoptions.keys() - (
                    set() if hasattr(rules, "ALLOCATES_NOTHING") else {"_nrt"}
                )
                space[key] = njit(**{each: value.targetoptions[each] for each in kept})(copy)
            else:
                space[key] = np.errstate(over="ignore")(copy) if hasattr(function, "wraps_around") else copy
    return SimpleNamespace(**space)


def _plain(kernel: Dispatcher) -> Any:
    """Returns a kernel in plain Python."""
    return getattr(_copies(kernel.py_func.__module__), kernel.py_func.__name__)


@cache
def _is_cached(name: str) -> bool:
    """Returns whether a module's compiled kernels are in numba's disk cache, from which they load quickly."""
    functions = [value for value in vars(import_module(name)).values() if isinstance(value, Dispatcher)]
    # Imported ones are there as soon as another module has been compiled.
    functions = [function for function in functions if function.py_func.__module__ == name]
    caches = [getattr(function, "_cache", None) for function in functions]
    files = [getattr(each, "_cache_file", None) for each in caches]
    return any(file is not None and file._load_index() for file in files)


def _announce(message: str) -> None:
    """Prints a notice to stderr once; worker processes print nothing."""
    if message not in _announced and parent_process() is None and sys.stderr is not None:
        _announced.add(message)
        print(message, file=sys.stderr, flush=True)


class Compilation(event.Listener):
    """Receives an event for each function that numba compiles, but not for those loaded from its disk cache."""

    def on_start(self, event: Any) -> None:
        """Announces the compilation if the function is one of ours."""
        dispatcher = event.data["dispatcher"]
        if dispatcher.__module__.partition(".")[0] in OURS:
            _announce(NOT_KEPT if isinstance(dispatcher._cache, NullCache) else COMPILING)

    def on_end(self, event: Any) -> None:
        """Does nothing."""


class Loading(event.Listener):
    """Adds the time that numba spends on loading or compiling functions to `Stopwatch.loading`."""

    def __init__(self) -> None:
        self._depth, self._begin = 0, (0.0, 0.0)

    def on_start(self, event: Any) -> None:
        """Records the time when the outermost of nested events begins."""
        if self._depth == 0:
            self._begin = Stopwatch.now()
        self._depth += 1

    def on_end(self, event: Any) -> None:
        """Adds the time since the outermost event began."""
        self._depth -= 1
        if self._depth == 0:
            Stopwatch.exclude(self._begin)


event.register("numba:compile", Compilation())  # type: ignore[no-untyped-call]  # numba has no types
event.register("numba:compiler_lock", Loading())  # type: ignore[no-untyped-call]
