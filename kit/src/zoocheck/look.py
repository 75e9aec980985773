"""All externally visible data of an environment, as plain data, and the differences between nested data."""

import contextlib
import copy
import io
import logging
import math
import random
import re
import types
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from zoocheck.play import layers, legal_actions
from zoocheck.verdicts import Failed

MOST_PLACES = 64  # differing entries named per array
# Limits on traversing an environment's attributes.
DEPTH, MOST_NODES, MOST_ITEMS = 6, 3000, 200
PLAIN = (type(None), bool, int, float, complex, str, bytes, np.generic)
# Per-agent data of PettingZoo's API is compared separately.
TOLD = {"rewards", "terminations", "truncations", "infos", "agent_selection", "agents", "unwrapped"}
ADDRESS = re.compile(r"0x[0-9a-fA-F]+")


# What agents receive -> what one agent receives; the latter, in this order, are also the results of last().
ONE = {f"{name}s": name for name in ("observation", "reward", "termination", "truncation", "info")}
RESULTS = {("last", number): f"{name} of last()" for number, name in enumerate(ONE.values())}
RESULTS |= {("render()", 0): "the picture of render()", ("render()", 1): "what render() prints"}
# A place in nested data: keys of dicts, and numbers of entries.
Path = tuple[Any, ...]


class Index(tuple[int, ...]):
    """The numbers of an entry of an array with several dimensions."""


def in_words(path: Path) -> str:
    """A place in words, e.g. "observation of bob, key 'hand', entry 0"."""
    words, rest = [], path[path[:1] == ("told",) :]
    if rest[:2] in RESULTS:
        words, rest = [RESULTS[rest[:2]]], rest[2:]
    elif len(rest) > 1 and rest[0] in ONE:
        words, rest = [f"{ONE[rest[0]]} of {rest[1]}"], rest[2:]
    elif rest and isinstance(rest[0], str):
        words, rest = [rest[0]], rest[1:]
    entries = (list(key) if isinstance(key, Index) else key for key in rest)
    return ", ".join([*words, *(f"entry {key}" if isinstance(key, int | list) else f"key {key!r}" for key in entries)])


def difference(first: Any, second: Any, *how: str) -> str | None:
    """Describes the first difference between nested data, compared as in `places`; None if they are equal."""
    return next((": ".join(filter(None, [in_words(path), what])) for path, what in places(first, second, *how)), None)


def places(first: Any, second: Any, *how: str, path: Path = ()) -> Iterator[tuple[Path, str]]:
    """Yields all differences in value between nested data, each with its place and both values.

    0.0 equals -0.0, and outside of arrays numbers of different types can be equal; "exact" in `how` compares types and
    signs of zero, too; "unordered" ignores the order of keys, and "untyped" the types of arrays.
    """
    exact = "exact" in how
    if type(first) is type(second) and type(first) in (bool, int, str) and first == second:
        return  # fast path: most data is of these types, and equal
    if exact and type(first) is not type(second):
        yield path, f"{_short(first)} of type {type(first).__name__} and {_short(second)} of {type(second).__name__}"
    elif isinstance(first, np.ndarray) or isinstance(second, np.ndarray):
        yield from _array_places(np.asarray(first), np.asarray(second), path, exact, "untyped" in how)
    elif isinstance(first, Mapping) and isinstance(second, Mapping):
        yield from _mapping_places(first, second, path, how)
    elif _is_list(first) and _is_list(second):
        if len(first) != len(second):
            yield path, f"{len(first)} and {len(second)} entries"
        for i, (one, other) in enumerate(zip(first, second, strict=False)):
            if one is not other:  # fast path: identical objects need no comparison
                yield from places(one, other, *how, path=(*path, i))
    elif not _equal(first, second, exact):
        yield path, f"{_short(first)} and {_short(second)}"


