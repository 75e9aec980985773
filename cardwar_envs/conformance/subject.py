"""What is checked: an environment, found by the name of its module or by its PettingZoo id."""

from __future__ import annotations

import ast
import importlib
import itertools
import logging
import os
import time
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Generic, Literal, Protocol, TypeVar, runtime_checkable

import pettingzoo

from cardwar_envs.conformance.kinds import AECPlay, ParallelPlay
from cardwar_envs.conformance.play import Play, beneath, is_converted
from cardwar_envs.conformance.verdicts import NotApplicable, in_a_line

P = TypeVar("P", bound=Play)
# Processor time for one environment; with nothing new to see it takes a few seconds.
SECONDS = 32.0
# A search also ends after so many times its share by the wall clock: the environment sleeps, or the machine is busy.
PATIENCE = 10.0
# A search that its time has ended after fewer rounds than this has seen little.
FEW_ROUNDS = 2
PICTURES = ("ansi", "rgb_array")


@runtime_checkable
class Rules(Protocol):
    """What the kit asks of the rules behind an environment; every game of `cardwar_envs` has it."""

    @property
    def facts(self) -> Any:
        """What is true of the game: `zero_sum` and `max_length`, a bound on its joint actions."""

    def initial(self) -> Sequence[Any]:
        """The possible starts."""

    def parameters(self) -> Mapping[str, Any]:
        """The parameters of the game by name."""


@dataclass(frozen=True)
class Skin(Generic[P]):
    """One of the two kinds of environment of a subject.

    Attributes:
        kind: "AEC" or "Parallel".
        make: Makes the environment; takes its parameters.
        blind: Names of infos that differ each time, and are left out of comparisons.
        recent: The environments that were driven last, each with its parameters.
    """

    kind: str
    make: Callable[..., Any]
    _play: type[P]
    blind: frozenset[str] = frozenset()
    recent: deque[tuple[Mapping[str, Any], Play]] = field(default_factory=partial(deque, maxlen=2), compare=False)

    def new(self, choices: int = 0, **parameters: Any) -> P:
        """A fresh environment to be driven, with the seed of the choices that are to be made in it."""
        play = self._play(self.make(**parameters), choices, self.blind)
        self.recent.append((parameters, play))
        return play


@dataclass(frozen=True)
class Subject:
    """An environment to be checked, in one or both of PettingZoo's kinds.

    Attributes:
        name: For reports.
        aec: Makes the AEC environment, if there is one.
        parallel: Makes the Parallel environment, if there is one.
        parameters: Keyword arguments for both.
        zero_sum: Whether the rewards of an episode sum to zero; if None, what the environment declares.
        value: Exact payoff of player 0 in equilibrium, payoff points; if None, that of an installed oracle.
        seed: Decides the games that are played.
        seconds: Processor seconds for all checks together, about; the wall clock may show `PATIENCE` times as many.
        games: Each search ends after so many games or situations, however fast the machine is; None: only by `seconds`.
        word: The name that `load` finds it by; empty if it was not found so.
        recent: The environments that were driven last, each with its parameters.
        cut: Rounds of the searches that ran out of time since this was last cleared.
    """

    name: str
    aec: Callable[..., Any] | None = None
    parallel: Callable[..., Any] | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    zero_sum: bool | None = None
    value: float | None = None
    seed: int = 0
    seconds: float = SECONDS
    games: int | None = None
    word: str = ""
    recent: deque[tuple[Mapping[str, Any], Play]] = field(default_factory=partial(deque, maxlen=2), compare=False)
    cut: list[int] = field(default_factory=list, compare=False)
    _found: dict[Any, Any] = field(default_factory=dict, compare=False)

    def skins(self, blind: frozenset[str] = frozenset()) -> list[Skin[Any]]:
        """The kinds that the environment comes in, AEC first."""
        kinds = (("AEC", self.aec, AECPlay), ("Parallel", self.parallel, ParallelPlay))
        return [
            Skin(kind, partial(make, **self.parameters), play, blind, self.recent)
            for kind, make, play in kinds
            if make is not None
        ]

    def own_skins(self, blind: frozenset[str] = frozenset()) -> list[Skin[Any]]:
        """The kinds, without an AEC that PettingZoo has made of a Parallel.

        Its converter keeps what it is handed, unexamined, until all have acted.
        """
        return [skin for skin in self.skins(blind) if skin.kind != "AEC" or not is_converted(skin.make())]

    def once(self, name: Any, find: Callable[[], Any]) -> Any:
        """What `find` returns, which is looked for once for all checks."""
        if name not in self._found:
            self._found[name] = find()
        return self._found[name]

    def time(self, share: float) -> Iterator[int]:
        """Counts from 0 until this share of the seconds is used up, or all `games` are counted; at least once.

        Counts processor time, so that other work on the machine does not change what is found. The shares of all
        searches, of both kinds and three render modes, add up to about 1.
        """
        used, began, seconds = processor_seconds(), time.monotonic(), share * self.seconds
        for number in itertools.count():
            yield number
            if number + 1 == self.games:
                return
            if processor_seconds() - used > seconds or time.monotonic() - began > PATIENCE * seconds:
                self.cut.append(number + 1)
                return

    def skin(self, kind: str) -> Skin[Any]:
        """The skin of that kind.

        Raises:
            NotApplicable: If there is none.
        """
        for skin in self.skins():
            if skin.kind == kind:
                return skin
        raise NotApplicable(f"there is no {kind} version")

    def any_env(self) -> Any:
        """A fresh environment of the first kind that there is."""
        return self.skins()[0].make()

    def pictures(self) -> list[str]:
        """The render modes that return something, text first."""
        return [mode for mode in PICTURES if mode in self.any_env().metadata.get("render_modes", ())]

    def simultaneous(self) -> bool:
        """Whether moves are made at once: the AEC environment says so, or there is a Parallel one."""
        if self.parallel is not None:
            return True
        return bool(self.any_env().metadata.get("is_parallelizable", False))

    def game(self) -> Rules | None:
        """The rules behind the environment, if it has them as its attribute `game`; else None."""
        game = getattr(self.any_env().unwrapped, "game", None)
        return game if isinstance(game, Rules) else None


