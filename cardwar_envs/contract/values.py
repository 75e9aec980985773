"""Checks that games and states are values: immutable, and equal if and only if they are interchangeable."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
from collections import deque
from collections.abc import Callable
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from cardwar_envs.contract.answers import Node, asking, place, short
from cardwar_envs.contract.case import Case
from cardwar_envs.contract.verdicts import Failed, NotApplicable, in_a_line
from cardwar_envs.core.cached import slots_of

FIXED = (int, float, complex, str, bytes, type(None), Fraction, Decimal, Enum, range, np.generic)
CHANGING = (list, dict, set, bytearray, np.ndarray, deque)
ASKED_AGAIN = 500
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


def states_are_values(case: Case) -> None:
    """States are hashable, immutable and equal to their copies, and equal states have the same rules."""
    if case.walk.unhashable:
        raise Failed(case.walk.unhashable)
    for node in case.nodes:
        if part := changing_part(node.state):
            raise Failed(f"{place(node.state)}: {part} can be changed")
    for node in case.some(ASKED_AGAIN):
        for words, copied in COPIES.items():
            with asking(f"making it {words}", node.state):
                twin = copied(node.state)
                same = twin == node.state and hash(twin) == hash(node.state) and type(twin) is type(node.state)
            if not same:
                raise Failed(f"{place(node.state)}: {words}, it differs from the original, or its hash or type does")
    for one, other in case.walk.twins:
        if _answers(case, one) != _answers(case, other):
            raise Failed(f"{place(one)} and {place(other)} count as equal, but the rules treat them differently")


def changing_part(value: Any, path: str = "the state") -> str:
    """The path of a mutable part of a value; "" if there is none."""
    if isinstance(value, FIXED):
        return ""
    if isinstance(value, CHANGING):
        return f"{path}, a {type(value).__name__},"
    if isinstance(value, tuple | frozenset):
        names = getattr(value, "_fields", None) or [f"[{i}]" for i in range(len(value))]
        parts = zip(names, value, strict=True)
        return next((found for name, part in parts if (found := changing_part(part, f"{path}, {name}"))), "")
    for name in (*getattr(value, "__dict__", ()), *slots_of(value)):
        part = getattr(value, name)
        try:
            setattr(value, name, part)
        except (AttributeError, TypeError):  # raised by frozen dataclasses
            if found := changing_part(part, f"{path}, {name}"):
                return found
        else:
            return f"{path}, {name}"
    return ""


def answers_repeat(case: Case) -> None:
    """Repeated calls of a rule return the same result and change neither the state nor the actions."""
    game = case.game
    if tuple(game.initial()) != case.walk.starts:
        raise Failed("initial returns different starts when called again")
    for node in case.some(ASKED_AGAIN):
        before = copy.deepcopy(node.state)
        first, second = _answers(case, node.state), _answers(case, node.state)
        for question, answer in first.items():
            if answer != second[question]:
                found = f"first {short(answer)}, then {short(second[question])}"
                raise Failed(f"{place(node.state)}: {question} returns {found}")
        if not case.walk.unhashable and node.state != before:
            raise Failed(f"calling the rules changed state {short(before)} to {short(node.state)}")
        _require_moves_again(case, node, before)


def _require_moves_again(case: Case, node: Node, before: Any) -> None:
    for actions, outcomes in node.moves.items():
        chosen = node.chosen(actions)
        again = tuple(case.game.transitions(node.state, chosen))
        fault = ""
        if again != outcomes and repr(again) != repr(outcomes):  # NaN payments are not equal to themselves
            fault = f"transitions are first {short(outcomes)}, then {short(again)}"
        elif chosen != node.chosen(actions):
            fault = f"transitions changes the dict of actions to {chosen}"
        elif node.state != before:
            fault = f"transitions changes the state to {short(node.state)}"
        if fault:
            raise Failed(f"{place(before, actions=node.chosen(actions))}: {fault}")


def _answers(case: Case, state: Any) -> dict[str, Any]:
    """What the rules return for a state, except its transitions; for an error, its type."""
    game = case.game
    questions: dict[str, Callable[[], Any]] = {
        "acting_players": lambda: tuple(game.acting_players(state)),
        "live_players": lambda: tuple(game.live_players(state)),
        "settled": lambda: game.settled(state),
        "canonical": lambda: game.canonical(state),
        "describe": lambda: game.describe(state),
        "facts": lambda: game.facts,
    }
    for player in game.live_players(state):
        questions[f"legal_actions of player_{player}"] = partial(game.legal_actions, state, player)
        questions[f"canonical_actions of player_{player}"] = partial(game.canonical_actions, state, player)
    for player in range(case.facts.num_players):
        questions[f"observation of player_{player}"] = partial(game.observation, state, player)
    return {question: _answer(ask) for question, ask in questions.items()}


def _answer(ask: Callable[[], Any]) -> Any:
    try:
        answer = ask()
    except Exception as error:
        return type(error).__name__
    return answer.tolist() if isinstance(answer, np.ndarray) else answer