def _mapping_places(first: Any, second: Any, path: Path, how: tuple[str, ...]) -> Iterator[tuple[Path, str]]:
    listed = sorted if "unordered" in how else list
    if list(first) != list(second) and listed(map(str, first)) != listed(map(str, second)):
        yield path or ("keys",), f"{list(first)} and {list(second)}"
    for key, one in first.items():
        if key in second and one is not (other := second[key]):
            yield from places(one, other, *how, path=(*path, key))


def _is_list(data: Any) -> bool:
    return isinstance(data, Sequence) and not isinstance(data, str | bytes)


def _equal(first: Any, second: Any, exact: bool) -> bool:
    if type(first).__eq__ is object.__eq__:  # type: ignore[comparison-overlap]  # never equals its copy
        return type(first) is type(second)
    if exact and isinstance(first, float | np.floating) and math.copysign(1, first) != math.copysign(1, second):
        return False
    return bool(first == second) or (first != first and second != second)


def _array_places(
    one: NDArray[Any], other: NDArray[Any], path: Path, exact: bool, untyped: bool
) -> Iterator[tuple[Path, str]]:
    if (one.dtype != other.dtype and not untyped) or one.shape != other.shape:
        yield path, f"{one.dtype}{list(one.shape)} and {other.dtype}{list(other.shape)}"
        return
    if one.dtype == other.dtype != object and one.tobytes() == other.tobytes():
        return
    differs = one != other
    if one.dtype.kind in "fc":
        differs &= ~(np.isnan(one) & np.isnan(other))
        if exact:
            differs |= np.signbit(one.real) != np.signbit(other.real)
    for index in np.argwhere(differs)[:MOST_PLACES].tolist():
        yield (*path, *([Index(index)] if len(index) > 1 else index)), f"{one[tuple(index)]} and {other[tuple(index)]}"


def _short(data: Any) -> str:
    text = " ".join(repr(data).split())
    return text if len(text) <= 80 else f"{text[:77]}..."


def require_same(first: Any, second: Any, what: str) -> None:
    """Raises Failed, with `what` and the location, if the two differ."""
    if found := difference(first, second):
        raise Failed(f"{what}: {found}")


def require_same_play(first: Sequence[Any], second: Sequence[Any], what: str) -> None:
    """Compares two logs of play as `require_same` does; names the step after which they first differ."""
    for step, (one, other) in enumerate(zip(first, second, strict=False)):
        require_same(one, other, f"{what}, after step {step}" if step else f"{what}, after reset")
    if len(first) != len(second):
        raise Failed(f"{what}: one has {len(first) - 1} steps, the other {len(second) - 1}")


def arrays_in(data: Any, path: str = "") -> Iterator[tuple[str, NDArray[Any]]]:
    """All arrays in nested data, each with its path."""
    if isinstance(data, np.ndarray):
        yield path, data
    elif isinstance(data, Mapping):
        for key, value in data.items():
            yield from arrays_in(value, f"{path}.{key}" if path else str(key))
    elif _is_list(data):
        for i, value in enumerate(data):
            yield from arrays_in(value, f"{path}[{i}]")


def state_of(generator: Any) -> Any:
    """The state of a random generator; None for anything else."""
    if isinstance(generator, np.random.Generator):
        return copy.deepcopy(generator.bit_generator.state)
    if isinstance(generator, np.random.RandomState):
        return generator.get_state()
    if isinstance(generator, random.Random):
        return generator.getstate()
    return None


def generators(env: Any) -> dict[str, Any]:
    """The states of all random generators reachable from the environment, including private attributes."""
    return {path: state_of(generator) for path, generator in generators_on(env)}


def generators_on(value: Any) -> Iterator[tuple[str, Any]]:
    """All random generators reachable from a value, each with its path, nearest first."""
    return ((path, part) for path, part in reachable(value) if state_of(part) is not None)


