"""Makes our games available in OpenSpiel, with simultaneous nodes, chance nodes and information states."""

from __future__ import annotations

import re
from typing import Any

from cardwar_envs.core.game import Game
from cardwar_envs.openspiel.loading import require_pyspiel

REGISTERED: dict[str, Game[Any]] = {}


def to_openspiel(game: Game[Any]) -> Any:
    """Registers a game with OpenSpiel and loads it.

    `pyspiel.load_game(str(loaded))` loads it again in the same process. An information state holds the player's
    observations and actions so far. The state has a tensor if it needs at most 100,000 numbers.

    Args:
        game: Any game.

    Returns:
        The `pyspiel.Game`. Its name consists of `cardwar_`, the game's name and the parameters that differ from the
        defaults.

    Raises:
        ValueError: If the extra `openspiel` is not installed.
    """
    spiel = require_pyspiel()
    from cardwar_envs.openspiel.spiel_game import register

    name = _spiel_name(game)
    while REGISTERED.get(name, game) != game:  # another game's parameters differ only in punctuation
        name += "_"
    if name not in REGISTERED:
        register(name, game)
        REGISTERED[name] = game
    return spiel.load_game(name)


def _spiel_name(game: Game[Any]) -> str:
    """A name that contains the parameters, since OpenSpiel's parameters can only be numbers and comma-free strings."""
    defaults = _defaults(game)
    given = [f"{key}_{value}" for key, value in game.parameters().items() if defaults.get(key, ...) != value]
    return re.sub(r"\W+", "_", "_".join(["cardwar", game.facts.name, *given])).strip("_")


def _defaults(game: Game[Any]) -> dict[str, Any]:
    try:
        return type(game)().parameters()
    except (TypeError, ValueError):  # parameters without defaults
        return {}
