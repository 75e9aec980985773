"""The environment under test, found by its module or its id, in this process or another."""

from __future__ import annotations

import ast
import importlib
import itertools
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial, wraps
from importlib import import_module
from operator import attrgetter
from typing import Any, Concatenate, Literal, NamedTuple, NoReturn, ParamSpec, TypeVar

import gymnasium
import pettingzoo

from zoocheck import solo, trail
from zoocheck.kinds import AECPlay, ParallelPlay
from zoocheck.play import Play, beneath, is_converted
from zoocheck.verdicts import Budget, Failed, NotApplicable, Skipped, failing, processor_seconds, quiet

P = ParamSpec("P")
T = TypeVar("T")
# Default limit on the CPU seconds for one environment; a small environment needs a few seconds.
SECONDS = 32.0
# A search also ends after this multiple of its share in wall-clock time, if the environment sleeps or waits.
PATIENCE = 10.0
# A search stopped by the time limit after fewer rounds has seen too little.
FEW_ROUNDS = 2
# The attributes of a game that the kit uses; of `facts` it uses `zero_sum` and `max_length`.
RULES = ("facts", "initial", "parameters")


class Finding(NamedTuple):
    """A failure, and the games that show it, as in `Subject.recent`."""

    reason: str
    games: list[tuple[Mapping[str, Any], Play]]


@dataclass(frozen=True)
class Api:
    """One of a subject's two kinds of environment."""

    kind: str  # "AEC" or "Parallel"
    make: Callable[..., Any]  # makes the environment; takes its parameters
    _play: type[Play]
    blind: frozenset[str] = frozenset()  # names of infos to ignore, because they always differ
    # The environments driven most recently, each with its parameters.
    recent: deque[tuple[Mapping[str, Any], Play]] = field(default_factory=partial(deque, maxlen=2), compare=False)
    budget: Budget = field(default_factory=Budget, compare=False)

    def new(self, choices: int = 0, **parameters: Any) -> Any:
        """A driver for a fresh environment; `choices` seeds its choices."""
        play = self._play(self.make(**parameters), choices, self.blind, self.budget)
        self.recent.append((parameters, play))
        trail.note_env(play.env, self.kind, parameters)
        return play

    def game(self, seed: int, **parameters: Any) -> Any:
        """A fresh environment after a reset with this seed, which also seeds the choices."""
        return self.new(seed, **parameters).reset(seed)


@dataclass(frozen=True)
class Subject:
    """An environment to be checked, in one or both of PettingZoo's kinds, or one of Gymnasium.

    Attributes:
        name: Name for reports.
        aec: Makes the AEC environment, if there is one.
        parallel: Makes the Parallel environment, if there is one.
        parameters: Keyword arguments for both.
        zero_sum: Whether the rewards of an episode sum to zero; if None, as the environment declares.
        seed: Seed for the games played.
        seconds: Approximate CPU seconds for all checks together; wall-clock time is limited to about `PATIENCE` times
            as much.
        games: Number of games or situations per search, on any machine; if None, limited only by `seconds`.
        word: The name given to `load`; empty if the subject was not loaded.
        gymnasium: Whether it is a Gymnasium environment; `parallel` then makes it with one agent.
        recent: The environments driven most recently, each with its parameters.
        cut: The number of rounds of each search that ran out of time in the current check.
        budget: Ends checks that take too long.
        failed: The names of the checks that have failed.
        findings: What has been computed once for all checks.
    """

    name: str
    aec: Callable[..., Any] | None = None
    parallel: Callable[..., Any] | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    zero_sum: bool | None = None
    seed: int = 0
    seconds: float = SECONDS
    games: int | None = None
    word: str = ""
    gymnasium: bool = False
    recent: deque[tuple[Mapping[str, Any], Play]] = field(default_factory=partial(deque, maxlen=2), compare=False)
    cut: list[int] = field(default_factory=list, compare=False)
    budget: Budget = field(default_factory=Budget, compare=False)
    failed: set[str] = field(default_factory=set, compare=False)
    findings: dict[Any, Any] = field(default_factory=dict, compare=False)

    def apis(self) -> list[Api]:
        """The available kinds, AEC first."""
        kinds = ((self.aec, AECPlay), (self.parallel, solo.SoloPlay if self.gymnasium else ParallelPlay))
        return [
            Api(play.kind, partial(make, **self.parameters), play, recent=self.recent, budget=self.budget)
            for make, play in kinds
            if make is not None
        ]

    def own_apis(self) -> list[Api]:
        """The available kinds, without an AEC version made by PettingZoo's converter.

        That converter stores actions unchecked until all agents have acted.
        """
        return [api for api in self.apis() if api.kind != "AEC" or not is_converted(api.make())]

    def once(self, name: Any, find: Callable[[], Any]) -> Any:
        """The result of `find`, computed once for all checks; see `once`."""
        if name not in self.findings:
            with self.budget.shared():
                self.findings[name] = find()
        return self.findings[name]

    def found(self, name: Any) -> Any:
        """What `once` has computed under a name, or a function that is called once; None if nothing yet."""
        return self.findings.get(name)

    def time(self, share: float) -> Iterator[int]:
        """Counts from 0 until this share of the seconds is used up, or all `games` are counted; at least once.

        Counts CPU time, so that other load on the machine does not change the results. The shares of all
        searches, for both kinds and three render modes, sum to about 1.
        """
        used, began, seconds = processor_seconds(), time.monotonic(), share * self.seconds
        self.budget.extend(seconds)
        for number in itertools.count():
            yield number
            if number + 1 == self.games:
                return
            if processor_seconds() - used > seconds or time.monotonic() - began > PATIENCE * seconds:
                self.cut.append(number + 1)
                return

    def api(self, kind: str) -> Api:
        """The `Api` of a kind; raises NotApplicable if there is none."""
        for api in self.apis():
            if api.kind == kind:
                return api
        raise NotApplicable(f"there is no {kind} version")

    def fail(self, found: Finding) -> NoReturn:
        """Raises Failed with a failure found before; its games become the recent ones again."""
        self.recent.clear()
        self.recent.extend(found.games)
        raise Failed(found.reason)

    def any_env(self) -> Any:
        """A fresh environment of the first available kind."""
        return self.apis()[0].make()

    def simultaneous(self) -> bool:
        """Whether moves are simultaneous: there is a Parallel version, or the AEC environment declares it."""
        if self.parallel is not None:
            return True
        return bool(self.once("metadata", lambda: self.any_env().metadata).get("is_parallelizable", False))

    def is_made_by_function(self) -> bool:
        """Whether a function was named or given, not a class, an id, or what offers `env` or `parallel_env`."""
        make = self.parallel or self.aec
        while isinstance(make, partial):  # of `solo.alone`, `beneath`, or a library's `make`
            make = make.args[0] if make.args and callable(make.args[0]) else make.func
        return not isinstance(make, type) and (not self.word or make is _named(self.word))

    def game(self) -> Any:
        """The rules behind the environment: its attribute `game`, if that offers `RULES`; else None."""
        game = getattr(self.any_env().unwrapped, "game", None)
        return game if set(RULES) <= set(dir(game)) else None


