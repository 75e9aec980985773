"""Optimal play at one state, as labelled data: the matrix game and the optimal strategies of both players."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baselines.display.html import fraction, number
from baselines.matrix_game.optimal_sets import exact_ranges, proves_unique, ranges_of_one

# Probabilities that differ by less than this count as equal; in small games, distinct ones differ by far more.
SAME_PROBABILITY = 1e-9
WAITS = "waits"
# `repr` names at most this many actions.
MOST_NAMED = 6

Array = NDArray[np.float64]
Fractions = tuple[Fraction, ...]


@dataclass(frozen=True, repr=False)
class Mix:
    """One player's optimal strategy at a state, and the set of all its optimal strategies."""

    actions: tuple[str, ...]  # names of the legal actions; none if the player does not act
    probabilities: Array  # of each action, in the selected strategy
    low: Array  # lowest probability of each action in any optimal strategy at this state
    high: Array  # highest probability, likewise
    slack: float  # limit on the rounding error of `low` and `high`; 1 if they could not be certified
    exact: tuple[tuple[Fraction, Fraction], ...] | None = None  # `low` and `high` as fractions, if computed
    chosen: Fractions | None = None  # `probabilities` as fractions, if computed

    def __repr__(self) -> str:
        return f"<Mix {self}>"

    def __str__(self) -> str:
        played = [f"{action}: {number(p)}" for action, p in self.labelled().items() if p]
        more = f" and {len(played) - MOST_NAMED} more" if len(played) > MOST_NAMED else ""
        return f"{', '.join(played[:MOST_NAMED])}{more} ({self.verdict()})" if self.actions else WAITS

    @property
    def unique(self) -> bool | None:
        """True if this is the only optimal strategy at this state; None if that could not be certified."""
        if self.free():
            return False
        return True if self.slack <= SAME_PROBABILITY else None

    def verdict(self) -> str:
        """Says in words whether this is the only optimal strategy."""
        verdicts = {
            True: "the only optimal strategy",
            False: "one of many optimal strategies",
            None: "an optimal strategy",
        }
        return verdicts[self.unique]

    def free(self) -> list[tuple[str, float, float]] | list[tuple[str, Fraction, Fraction]]:
        """Returns the actions whose probability can vary, each with its lowest and highest probability."""
        if self.exact is not None:
            return [
                (action, *bounds) for action, bounds in zip(self.actions, self.exact, strict=True) if len({*bounds}) > 1
            ]
        ranges = zip(self.actions, self.low.tolist(), self.high.tolist(), strict=True)
        return [(action, low, high) for action, low, high in ranges if high - low > SAME_PROBABILITY]

    def labelled(self) -> dict[str, float] | dict[str, Fraction]:
        """Maps each action to its probability, a fraction if the game was solved exactly."""
        if self.chosen is not None:
            return dict(zip(self.actions, self.chosen, strict=True))
        return dict(zip(self.actions, self.probabilities.tolist(), strict=True))


