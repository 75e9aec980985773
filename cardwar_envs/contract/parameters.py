"""Checks of a game as a value: a frozen dataclass, equal to another exactly if all parameters are equal."""

from __future__ import annotations

import dataclasses
import inspect
from typing import Any

from cardwar_envs.conformance.verdicts import Failed, in_a_line
from cardwar_envs.contract.case import Case
from cardwar_envs.contract.places import short
from cardwar_envs.contract.states import COPIES


def game_is_a_frozen_dataclass(case: Case) -> None:
    """The class is a frozen dataclass, and all its annotations are parameters."""
    kind = type(case.game)
    if not dataclasses.is_dataclass(kind):
        raise Failed(f"{kind.__name__} is no dataclass")
    names = {field.name for field in dataclasses.fields(kind)}
    for base in kind.__mro__:
        for name, hint in inspect.get_annotations(base).items():
            if (
                not base.__module__.startswith("cardwar_envs.core.")
                and name not in names
                and "ClassVar" not in str(hint)
            ):
                raise Failed(f"{base.__name__}.{name} is annotated, but no parameter: {base.__name__} is no dataclass")
    for name in names:
        try:
            setattr(case.game, name, getattr(case.game, name))
        except dataclasses.FrozenInstanceError:
            continue
        raise Failed(f"{kind.__name__}.{name} can be set: the dataclass is not frozen")


class _Other:
    """A value that no parameter has."""

    def __repr__(self) -> str:
        return "another value"


def unlike_games_differ(case: Case) -> None:
    """Games are equal, with equal hashes, exactly if their class and parameters are.

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
        raise Failed("a game of the same parameters is not equal to it, or has another hash")
    for field in dataclasses.fields(kind):
        if _made(kind, game, **{field.name: _Other()}) == game:
            raise Failed(
                f"a game that differs in {field.name} counts as equal: what is known of one is taken for the other"
            )
    if _made(type(kind.__name__, (kind,), {}), game) == game:
        raise Failed("a game of a subclass counts as equal to it, although its rules may be others")


def _made(kind: type[Any], game: Any, **changes: Any) -> Any:
    """A copy of a game with some parameters changed, unchecked."""
    made = object.__new__(kind)
    for field in dataclasses.fields(kind):
        object.__setattr__(made, field.name, changes.get(field.name, getattr(game, field.name)))
    return made


def parameters_make_the_game_again(case: Case) -> None:
    """`parameters` lists every field and makes an equal game; so do pickling and copying."""
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
            raise Failed(f"the game made {words} is another: {short(again)}, not {short(game)}")
