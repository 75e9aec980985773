"""The games, and the one list of them."""

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


def field_names(name: str, parameters: Mapping[str, V]) -> dict[str, V]:
    """The parameters of a game, by the names of its fields; only the names are checked.

    Raises:
        ValueError: If there is no such game or parameter.
    """
    if name not in GAMES:
        raise ValueError(f"unknown game {name!r}; known are {', '.join(GAMES)}")
    fields = [field.name for field in dataclasses.fields(GAMES[name])]  # type: ignore[arg-type]  # games are dataclasses
    for parameter in parameters:
        if parameter not in fields:
            raise ValueError(f"{name} has no parameter {parameter!r}; it has {', '.join(fields)}")
    return dict(parameters)


def make_game(name: str, **parameters: Any) -> Game[Any]:
    """The game of that name with those parameters.

    Args:
        name: A key of `GAMES`.
        **parameters: Fields of the game's dataclass; fields that are not given have their defaults.

    Raises:
        ValueError: If there is no such game or parameter, or the game does not allow the value of
            a parameter.
    """
    fields = field_names(name, parameters)  # this checks the name, too
    return GAMES[name](**fields)
