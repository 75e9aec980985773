"""Reads replays of Kaggle environments, as `env.toJSON()` lays them out: games of OpenSpiel, played by its rules.

A replay has the game and its moves several times: in the configuration, as OpenSpiel's history, as each player's
actions, and in the rewards. All of these must agree.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, TypeVar

from cardwar_envs.core.parameters import shown
from cardwar_play.recorded.openspiel import Trace, judged, numbers, spiel_of
from cardwar_play.recorded.played import Played

PREFIX = "open_spiel_"
# The version of the environment that is known, and of the layout.
VERSION, LAYOUT = "0.1.0", 1
# Number of steps before the first move: one before the first outcome of chance, and one that shows the start.
OPENING = 2
# OpenSpiel's games with observations in JSON; the rules are the same.
PROXY = re.compile(r"^(\w+)_proxy\b")
Part = TypeVar("Part")


def read(replay: Mapping[str, Any]) -> Played:
    """Reads the replay of one game.

    Raises:
        ValueError: As `judged`; also if the environment is not one of OpenSpiel's games or has another version, or the
            game was forfeited.
    """
    versions = _part(replay, "version", str), _part(replay, "schema_version", int)
    if not _part(replay, "name", str).startswith(PREFIX) or versions != (VERSION, LAYOUT):
        environment = f"the environment ({shown(replay['name'])}, version and schema_version {versions})"
        raise ValueError(f"{environment} must be one of OpenSpiel's games, {PREFIX}..., {(VERSION, LAYOUT)}")
    info, steps = _part(replay, "info", dict), _part(replay, "steps", list)
    history = numbers(" ".join(map(str, _part(info, "actionHistory", list))))
    names = map(str, _part(info, "TeamNames", list) if "TeamNames" in info else [])
    moves = [_move(number, step) for number, step in enumerate(steps)][OPENING:]
    return judged(Trace(_game(replay), history, _part(replay, "rewards", list), moves, list(names)))


def _game(replay: Mapping[str, Any]) -> str:
    """Returns the name of the game that was played, which must be the one that the configuration asks for."""
    played = PROXY.sub(r"\1", _part(replay, "info.openSpielGameStringResolved", str))
    asked = PROXY.sub(r"\1", _part(replay, "configuration.openSpielGameString", str))
    # As the environment does: parameters that are not the default ones replace those in the game's name.
    default = _part(replay, "specification.configuration.openSpielGameParameters.default", dict)
    given = _part(replay, "configuration.openSpielGameParameters", dict).items()
    expected = spiel_of(asked).get_parameters() | {name: each for name, each in given if each != default.get(name)}
    short = PREFIX + spiel_of(played).get_type().short_name
    if spiel_of(played).get_parameters() != expected or short != replay["name"]:
        raise ValueError(f"the game ({played}) must be the one configured, {replay['name']} with {expected}")
    return played


def _move(number: int, step: Any) -> dict[int, Any]:
    """Returns the joint action of a step (seat -> action)."""
    if not isinstance(step, list):
        raise ValueError(f"step {number} must be a list of the players' states")
    for player, agent in enumerate(step):
        if (status := _part(agent, "status", str)) not in ("ACTIVE", "INACTIVE", "DONE"):
            raise ValueError(f"step {number}: player_{player} has status {shown(status)}")
    applied = [_part(agent, "info", dict).get("actionApplied") for agent in step]
    return {player: action for player, action in enumerate(applied) if action is not None}


def _part(content: Any, path: str, kind: type[Part]) -> Part:
    for name in path.split("."):
        content = content.get(name) if isinstance(content, dict) else None
    if not isinstance(content, kind):
        raise ValueError(f"{path} ({shown(content)}) must be of type {kind.__name__}")
    return content
