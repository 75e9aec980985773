"""The games: one file each, and the one list of them."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, TypeVar

from cardwar_envs.core.game import Game
from cardwar_envs.games.dice_poker import DicePoker
from cardwar_envs.games.dice_wars import DiceWars
from cardwar_envs.games.dinosaur_war import DinosaurWar
from cardwar_envs.games.jujitsu import Jujitsu
from cardwar_envs.games.war import War

V = TypeVar("V")

GAMES: dict[str, type[Game[Any]]] = {game.name: game for game in (DinosaurWar, Jujitsu, DiceWars, War, DicePoker)}

# A field of a game cannot be called `observation`, which is a method; whoever makes an environment may call it that.
ALIASES = {"observation": "view"}


def field_names(name: str, parameters: Mapping[str, V]) -> dict[str, V]:
    """Parameters under the names of the game's fields.

    Raises:
        ValueError: If there is no such game or parameter, or one is given under two names.
    """
    if name not in GAMES:
        raise ValueError(f"unknown game {name!r}; known are {', '.join(GAMES)}")
    fields = [field.name for field in dataclasses.fields(GAMES[name])]  # type: ignore[arg-type]  # games are dataclasses
    named: dict[str, V] = {}
    for parameter, value in parameters.items():
        field = parameter if parameter in fields else ALIASES.get(parameter, parameter)
        if field not in fields:
            raise ValueError(f"{name} has no parameter {parameter!r}; it has {', '.join(fields)}")
        if field in named:
            raise ValueError(f"{field} is given twice, once as {parameter}")
        named[field] = value
    return named


def make_game(name: str, **parameters: Any) -> Game[Any]:
    """The game of that name with those parameters.

    Args:
        name: A key of `GAMES`.
        **parameters: Fields of the game's dataclass; those not given have their defaults. `view` may be
            called `observation`.

    Raises:
        ValueError: If there is no such game or parameter, or a parameter has a value that
            the game does not allow.
    """
    fields = field_names(name, parameters)  # first, as it checks the name
    return GAMES[name](**fields)
