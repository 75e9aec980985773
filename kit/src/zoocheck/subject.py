"""The environment under test, found by its module or its id, in this process or another."""

import ast
import itertools
import pickle
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial, wraps
from importlib import import_module
from operator import attrgetter
from typing import Any, Concatenate, NamedTuple, NoReturn, ParamSpec, TypeVar

import gymnasium
import pettingzoo

from zoocheck.kinds import AECPlay, ParallelPlay, Solo, SoloPlay
from zoocheck.play import Play, beneath, is_converted
from zoocheck.verdicts import Budget, Failed, NotApplicable, Skipped, failing, in_a_line, processor_seconds, quiet

P = ParamSpec("P")
T = TypeVar("T")
SECONDS = 32.0  # default limit on the CPU seconds for one environment; a small one needs a few seconds
PATIENCE = 10.0  # a search also ends after this multiple of its share in wall-clock time
FEW_ROUNDS = 2  # a search stopped by the time limit after fewer rounds has seen too little
# The kinds found, also "gymnasium", each with what makes the environment.
Makers = dict[str, Callable[..., Any] | None]


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
        return play

    def game(self, seed: int, **parameters: Any) -> Any:
        """A fresh environment after a reset with this seed, which also seeds the choices."""
        return self.new(seed, **parameters).reset(seed)