def processor_seconds() -> float:
    """Processor time that this process and its ended children have used."""
    times = os.times()
    return time.process_time() + times.children_user + times.children_system


@contextmanager
def quiet() -> Iterator[None]:
    """Suppresses warnings: PettingZoo warns at imports by module and logs at every illegal action."""
    level = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(level)


def load(
    word: str,
    words: Iterable[str] = (),
    zero_sum: bool | None = None,
    seed: int = 0,
    seconds: float = SECONDS,
    games: int | None = None,
) -> Subject:
    """The environment of that name.

    Args:
        word: A PettingZoo id (`cardwar/jujitsu-v0`), a module with `env` or `parallel_env`
            (`pettingzoo.classic.rps_v2`), or `module:name` of an object with these, or of a callable
            that makes an environment.
        words: Parameters of the environment, `KEY=VALUE`; values that are Python literals are read as such.
        zero_sum: Whether rewards sum to zero, where the environment does not say.
        seed: Decides the games that are played.
        seconds: Processor seconds for all checks together.
        games: How many games or situations each search may look at.

    Raises:
        ValueError: If there is no such environment, or it cannot be made with these parameters.
    """
    with quiet():
        return _load(word, list(words), zero_sum=zero_sum, seed=seed, seconds=seconds, games=games)


def _load(word: str, words: list[str], **more: Any) -> Subject:
    parameters = parameters_of(words)
    aec, parallel = _registered(word) if "/" in word else _found(word, parameters)
    subject = Subject(" ".join([word, *words]), aec, parallel, parameters, word=word, **more)
    if not subject.skins():
        raise ValueError(f"{word}: has neither env nor parallel_env, nor makes an environment")
    for skin in subject.skins():
        try:
            skin.make().close()
        except Exception as error:
            raise ValueError(f"{subject.name}: cannot be made: {type(error).__name__}: {error}") from error
    return subject


def _registered(word: str) -> tuple[Callable[..., Any] | None, Callable[..., Any] | None]:
    makers: dict[str, Callable[..., Any]] = {}
    kinds: tuple[Literal["aec", "parallel"], ...] = ("aec", "parallel")
    for kind in kinds:
        try:
            pettingzoo.spec(kind, word)
        except Exception as error:
            reason = error
        else:
            makers[kind] = partial(pettingzoo.make, kind, word)
    if not makers:
        raise ValueError(f"{word}: {reason}") from reason
    return makers.get("aec"), makers.get("parallel")


def _found(word: str, parameters: Mapping[str, Any]) -> tuple[Callable[..., Any] | None, Callable[..., Any] | None]:
    name, _, attribute = word.partition(":")
    try:
        found: Any = importlib.import_module(name)
    except Exception as error:
        raise ValueError(f"cannot import {name!r}: {error}") from error
    for part in filter(None, attribute.split(".")):
        if not hasattr(found, part):
            raise ValueError(f"{word}: {name} has no {attribute!r}")
        found = getattr(found, part)
    aec, parallel = getattr(found, "env", None), getattr(found, "parallel_env", None)
    if aec is not None or parallel is not None or not callable(found):
        return aec, parallel
    env = _made(word, found, parameters)
    other = partial(beneath, found) if is_converted(env) else None
    return (other, found) if isinstance(env, pettingzoo.ParallelEnv) else (found, other)


def _made(word: str, factory: Callable[..., Any], parameters: Mapping[str, Any]) -> Any:
    """What a factory makes, which must be an environment."""
    try:
        env = factory(**parameters)
    except Exception as error:
        raise ValueError(f"{word}: cannot be called with {dict(parameters)}: {in_a_line(error)}") from error
    if not isinstance(env, (pettingzoo.AECEnv, pettingzoo.ParallelEnv)):
        raise ValueError(f"{word}: returned {type(env).__name__}, which is no environment of PettingZoo")
    return env


def parameters_of(words: Iterable[str]) -> dict[str, Any]:
    """Parameters from words `KEY=VALUE`; values that are Python literals are read as such.

    Raises:
        ValueError: If a word does not read so.
    """
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