def reachable(env: Any) -> Iterator[tuple[str, Any]]:
    """Each object reachable from the environment, with its path, nearest first."""
    queue, known = [(type(env).__name__, env, 0)], {id(env)}
    for path, value, depth in queue:
        yield path, value
        if depth >= DEPTH or len(queue) > MOST_NODES:
            continue
        for name, part in _parts(value):
            if not isinstance(part, PLAIN) and id(part) not in known:
                known.add(id(part))
                queue.append((f"{path}.{name}", part, depth + 1))


def _parts(value: Any) -> list[tuple[Any, Any]]:
    if isinstance(value, Mapping):
        return list(value.items())[:MOST_ITEMS]
    if isinstance(value, list | tuple | set | frozenset):
        return list(enumerate(value))[:MOST_ITEMS]
    if state_of(value) is not None or isinstance(value, type | types.ModuleType | types.FunctionType | np.ndarray):
        return []
    return list(getattr(value, "__dict__", {}).items())[:MOST_ITEMS]


def text_of(value: Any) -> str:
    """The repr on one line, without memory addresses."""
    return " ".join(ADDRESS.sub("0x", repr(value)).split())


def space_facts(space: Any) -> Any:
    """A space's description, and the state of its generators."""
    facts: dict[str, Any] = {"type": type(space).__name__, "text": text_of(space), "dtype": str(space.dtype)}
    facts["generator"] = state_of(getattr(space, "_np_random", None))
    for name in ("low", "high", "n", "start", "nvec"):
        if hasattr(space, name):
            facts[name] = copy.copy(getattr(space, name))
    inner = getattr(space, "spaces", ())
    parts = inner.items() if isinstance(inner, Mapping) else enumerate(inner)
    return facts | {str(name): space_facts(part) for name, part in parts}


def without_generators(facts: Any) -> Any:
    """The facts of spaces without their generators, which sampling and seeding change."""
    if not isinstance(facts, Mapping):
        return facts
    return {name: without_generators(fact) for name, fact in facts.items() if name != "generator"}


def spaces_of(env: Any) -> dict[str, Any]:
    """The facts of all spaces of the environment."""
    facts = {}
    for name in ("observation_space", "action_space"):
        for agent in getattr(env, "possible_agents", env.agents):
            facts[f"{name}({agent})"] = space_facts(getattr(env, name)(agent))
    space = getattr(env, "state_space", None)
    return facts | ({"state_space": space_facts(space)} if isinstance(space, gymnasium.Space) else {})


def plain(value: Any, known: dict[int, Any] | None = None, depth: int = 0) -> Any:
    """Plain data for an object: its public attributes and properties, recursively.

    What is in `known`, by id, is only named. It keeps what it has, so that an id stays the object's own.
    """
    known = {} if known is None else known
    if isinstance(value, PLAIN):
        return value
    if isinstance(value, np.ndarray):
        return value.copy()
    if id(value) in known or depth > DEPTH or len(known) > MOST_NODES:
        return f"<{type(value).__name__}>"
    known[id(value)] = value
    if isinstance(value, gymnasium.Space):
        return space_facts(value)
    if isinstance(value, Mapping):
        return {text_of(key): plain(part, known, depth + 1) for key, part in list(value.items())[:MOST_ITEMS]}
    if isinstance(value, list | tuple):
        return [plain(part, known, depth + 1) for part in value[:MOST_ITEMS]]
    if isinstance(value, set | frozenset):
        return sorted(map(text_of, value))
    if state_of(value) is not None:
        return state_of(value)
    if isinstance(value, type | types.ModuleType) or callable(value):
        return f"<{getattr(value, '__name__', type(value).__name__)}>"
    return attributes(value, known, depth)


