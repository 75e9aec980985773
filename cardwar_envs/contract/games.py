"""Checks of a game's facts, and of games as values: frozen, and equal if and only if they are interchangeable."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import math
import pickle
import re
from collections.abc import Callable, Iterator
from typing import Any, get_args

from cardwar_envs.contract.case import Case
from cardwar_envs.contract.verdicts import Failed, NotApplicable, in_a_line, short
from cardwar_envs.core.game import Chance, Game, GameFacts

NAME = re.compile(r"[a-z][a-z0-9_]*")
COUNTS = {"version": 0, "num_players": 1, "num_actions": 1, "max_length": 1}
YES_OR_NO = ("zero_sum", "seat_symmetric", "public_state", "everyone_acts")


def facts_are_well_formed(case: Case) -> None:
    """Name and version equal those of the class, counts are integers, and bounds are finite and in order."""
    for fault in _faults(case.game):
        raise Failed(fault)


def _faults(game: Game[Any]) -> Iterator[str]:
    facts = game.facts
    if not isinstance(facts, GameFacts):
        yield f"facts are {short(facts)}, not GameFacts"
        return
    # The name of another library's game follows a colon.
    name = facts.name.partition(":")[0] if isinstance(facts.name, str) else facts.name
    for what, declared in (("name", name), ("version", facts.version)):
        of_class = getattr(type(game), what, None)
        if declared != of_class:
            yield f"{what} is {declared!r} in the facts, but {of_class!r} in the class"
    if not isinstance(name, str) or not NAME.fullmatch(name):
        yield f"name {facts.name!r} must be lower-case letters, digits and underscores"
    for what, least in COUNTS.items():
        if not _is_whole(getattr(facts, what), least):
            yield f"{what} ({getattr(facts, what)!r}) must be a whole number, at least {least}"
    for what in YES_OR_NO:
        if not isinstance(getattr(facts, what), bool):
            yield f"{what} ({getattr(facts, what)!r}) must be True or False"
    yield from _bound_faults(facts.observation_low, facts.observation_high)
    yield from _limit_faults(facts)


def _limit_faults(facts: GameFacts) -> Iterator[str]:
    if facts.chance not in get_args(Chance):
        yield f"chance ({facts.chance!r}) must be one of {', '.join(map(repr, get_args(Chance)))}"
    if facts.max_rounds is not None and not (_is_whole(facts.max_rounds, 1) and facts.max_rounds <= facts.max_length):
        yield f"max_rounds ({facts.max_rounds!r}) must be None or in 1..max_length, which is {facts.max_length}"
    if not (_is_finite(facts.min_payoff, facts.max_payoff) and facts.min_payoff <= facts.max_payoff):
        yield f"payoffs in {facts.min_payoff!r}..{facts.max_payoff!r} must be finite, the lower bound first"


def _bound_faults(low: Any, high: Any) -> Iterator[str]:
    if not isinstance(low, tuple) or not isinstance(high, tuple) or len(low) != len(high) or not low:
        yield "observation_low and observation_high must be tuples with a number for each entry of an observation"
        return
    for entry, (least, most) in enumerate(zip(low, high, strict=True)):
        if not (_is_finite(least, most) and least <= most):
            yield f"entry {entry} of an observation: {least!r}..{most!r} must be finite, the lower bound first"


def _is_whole(number: Any, least: int) -> bool:
    return isinstance(number, int) and not isinstance(number, bool) and number >= least


def _is_finite(*numbers: Any) -> bool:
    return all(isinstance(number, int | float) and math.isfinite(number) for number in numbers)


SIZES = range(1, 7)


COPIES: dict[str, Callable[[Any], Any]] = {
    "pickled": lambda state: pickle.loads(pickle.dumps(state)),
    "copied": copy.copy,
    "copied in depth": copy.deepcopy,
}


def game_is_a_frozen_dataclass(case: Case) -> None:
    """The class is a frozen dataclass, and all annotated attributes are parameters."""
    kind = type(case.game)
    if not dataclasses.is_dataclass(kind):
        raise Failed(f"{kind.__name__} is not a dataclass")
    names = {field.name for field in dataclasses.fields(kind)}
    for base in kind.__mro__:
        for name, hint in inspect.get_annotations(base).items():
            if (
                not base.__module__.startswith("cardwar_envs.core.")
                and name not in names
                and "ClassVar" not in str(hint)
            ):
                what = f"{base.__name__}.{name} is annotated, but is not a parameter"
                raise Failed(f"{what}, because {base.__name__} is not a dataclass")
    for name in names:
        try:
            setattr(case.game, name, getattr(case.game, name))
        except dataclasses.FrozenInstanceError:
            continue
        raise Failed(f"{kind.__name__}.{name} can be set: the dataclass is not frozen")


class _Other:
    """A value that differs from all values of parameters."""

    def __repr__(self) -> str:
        return "another value"


def unlike_games_differ(case: Case) -> None:
    """Games are equal, with equal hashes, if and only if their class and parameters are equal.

    Results computed for one game are reused for all equal games.
    """
    game, kind = case.game, type(case.game)
    if not dataclasses.is_dataclass(kind):
        return
    try:
        same = hash(_made(kind, game)) == hash(game)
    except Exception as error:
        raise Failed(f"the game cannot be hashed: {in_a_line(error)}") from error
    if _made(kind, game) != game or not same:
        raise Failed("a game with the same parameters is not equal to this game, or has a different hash")
    for field in dataclasses.fields(kind):
        if _made(kind, game, **{field.name: _Other()}) == game:
            raise Failed(
                f"a game that differs in {field.name} counts as equal: results of one would be reused for the other"
            )
    if _made(type(kind.__name__, (kind,), {}), game) == game:
        raise Failed("a game of a subclass counts as equal to this game, although its rules may differ")


def _made(kind: type[Any], game: Any, **changes: Any) -> Any:
    """A copy of a game with some parameters changed, unchecked."""
    made = object.__new__(kind)
    for field in dataclasses.fields(kind):
        object.__setattr__(made, field.name, changes.get(field.name, getattr(game, field.name)))
    return made


def parameters_make_the_game_again(case: Case) -> None:
    """`parameters` returns all fields and makes an equal game; pickling and copying also give equal games."""
    game, kind = case.game, type(case.game)
    parameters = game.parameters()
    if not dataclasses.is_dataclass(kind):
        return
    names = [field.name for field in dataclasses.fields(kind)]
    if not isinstance(parameters, dict) or sorted(parameters) != sorted(names):
        raise Failed(f"parameters are {short(parameters)}; the fields are {', '.join(names)}")
    for words, make in {"from its parameters": lambda game: kind(**parameters), **COPIES}.items():
        try:
            again = make(game)
        except Exception as error:
            raise Failed(f"the game cannot be made {words}: {in_a_line(error)}") from error
        if type(again) is not kind or again.parameters() != parameters:
            raise Failed(f"the game made {words} is a different game: {short(again)}, not {short(game)}")


def other_sizes_are_the_same_game(case: Case) -> None:
    """`smallest` and `with_size` return games of the same class and name; the size is the value of one parameter."""
    game = case.game
    sized = {size: found for size in SIZES if (found := _with_size(game, size)) is not None}
    smallest = game.smallest()
    if smallest is None and not sized:
        raise NotApplicable("the game defines neither `smallest` nor `with_size`")
    made = {f"with_size({size})": found for size, found in sized.items()} | {"smallest()": smallest}
    for question, found in made.items():
        if found is not None and (type(found) is not type(game) or found.facts.name != game.facts.name):
            raise Failed(f"{question} returns {short(found)}, which is not a game of this class and name")
    fitting = game.parameters()
    for size, found in sized.items():
        fitting = {name: own for name, own in fitting.items() if getattr(found, name) == size}
    if sized and not any(_with_size(game, own) == game for own in fitting.values()):
        raise Failed(f"no parameter has the value `size` in the games that with_size(size) returns: {short(sized)}")


def _with_size(game: Any, size: Any) -> Any:
    """The game of that size; None if there is none."""
    try:
        return game.with_size(size)
    except ValueError:
        return None