@dataclass(frozen=True)
class Subject:
    """An environment to be checked, in one or both of PettingZoo's kinds, or one of Gymnasium."""

    name: str  # for reports
    aec: Callable[..., Any] | None = None  # makes the AEC environment, if there is one
    parallel: Callable[..., Any] | None = None  # makes the Parallel environment, if there is one
    parameters: Mapping[str, Any] = field(default_factory=dict)  # keyword arguments for both
    zero_sum: bool | None = None  # whether the rewards of an episode sum to zero; if None, as the environment declares
    seed: int = 0  # for the games played
    seconds: float = SECONDS  # CPU seconds for all checks, about; `PATIENCE` times as many of wall-clock time
    games: int | None = None  # games or situations per search, on any machine; if None, limited only by `seconds`
    word: str = ""  # the name given to `load`, if any
    gymnasium: bool = False  # whether it is of Gymnasium; `parallel` then makes it with one agent
    # The environments driven most recently, each with its parameters.
    recent: deque[tuple[Mapping[str, Any], Play]] = field(default_factory=partial(deque, maxlen=2), compare=False)
    cut: list[int] = field(default_factory=list, compare=False)  # rounds of each search of the check that was cut short
    budget: Budget = field(default_factory=Budget, compare=False)
    failed: set[str] = field(default_factory=set, compare=False)  # the names of the checks that have failed
    findings: dict[Any, Any] = field(default_factory=dict, compare=False)  # what is computed once for all checks

    def apis(self) -> list[Api]:
        """The available kinds, AEC first."""
        more: dict[str, Any] = {"recent": self.recent, "budget": self.budget}
        kinds = ((self.aec, AECPlay), (self.parallel, SoloPlay if self.gymnasium else ParallelPlay))
        return [Api(play.kind, partial(make, **self.parameters), play, **more) for make, play in kinds if make]

    def own_apis(self) -> list[Api]:
        """The available kinds, without PettingZoo's converter to AEC, which stores actions unchecked."""
        return [api for api in self.apis() if api.kind != "AEC" or not is_converted(api.make())]

    def once(self, name: Any, find: Callable[[], Any]) -> Any:
        """The result of `find`, computed once for all checks."""
        if name not in self.findings:
            with self.budget.shared():
                self.findings[name] = find()
        return self.findings[name]

    def found(self, name: Any) -> Any:
        """What `once` has computed under a name, or a function that is called once; None if nothing yet."""
        return self.findings.get(name)

    def time(self, share: float) -> Iterator[int]:
        """Counts from 0 until this share of the CPU seconds is used up, or all `games` are counted; at least once.

        The shares of all searches, for both kinds and three render modes, sum to about 1.
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
        if found := [api for api in self.apis() if api.kind == kind]:
            return found[0]
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
        metadata = self.once("metadata", lambda: {} if self.parallel else self.any_env().metadata)
        return self.parallel is not None or bool(metadata.get("is_parallelizable", False))

    def is_made_by_function(self) -> bool:
        """Whether a function was named or given, not a class, an id, or what offers `env` or `parallel_env`."""
        make = self.parallel or self.aec
        while isinstance(make, partial):  # of `Solo`, `beneath`, or a library's `make`
            make = make.args[0] if make.args and callable(make.args[0]) else make.func
        return not isinstance(make, type) and (not self.word or make is _named(self.word))

    def game(self) -> Any:
        """The rules behind the environment: its attribute `game`, if that offers the attributes used; else None."""
        game = getattr(self.any_env().unwrapped, "game", None)
        return game if {"facts", "initial", "parameters"} <= set(dir(game)) else None


def once(find: Callable[Concatenate[Subject, P], T]) -> Callable[Concatenate[Subject, P], T]:
    """A function whose result for a subject is computed once for all checks."""

    @wraps(find)
    def found(subject: Subject, /, *arguments: P.args, **named: P.kwargs) -> T:
        result: T = subject.once((found, *arguments), lambda: find(subject, *arguments, **named))
        return result

    return found


@quiet()
def load(word: str, words: Iterable[str] = (), zero_sum: bool | None = None, **limits: Any) -> Subject:
    """Loads an environment by name; `zero_sum` and the `limits` seed, seconds and games are attributes of `Subject`.

    `word` is an id of PettingZoo (`classic/rps-v2`) or Gymnasium (`CartPole-v1`, `minigrid:MiniGrid-Empty-5x5-v0`), a
    module with `env` or `parallel_env` (`pettingzoo.classic.rps_v2`), or `module:name` of an object with these, or of a
    callable that makes an environment of either library. `words` are parameters, `KEY=VALUE`, of Python literals or
    text. Raises a ValueError if there is no such environment, or if it cannot be made with these parameters.
    """
    name, parameters = " ".join([word, *(words := list(words))]), parameters_of(words)
    makers = _registered(word, parameters) if is_id(word) else _found(word, parameters)
    one = makers.get("gymnasium")
    parallel = makers.get("parallel") if one is None else partial(Solo, one)
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


def is_id(word: str) -> bool:
    """Whether a name is an id of PettingZoo or Gymnasium, not a module or an object in one."""
    return "/" in word or "-" in word


def _registered(word: str, parameters: Mapping[str, Any]) -> Makers:
    makers: Makers = {}
    reasons: list[str] = []
    for kind in ("aec", "parallel") if "/" in word else ():
        try:
            pettingzoo.spec(kind, word)
            makers[kind] = partial(pettingzoo.make, kind, word)
        except AttributeError:
            reasons = [f"PettingZoo's ids need pettingzoo>=1.27, not {pettingzoo.__version__}; name the module instead"]
        except Exception as error:
            reasons = [str(error)]
    if makers:
        return makers
    try:
        gymnasium.make(word, **parameters).close()
    except Exception as error:
        raise ValueError(f"{word}: {'; '.join([*reasons, in_a_line(error)])}") from None
    return {"gymnasium": partial(gymnasium.make, word, disable_env_checker=True)}


def _named(word: str) -> Any:
    """The module, or the object in one, of this name; None if the name is an id."""
    if is_id(word):
        return None
    name, _, attribute = word.partition(":")
    return attrgetter(attribute)(import_module(name)) if attribute else import_module(name)


def _found(word: str, parameters: Mapping[str, Any]) -> Makers:
    name, _, attribute = word.partition(":")
    with failing(f"cannot import {name!r}:", ValueError):
        import_module(name)
    try:
        found = _named(word)
    except AttributeError:
        raise ValueError(f"{word}: {name} has no {attribute!r}") from None
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


def description(subject: Subject) -> str:
    """A text from which another process makes the subject; raises Skipped if that cannot import its function."""
    limits = {name: getattr(subject, name) for name in ("zero_sum", "seed", "seconds", "games")}
    words = [f"{name}={value!r}" for name, value in subject.parameters.items()]
    makers = subject.aec, subject.parallel
    named = partial(load, subject.word, words) if subject.word else partial(Subject, subject.name, *makers)
    more = limits if subject.word else {"parameters": dict(subject.parameters), **limits}
    # An id of Gymnasium names the module that registers it, if any has to.
    spec: Any = pettingzoo.spec if "/" in subject.word and not subject.gymnasium else None
    made = (kind for kind, make in zip(("aec", "parallel"), makers, strict=True) if make and spec)
    entries = [spec(kind, subject.word).entry_point for kind in made]
    imports = [each.partition(":")[0] if isinstance(each, str) else each.__module__ for each in entries]
    try:
        return pickle.dumps((imports, partial(named, **more))).hex()
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise Skipped(f"another process cannot import what makes the environment: {in_a_line(error)}") from None


def remade(told: str) -> Subject:
    """The subject that `description` describes."""
    imports, make = pickle.loads(bytes.fromhex(told))
    for module in imports:
        import_module(module)
    subject: Subject = make()
    return subject
