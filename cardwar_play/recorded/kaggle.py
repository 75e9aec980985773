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


def is_replay(content: Mapping[str, Any] | str) -> bool:
    """Returns whether content is laid out as a replay of a Kaggle environment."""
    return not isinstance(content, str) and {"name", "configuration", "steps"} <= content.keys()


def read(content: Mapping[str, Any], where: str) -> Played:
    """Reads the replay of one game.

    Raises:
        ValueError: As `judged`; also if the environment is not one of OpenSpiel's games or has another version, or the
            game was forfeited or began with moves that no player made.
    """
    return judged(_trace, content, where)


def _trace(replay: Mapping[str, Any]) -> Trace:
    if not _part(replay, "name", str).startswith(PREFIX):
        raise ValueError(f"the environment ({shown(replay['name'])}) must be one of OpenSpiel's games, {PREFIX}...")
    versions = _part(replay, "version", str), _part(replay, "schema_version", int)
    if versions != (VERSION, LAYOUT):
        raise ValueError(f"version and schema_version ({versions}) must be {(VERSION, LAYOUT)}")
    info, steps = _part(replay, "info", dict), _part(replay, "steps", list)
    if info.get("initialActions") or _part(replay, "configuration", dict).get("useOpenings"):
        raise ValueError("the game begins with moves that no player made (initialActions, useOpenings)")
    if len(steps) < OPENING or not all(isinstance(step, list) for step in steps):
        raise ValueError(f"steps must be a list of at least {OPENING} lists of players' states")
    moves = [_move(number, step) for number, step in enumerate(steps)]
    ends = [(_part(agent, "status", str), agent.get("reward")) for agent in steps[-1]]
    if ends != list(zip(_part(replay, "statuses", list), _part(replay, "rewards", list), strict=False)):
        raise ValueError(f"statuses and rewards must be those of the last step, {ends}")
    if not all(status == "DONE" and isinstance(reward, float | int) for status, reward in ends):
        raise ValueError(f"at the end, each player must be DONE and have a reward, but statuses and rewards are {ends}")
    history = numbers(" ".join(map(str, _part(info, "actionHistory", list))))
    names = _part(info, "TeamNames", list) if "TeamNames" in info else []
    return Trace(_game(replay), history, [reward for _, reward in ends], moves[OPENING:], list(map(str, names)))


def _game(replay: Mapping[str, Any]) -> str:
    """Returns the name of the game that was played, which must be the one that the configuration asks for."""
    settings, played = replay["configuration"], _part(replay, "info.openSpielGameStringResolved", str)
    spiel = spiel_of(PROXY.sub(r"\1", played))
    asked = spiel_of(PROXY.sub(r"\1", _part(settings, "openSpielGameString", str)))
    # As the environment does: parameters that are not the default ones replace those in the game's name.
    default = _part(replay, "specification.configuration.openSpielGameParameters.default", dict)
    given = _part(settings, "openSpielGameParameters", dict).items()
    expected = asked.get_parameters() | {name: value for name, value in given if value != default.get(name)}
    short = asked.get_type().short_name
    names = [spiel.get_type().short_name, settings.get("openSpielGameName"), replay["name"].removeprefix(PREFIX)]
    if spiel.get_parameters() != expected or names != [short] * 3:
        raise ValueError(f"the game ({played}, {names[1:]}) must be the one configured, {short} with {expected}")
    return PROXY.sub(r"\1", played)


def _move(number: int, step: Any) -> dict[int, int]:
    """Returns the joint action of a step (seat -> action), empty before the first move."""
    made = {}
    for player, agent in enumerate(step):
        applied, status = _part(agent, "info", dict).get("actionApplied"), _part(agent, "status", str)
        if status not in ("ACTIVE", "INACTIVE", "DONE"):
            raise ValueError(f"step {number}: player_{player} has status {status}")
        if applied is not None:
            made[player] = applied
            if _part(agent, "action", dict).get("submission") != applied:
                raise ValueError(f"step {number}: player_{player}'s submission is not the action applied, {applied}")
    if bool(made) != (number >= OPENING):
        raise ValueError(f"step {number}: {'there can be no' if made else 'the game was forfeited without a'} move")
    return made


def _part(content: Any, path: str, kind: type[Part]) -> Part:
    for name in path.split("."):
        content = content.get(name) if isinstance(content, dict) else None
    if not isinstance(content, kind):
        raise ValueError(f"{path} ({shown(content)}) must be of type {kind.__name__}")
    return content