def once(find: Callable[Concatenate[Subject, P], T]) -> Callable[Concatenate[Subject, P], T]:
    """A function whose result for a subject is computed once for all checks."""

    @wraps(find)
    def found(subject: Subject, /, *arguments: P.args, **named: P.kwargs) -> T:
        result: T = subject.once((found, *arguments), lambda: find(subject, *arguments, **named))
        return result

    return found


@quiet()
def load(
    word: str,
    words: Iterable[str] = (),
    zero_sum: bool | None = None,
    seed: int = 0,
    seconds: float = SECONDS,
    games: int | None = None,
) -> Subject:
    """Loads an environment by name.

    Args:
        word: An id of PettingZoo (`classic/rps-v2`) or Gymnasium (`CartPole-v1`, `minigrid:MiniGrid-Empty-5x5-v0`), a
            module with `env` or `parallel_env` (`pettingzoo.classic.rps_v2`), or `module:name` of an object with
            these, or of a callable that makes an environment of either library.
        words: Parameters of the environment, `KEY=VALUE`; values are parsed as Python literals if possible.
        zero_sum: Whether rewards sum to zero, if the environment does not declare it.
        seed: Seed for the games played.
        seconds: CPU seconds for all checks together.
        games: Number of games or situations per search.

    Raises:
        ValueError: If there is no such environment, or it cannot be made with these parameters.
    """
    words = list(words)
    parameters = parameters_of(words)
    makers = _registered(word, parameters) if is_id(word) else _found(word, parameters)
    one = makers.get("gymnasium")
    parallel = makers.get("parallel") if one is None else partial(solo.alone, one)
    limits: dict[str, Any] = {"seed": seed, "seconds": seconds, "games": games}
    name = " ".join([word, *words])
    subject = Subject(name, makers.get("aec"), parallel, parameters, zero_sum, word=word, gymnasium=bool(one), **limits)
    if not subject.apis():
        raise ValueError(f"{word}: has neither env nor parallel_env, and makes no environment")
    for api in subject.apis():
        with failing(f"{subject.name}: cannot be made:", ValueError):
            env = api.make()
            env.close()
        if isinstance(env, gymnasium.Env):
            raise ValueError(f"{word}: its `env` makes an environment of Gymnasium; name it as {word}:env")
    return subject


KINDS: tuple[Literal["aec", "parallel"], ...] = ("aec", "parallel")
# The kinds found, also "gymnasium", each with what makes the environment.
Makers = dict[str, Callable[..., Any] | None]


def is_id(word: str) -> bool:
    """Whether a name is an id of PettingZoo or Gymnasium, not a module or an object in one."""
    return "/" in word or "-" in word