def attributes(value: Any, known: dict[int, Any] | None = None, depth: int = 0) -> dict[str, Any]:
    """The public attributes and properties of an object, such as an environment, and those of its class."""
    if known is None:
        plain(list(getattr(value, "possible_agents", ())), known := {})
    members = (member for each in type(value).__mro__ for member in vars(each).items())
    names = {name for name, member in members if not (callable(member) or isinstance(member, classmethod))}
    found: dict[str, Any] = {}
    for name in sorted(names.union(getattr(value, "__dict__", ())) - TOLD):
        with contextlib.suppress(Exception):  # a property may be unavailable now
            found |= {} if name.startswith("_") else {name: plain(getattr(value, name), known, depth + 1)}
    return found


def words_of(env: Any) -> dict[str, Any]:
    """str(), repr() and len() of an environment and of each environment that it wraps."""
    words: dict[str, Any] = {}
    for depth, layer in enumerate(layers(env)):
        inner = f" of what it wraps ({type(layer).__name__})" if depth else ""
        words |= {f"str(){inner}": ADDRESS.sub("0x", str(layer)), f"repr(){inner}": text_of(layer)}
        with contextlib.suppress(Exception):
            words[f"len(){inner}"] = len(layer)
    return words


def state_shown(env: Any) -> Any:
    """A copy of state(); None if there is none or it raises (which another check reports)."""
    with contextlib.suppress(Exception):
        return copy.deepcopy(env.state())
    return None


@contextlib.contextmanager
def _printed() -> Iterator[io.StringIO]:
    """What is printed on stdout and stderr."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        yield printed


def drawn(env: Any) -> Any:
    """The result of render(), and its output on stdout or stderr."""
    with _printed() as printed:
        picture = env.render()
    return copy.deepcopy(picture), printed.getvalue()


def public(env: Any) -> dict[str, Any]:
    """All public data of the environment, except pictures and what agents receive."""
    found = {"state()": state_shown(env), "attributes": attributes(env), "spaces": spaces_of(env)}
    return {**found, "random generators": generators(env), **words_of(env)}


def refusal(play: Any, choice: Any) -> str:
    """The type and the text of the error that an invalid choice raises; empty if none, or if it may end the process."""
    return "" if play.budget.careful else _error_of(lambda: play.submit(choice, log=False))


def refusals(play: Any) -> list[str]:
    """The errors of invalid calls: queries about an unknown agent, and actions that are invalid, missing or masked."""
    unknown = [_error_of(partial(call, "nobody")) for call in (play.env.observe, play.env.action_space)]
    agent, mask = play.env.agent_selection, play.mask(play.env.agent_selection)
    forbidden = [] if mask is None else legal_actions(play.env.action_space(agent), mask == 0)[:1]
    return unknown + [refusal(play, odd) for odd in (10**6, None, *forbidden)]


def _error_of(call: Callable[[], Any]) -> str:
    try:
        call()
    except Exception as error:
        return f"{type(error).__name__}: {ADDRESS.sub('0x', str(error))}"
    return ""


@contextlib.contextmanager
def captured_output() -> Iterator[list[str]]:
    """Collects printed output, warnings and log messages, without memory addresses; complete when the context exits."""
    words: list[str] = []
    with _printed() as printed, _logged(words), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield words
    words += [f"{each.category.__name__}: {each.message}" for each in caught]
    words += filter(None, [printed.getvalue()])
    words[:] = [ADDRESS.sub("0x", word) for word in words]


@contextlib.contextmanager
def _logged(words: list[str]) -> Iterator[None]:
    """Collects the records that the root logger and PettingZoo's logger accept at their current levels."""
    handler = logging.Handler()
    handler.emit = lambda record: words.append(f"{record.levelname}: {record.getMessage()}")  # type: ignore[method-assign]
    root, own = logging.getLogger(), logging.getLogger("pettingzoo")
    disabled, propagates = root.manager.disable, own.propagate
    logging.disable(logging.NOTSET)
    own.propagate = False
    root.addHandler(handler)
    own.addHandler(handler)
    try:
        yield
    finally:
        root.removeHandler(handler)
        own.removeHandler(handler)
        own.propagate = propagates
        logging.disable(disabled)
