"""Equilibria that ship with the package, to look up and to cite without solving anything.

For each game, a JSON file beside this one lists solutions, as `cardwar solve ... --json` prints them: the value, its
certificate, and at every initial state the payoff matrix, both strategies and the range of each probability over all
optimal strategies. `python -m lab.solutions` makes these files; `checksums.txt` shows whether they are unchanged.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

from baselines.display.at_state import PlayAt, play_from
from baselines.system.files import parse_object, read_checked
from cardwar_envs.core.game import Game, require_game
from cardwar_envs.games import make_game

FOLDER = Path(__file__).parent


@dataclass(frozen=True, repr=False)
class Recorded:
    """An equilibrium that ships with the package.

    Attributes:
        game: The rules.
        value: Expected payoff to player 0 under optimal play, in payoff points.
        gap: Certified bound on the error of `value` and of payoff matrices, in payoff points.
        exact: The value as a fraction; None if the game was not solved exactly.
        command: The command that recomputes it.
        data: All recorded data, as `cardwar solve --json` prints it; do not modify it.
    """

    game: Game[Any]
    value: float
    gap: float
    exact: Fraction | None
    command: str
    data: Mapping[str, Any]

    def __repr__(self) -> str:
        value = f"{self.value:.6f}" if self.exact is None else str(self.exact)
        return f"<Recorded equilibrium of {self.game.facts.name}: value {value} to player_0; made by: {self.command}>"

    def at(self, state: Any = None) -> PlayAt:
        """Returns optimal play at an initial state, by default the only one.

        Raises:
            ValueError: If that state is not recorded, no state is given and the game can start in several, or players
                do not see the state (their strategies are in `data`).
        """
        starts = [start.state for start in self.game.initial()]
        if "starts" not in self.data:
            raise ValueError(f"{self.game.facts.name}: players do not see the state; strategies are in `data`")
        if state is None and len(starts) > 1:
            raise ValueError(f"{self.game.facts.name} can start in {len(starts)} states; name one, e.g. {starts[0]!r}")
        if state is not None and state not in starts:
            raise ValueError(f"{state!r} is not recorded; only initial states are, e.g. {starts[0]!r}")
        index = 0 if state is None else starts.index(state)
        return play_from(self.data["starts"][index], self.game.describe(starts[index]))


def recorded(game: Game[Any]) -> Recorded:
    """Returns the recorded equilibrium of a game.

    Raises:
        ValueError: If this game is not recorded, or a file is damaged; the error lists the recorded ones.
    """
    require_game(game)
    for entry in entries():
        if entry["game"] == game.facts.name and make_game(entry["game"], **entry["parameters"]) == game:
            exact = Fraction(entry["exact"]) if "exact" in entry else None
            return Recorded(game, entry["value"], entry["gap"], exact, entry["command"], entry)
    known = ", ".join(title.removeprefix("cardwar solve ") for title in commands())
    raise ValueError(
        f"no equilibrium of {game.facts.name} with these parameters is recorded; those recorded are: {known}"
    )


def commands() -> list[str]:
    """Lists the command that computes each recorded equilibrium."""
    return [entry["command"] for entry in entries()]


@cache
def entries() -> tuple[Mapping[str, Any], ...]:
    """Returns all recorded data, game by game; do not modify it.

    Raises:
        ValueError: If a file is missing or damaged.
    """
    contents = read_checked(FOLDER, ".json").values()
    return tuple(entry for content in contents for entry in parse_object(content)["solutions"])
