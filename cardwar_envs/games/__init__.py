"""The games: one file each, and the one list of them."""

from __future__ import annotations

import dataclasses
from typing import Any

from cardwar_envs.core.game import Game
from cardwar_envs.games.dice_poker import DicePoker
from cardwar_envs.games.dice_wars import DiceWars
from cardwar_envs.games.dinosaur_war import DinosaurWar
from cardwar_envs.games.jujitsu import Jujitsu
from cardwar_envs.games.war import War

GAMES: dict[str, type[Game[Any]]] = {game.name: game for game in (DinosaurWar, Jujitsu, DiceWars, War, DicePoker)}


def make_game(name: str, **parameters: Any) -> Game[Any]:
    """The game of that name with those parameters.

    Args:
        name: A key of `GAMES`.
        **parameters: Fields of the game's dataclass; those not given have their defaults.

    Raises:
        ValueError: If there is no such game or parameter, or a parameter has a value that
            the game does not allow.
    """
    if name not in GAMES:
        raise ValueError(f"unknown game {name!r}; known are {', '.join(GAMES)}")
    fields = [field.name for field in dataclasses.fields(GAMES[name])]  # type: ignore[arg-type]  # games are dataclasses
    for parameter in parameters:
        if parameter not in fields:
            raise ValueError(f"{name} has no parameter {parameter!r}; it has {', '.join(fields)}")
    return GAMES[name](**parameters)
