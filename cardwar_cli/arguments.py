"""Arguments and options that several commands share."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Annotated

import typer

from cardwar_envs.envs.registration import VERSIONS
from train.policies.agent_process import SECONDS_VARIABLE
from train.text.parsing import whole

GameName = Annotated[
    str,
    typer.Argument(
        metavar="GAME",
        help=f"One of {', '.join(VERSIONS)}; module:Class for your own game; openspiel:NAME(key=value,...); or "
        "table:FILE, a payoff table.",
    ),
]
Words = Annotated[
    list[str] | None,
    typer.Argument(metavar="[KEY=VALUE ...]", help="Parameters of the game, e.g. num_cards=5 or hand_0=2,3,6"),
]
MaxStates = Annotated[
    int | None,
    typer.Option(min=1, help="Maximum number of states, for methods that enumerate them; larger games are refused."),
]


def count(low: int) -> Callable[[str], int]:
    """Parses an option that is a count of at least `low`: 100000, 100_000 or 1e5."""

    def read(text: str) -> int:
        try:
            if (number := whole(str(text))) >= low:
                return number
        except ValueError:
            pass
        raise typer.BadParameter(f"{text} must be an integer, at least {low:,}")

    return read


def _limit_agents(seconds: float | None) -> None:
    """Sets the time limit for answers of the programs that this process starts."""
    if seconds is None:
        return
    if not 0.0 < seconds < 1e9:
        raise typer.BadParameter(f"{seconds:g} must be a positive number of seconds")
    os.environ[SECONDS_VARIABLE] = str(seconds)


AgentSeconds = Annotated[
    float | None,
    typer.Option(
        callback=_limit_agents,
        expose_value=False,
        metavar="S",
        help="Time limit in seconds for each answer of a program (agent:COMMAND); default 10.",
    ),
]
