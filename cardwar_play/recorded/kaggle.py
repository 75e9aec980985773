"""Reads replays of Kaggle environments, as `env.toJSON()` lays them out: games of OpenSpiel, played by its rules.

A replay has the game and the moves several times: in its configuration, as OpenSpiel's history, as each agent's
actions, and in the rewards. All of them must agree.
"""

from __future__ import annotations

import re
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from cardwar_envs.core.parameters import shown
from cardwar_play.recorded.openspiel import Trace, judged, spiel_of
from cardwar_play.recorded.played import Played
from train.text.validation import one_line

PREFIX = "open_spiel_"
# The versions of environment and layout that are known.
VERSIONS = ("0.1.0", 1)
# Number of steps before the first move: the state before chance, and the start.
OPENING = 2
FAILED = ("ERROR", "INVALID", "TIMEOUT")
# Games with the same rules, whose observations are JSON.
PROXY = re.compile(r"^(\w+)_proxy\b")
# A move of one player or of chance, or the joint action of all players.
Entry = Annotated[str, Field(pattern=r"^(-?\d{1,9}|\[-?\d{1,9}(, -?\d{1,9})*\])$")]


class _Part(BaseModel):
    """A part of a replay; the rest of its content is about observations, times and agents' thoughts."""

    model_config = ConfigDict(strict=True, extra="ignore", allow_inf_nan=False)


class _Applied(_Part):
    actionApplied: int | None = None


class _Agent(_Part):
    action: Any = None
    reward: float | None
    status: str
    info: _Applied


class _Configuration(_Part):
    openSpielGameName: str
    openSpielGameString: str
    openSpielGameParameters: dict[str, Any]
    useOpenings: bool = False


class _Parameters(_Part):
    default: dict[str, Any]


class _Defaults(_Part):
    openSpielGameParameters: _Parameters


class _Specification(_Part):
    configuration: _Defaults


class _Member(_Part):
    Name: str


class _Info(_Part):
    openSpielGameStringResolved: str
    actionHistory: list[Entry]
    initialActions: list[Any] = []
    TeamNames: list[str] = []
    Agents: list[_Member] = []


class _Replay(_Part):
    name: str
    version: str
    schema_version: int
    configuration: _Configuration
    specification: _Specification
    steps: Annotated[list[list[_Agent]], Field(min_length=2)]
    rewards: list[float | None]
    statuses: list[str]
    info: _Info


def is_replay(content: Any) -> bool:
    """Returns whether parsed JSON is laid out as a replay of a Kaggle environment."""
    return isinstance(content, dict) and {"name", "configuration", "steps"} <= content.keys()


def read(content: Any, where: str) -> Played:
    """Reads the replay of one game.

    Raises:
        ValueError: As `judged`; also if the environment is not one of OpenSpiel's games or has another version, or the
            game was forfeited or began with moves that no player made.
    """
    return judged(_trace, content, where)


def _trace(content: Any) -> Trace:
    name = content["name"]
    if not (isinstance(name, str) and name.startswith(PREFIX)):
        raise ValueError(f"the environment ({name!r}) must be one of OpenSpiel's games, {PREFIX}...")
    with one_line():
        replay = _Replay.model_validate(content)
    if (replay.version, replay.schema_version) != VERSIONS:
        raise ValueError(f"version and schema_version ({replay.version}, {replay.schema_version}) must be {VERSIONS}")
    if replay.info.initialActions or replay.configuration.useOpenings:
        raise ValueError("the game begins with moves that no player made (initialActions or useOpenings)")
    game, moves = _game(replay), [_move(number, step) for number, step in enumerate(replay.steps)]
    rewards, statuses = ([getattr(agent, of) for agent in replay.steps[-1]] for of in ("reward", "status"))
    if (replay.rewards, replay.statuses) != (rewards, statuses) or {*statuses} != {"DONE"} or None in rewards:
        raise ValueError(
            f"rewards {replay.rewards} and statuses {replay.statuses}: each player must have a reward in the last step and be DONE"
        )
    history = [int(number) for entry in replay.info.actionHistory for number in re.findall(r"-?\d+", entry)]
    names = replay.info.TeamNames or [member.Name for member in replay.info.Agents]
    return Trace(game, history, rewards, moves[OPENING:], names)


def _game(replay: _Replay) -> str:
    """Returns the name of the game that was played; it must be the one that the configuration asks for."""
    settings, played = replay.configuration, PROXY.sub(r"\1", replay.info.openSpielGameStringResolved)
    spiel, default = spiel_of(played), replay.specification.configuration.openSpielGameParameters.default
    # As the environment does: parameters other than the default ones replace those in the game's name.
    own = {key: value for key, value in settings.openSpielGameParameters.items() if value != default.get(key)}
    asked = spiel_of(PROXY.sub(r"\1", settings.openSpielGameString))
    expected, short = asked.get_parameters() | own, asked.get_type().short_name
    if expected != spiel.get_parameters() or short != spiel.get_type().short_name:
        raise ValueError(f"the game played ({played}) must be the one configured, {short} with {expected}")
    if (settings.openSpielGameName, replay.name) != (short, PREFIX + short):
        raise ValueError(
            f"openSpielGameName ({settings.openSpielGameName!r}) and name ({replay.name!r}) must be of {short}"
        )
    return played


def _move(number: int, step: list[_Agent]) -> dict[int, int]:
    """Returns the joint action of a step (seat -> action), empty before the first move."""
    made = {}
    for player, agent in enumerate(step):
        if agent.status in FAILED:
            raise ValueError(f"step {number}: player_{player} has status {agent.status}")
        applied = agent.info.actionApplied
        if applied is not None:
            made[player] = applied
            submitted = agent.action.get("submission") if isinstance(agent.action, dict) else None
            if submitted != applied:
                raise ValueError(
                    f"step {number}: player_{player} submitted {shown(submitted)}, but {applied} was applied"
                )
    if bool(made) != (number >= OPENING):
        raise ValueError(
            f"step {number}: " + ("no move can be made yet" if made else "a player forfeits: no move was applied")
        )
    return made