@dataclass(frozen=True, repr=False)
class PlayAt:
    """Optimal play at a state."""

    description: str  # a description of the state, a few lines
    value: float  # continuation value, in payoff points to player 0
    exact: Fraction | None  # `value` as a fraction; None if the game was not solved exactly
    # `[actions of player 0, actions of player 1]` continuation payoffs to player 0, in payoff points; a player who does
    # not act has one row or column.
    matrix: Array
    mixes: tuple[Mix, Mix]  # the strategy of each player
    actions: tuple[str, ...]  # names of all actions legal for either player, in the game's order
    exact_matrix: tuple[Fractions, ...] | None = None  # `matrix` as fractions, if computed

    def __repr__(self) -> str:
        worth = f"value to go {number(self.value, self.exact)} to player_0" + ("" if self.exact is None else ", exact")
        plays = "".join(f"; player_{player} {mix}" for player, mix in enumerate(self.mixes))
        return f"<PlayAt {worth}{plays}>"

    @property
    def headings(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The labels of the matrix's rows and columns."""
        return self.mixes[0].actions or (WAITS,), self.mixes[1].actions or (WAITS,)

    def as_data(self) -> dict[str, Any]:
        """Returns everything as JSON-compatible data; fractions become strings such as "1/3"."""
        rows, columns = self.headings
        return {
            "value": self.value,
            **({} if self.exact is None else {"exact": fraction(self.exact)}),
            "rows": list(rows),
            "columns": list(columns),
            "payoff_matrix": self.matrix.tolist(),
            **({} if self.exact_matrix is None else {"exact_payoff_matrix": _texts(self.exact_matrix)}),
            "players": [_as_data(mix) for mix in self.mixes],
        }


def play_from(data: Mapping[str, Any], description: str) -> PlayAt:
    """Makes a `PlayAt` from the data that `as_data` returned and a description of the state.

    Raises:
        KeyError, TypeError, ValueError: If the data is malformed.
    """
    mixes = [_mix_from(player) for player in data["players"]]
    names = dict.fromkeys((*data["rows"], *data["columns"]))
    exact = data.get("exact_payoff_matrix")
    return PlayAt(
        description,
        float(data["value"]),
        Fraction(data["exact"]) if "exact" in data else None,
        np.array(data["payoff_matrix"], dtype=np.float64),
        (mixes[0], mixes[1]),
        tuple(name for name in names if name != WAITS),
        None if exact is None else tuple(tuple(map(Fraction, row)) for row in exact),
    )


def _mix_from(data: Mapping[str, Any]) -> Mix:
    actions: Mapping[str, Any] = data["actions"]
    probabilities, low, high = (
        np.array([each[name] for each in actions.values()]) for name in ("probability", "low", "high")
    )
    bounds = [each["exact"] for each in actions.values() if "exact" in each]
    chosen = [Fraction(each["exact_probability"]) for each in actions.values() if "exact_probability" in each]
    return Mix(
        tuple(actions),
        probabilities,
        low,
        high,
        float(data["slack"]),
        tuple((Fraction(least), Fraction(most)) for least, most in bounds) or None,
        tuple(chosen) or None,
    )


def _texts(matrix: Sequence[Sequence[Fraction]]) -> list[list[str]]:
    return [list(map(fraction, row)) for row in matrix]


def _as_data(mix: Mix) -> dict[str, Any]:
    columns = zip(mix.actions, mix.probabilities.tolist(), mix.low.tolist(), mix.high.tolist(), strict=True)
    actions = {name: {"probability": p, "low": low, "high": high} for name, p, low, high in columns}
    if mix.exact is not None:
        for name, bounds in zip(mix.actions, mix.exact, strict=True):
            actions[name]["exact"] = [fraction(bound) for bound in bounds]
    if mix.chosen is not None:
        for name, chosen in zip(mix.actions, mix.chosen, strict=True):
            actions[name]["exact_probability"] = fraction(chosen)
    return {"unique": mix.unique, "slack": mix.slack, "actions": actions}


def certified_mix(actions: Sequence[str], probabilities: Sequence[float] | Array, matrix: Array) -> Mix:
    """Adds to an optimal strategy the range of all optimal ones, computed from the player's payoff matrix.

    `actions` is empty if the player does not act.
    """
    if not actions:
        return Mix((), np.zeros(0), np.zeros(0), np.zeros(0), 0.0)
    probabilities = np.array(probabilities)
    low, high, below, above = ranges_of_one(matrix)
    # The selected strategy is optimal too, so the ranges must contain it.
    low, high = np.minimum(low, probabilities), np.maximum(high, probabilities)
    return Mix(tuple(actions), probabilities, low, high, float(max(below.max(), above.max())))


def exact_mix(
    actions: Sequence[str],
    probabilities: Sequence[Fraction],
    matrix: Sequence[Sequence[Fraction]],
    value: Fraction,
    other: Sequence[Fraction],
) -> Mix:
    """Like `certified_mix`, in rational arithmetic.

    `value` is the value of the matrix game to this player, `other` an optimal strategy of the other player.
    """
    if not actions:
        return certified_mix((), (), np.zeros((1, 1)))
    if other and proves_unique(matrix, value, other):  # much quicker than the ranges
        ranges = [(probability, probability) for probability in probabilities]
    else:
        ranges = exact_ranges(matrix, value)
    low, high = (np.array([float(bounds[side]) for bounds in ranges]) for side in (0, 1))
    return Mix(
        tuple(actions), np.array(probabilities, dtype=float), low, high, 0.0, tuple(ranges), tuple(probabilities)
    )