def _registered(word: str, parameters: Mapping[str, Any]) -> Makers:
    makers: Makers = {}
    reasons = []
    for kind in KINDS if "/" in word else ():
        try:
            pettingzoo.spec(kind, word)
        except AttributeError:
            reasons = [f"PettingZoo's ids need pettingzoo>=1.27, not {pettingzoo.__version__}; name the module instead"]
        except Exception as error:
            reasons = [str(error)]
        else:
            makers[kind] = partial(pettingzoo.make, kind, word)
    if makers:
        return makers
    if reason := solo.registered(word, parameters):
        raise ValueError(f"{word}: {'; '.join([*reasons, reason])}")
    return {"gymnasium": partial(gymnasium.make, word, disable_env_checker=True)}


def _named(word: str) -> Any:
    """The module, or the object in one, of this name; None if the name is an id."""
    if is_id(word):
        return None
    name, _, attribute = word.partition(":")
    return attrgetter(attribute)(import_module(name)) if attribute else import_module(name)


def _found(word: str, parameters: Mapping[str, Any]) -> Makers:
    name, _, attribute = word.partition(":")
    try:
        found: Any = importlib.import_module(name)
    except Exception as error:
        raise ValueError(f"cannot import {name!r}: {error}") from error
    for part in filter(None, attribute.split(".")):
        if not hasattr(found, part):
            raise ValueError(f"{word}: {name} has no {attribute!r}")
        found = getattr(found, part)
    makers = {"aec": getattr(found, "env", None), "parallel": getattr(found, "parallel_env", None)}
    return makers if any(makers.values()) or not callable(found) else _called(word, found, parameters)


def _called(word: str, found: Any, parameters: Mapping[str, Any]) -> Makers:
    """Calls what may make an environment, to see of which kind it is."""
    envs = pettingzoo.AECEnv, pettingzoo.ParallelEnv, gymnasium.Env
    makes_itself = isinstance(found, type) and found.__new__ is object.__new__  # type: ignore[comparison-overlap]
    if makes_itself and not issubclass(found, envs):
        raise ValueError(f"{word} is a class, but not an environment of PettingZoo or Gymnasium")
    with failing(f"{word}: cannot be called with {dict(parameters)}:", ValueError):
        env = found(**parameters)
    if not isinstance(env, envs):
        raise ValueError(f"{word}: returned {type(env).__name__}, not an environment of PettingZoo or Gymnasium")
    if isinstance(env, gymnasium.Env):
        return {"gymnasium": found}
    mine, other = ("parallel", "aec") if isinstance(env, pettingzoo.ParallelEnv) else ("aec", "parallel")
    return {mine: found, other: partial(beneath, found) if is_converted(env) else None}


def parameters_of(words: Iterable[str]) -> dict[str, Any]:
    """Parses `KEY=VALUE` arguments; values are Python literals if possible. Anything else raises a ValueError."""
    parameters = {}
    for word in words:
        name, equals, text = word.partition("=")
        if not equals or not name.isidentifier():
            raise ValueError(f"{word!r} must read KEY=VALUE, a parameter")
        try:
            parameters[name] = ast.literal_eval(text)
        except (ValueError, SyntaxError):
            parameters[name] = text
    return parameters


LIMITS = ("zero_sum", "seed", "seconds", "games")


def description(subject: Subject) -> dict[str, Any]:
    """Describes, as plain data, how another process can make the environment: its name, or its factories' names.

    Raises:
        Skipped: If a factory cannot be found by name, or a parameter cannot be passed as text.
    """
    words = [f"{name}={value!r}" for name, value in subject.parameters.items()]
    if parameters_of(words) != dict(subject.parameters):
        raise Skipped(f"these parameters cannot be passed to another process: {' '.join(words)}")
    found: dict[str, Any] = {"name": subject.name, "word": subject.word, "words": words}
    found["limits"] = {name: getattr(subject, name) for name in LIMITS}
    found["imports"] = _modules_of(subject) if is_id(subject.word) else []
    for kind, make in (("aec", subject.aec), ("parallel", subject.parallel)):
        if not subject.word and make is not None:
            found[kind] = [getattr(make, "__module__", ""), getattr(make, "__qualname__", "<")]
            if "<" in found[kind][1]:
                raise Skipped("another process cannot import the function that makes the environment")
    return found


def _modules_of(subject: Subject) -> list[str]:
    """The modules that make the environments of an id; importing them registers the id in another process."""
    if subject.gymnasium:  # its ids name the module that registers them, if any has to
        return []
    makers = [kind for kind, make in zip(KINDS, (subject.aec, subject.parallel), strict=True) if make is not None]
    entries = [pettingzoo.spec(kind, subject.word).entry_point for kind in makers]
    return [each.partition(":")[0] if isinstance(each, str) else each.__module__ for each in entries]


def remade(told: dict[str, Any]) -> Subject:
    """The subject that `description` describes."""
    for module in told["imports"]:
        import_module(module)
    if told["word"]:
        return load(told["word"], told["words"], **told["limits"])
    makers = {kind: told[kind] for kind in ("aec", "parallel") if kind in told}
    found = {kind: attrgetter(name)(import_module(module)) for kind, (module, name) in makers.items()}
    return Subject(told["name"], **found, parameters=parameters_of(told["words"]), **told["limits"])
