"""Optimal play at one state, as labelled data: the matrix game and the optimal strategies of both players."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baselines.display.export import Table, csv_text, latex
from baselines.display.html import fraction, number

# By rounding, a strategy selected in floats may leave the range of all optimal ones by this much.
ROUNDING = 1e-9
WAITS = "waits"
# `repr` names at most this many actions.
MOST_NAMED = 6

Array = NDArray[np.float64]
Fractions = tuple[Fraction, ...]


def verdict(unique: bool | None) -> str:
    """Says in words whether an optimal strategy is the only one; None if that is not determined."""
    verdicts = {
        True: "the only optimal strategy",
        False: "one of many optimal strategies",
        None: "an optimal strategy; others are not determined in floats",
    }
    return verdicts[unique]


@dataclass(frozen=True, repr=False)
class Mix:
    """One player's optimal strategy at a state, and the set of all its optimal strategies."""

    actions: tuple[str, ...]  # names of the legal actions; none if the player does not act
    probabilities: Array  # of each action, in the selected strategy
    # Lowest and highest probability of each action in any optimal strategy at this state; None if not determined:
    # where payoffs tie up to rounding, floats cannot tell which strategies are optimal.
    low: Array | None
    high: Array | None
    slack: float  # bound on the error of `low` and `high`; 1 if they are not determined
    exact: tuple[tuple[Fraction, Fraction], ...] | None = None  # `low` and `high` as fractions, if computed
    chosen: Fractions | None = None  # `probabilities` as fractions, if computed

    def __repr__(self) -> str:
        return f"<Mix {self}>"

    def __str__(self) -> str:
        played = [f"{action}: {number(p)}" for action, p in self.labelled().items() if p]
        more = f" and {len(played) - MOST_NAMED} more" if len(played) > MOST_NAMED else ""
        return f"{', '.join(played[:MOST_NAMED])}{more} ({self.verdict()})" if self.actions else WAITS

    @property
    def determined(self) -> bool:
        """Whether the set of all optimal strategies is known; always true if the game was solved exactly."""
        return self.low is not None

    @property
    def unique(self) -> bool | None:
        """Whether this is the only optimal strategy at this state; None if not determined."""
        return not self.free() if self.determined else None

    def verdict(self) -> str:
        """Says in words whether this is the only optimal strategy."""
        return verdict(self.unique)

    def free(self) -> list[tuple[str, float, float]] | list[tuple[str, Fraction, Fraction]]:
        """Returns the actions whose probability can vary, each with its lowest and highest probability.

        They are fractions if the game was solved exactly. The list is empty if the ranges are not determined.
        """
        if self.low is None or self.high is None:
            return []
        ranges = self.exact if self.exact is not None else zip(self.low.tolist(), self.high.tolist(), strict=True)
        free = [(action, *bounds) for action, bounds in zip(self.actions, ranges, strict=True) if len({*bounds}) > 1]
        return free if self.chosen is not None else [(action, float(low), float(high)) for action, low, high in free]

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
    total: Fraction | float = Fraction(0)  # the sum of both players' payoffs to go

    def __repr__(self) -> str:
        worth = f"value to go {number(self.value, self.exact)} to player_0" + ("" if self.exact is None else ", exact")
        plays = "".join(f"; player_{player} {mix}" for player, mix in enumerate(self.mixes))
        return f"<PlayAt {worth}{plays}>"

    @property
    def headings(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The labels of the matrix's rows and columns."""
        return self.mixes[0].actions or (WAITS,), self.mixes[1].actions or (WAITS,)

    @property
    def payoffs(self) -> NDArray[Any]:
        """`[2, actions of player 0, actions of player 1]` payoffs to go of both players; Fractions if computed."""
        if self.exact_matrix is None:
            return np.stack([self.matrix, float(self.total) - self.matrix])
        own = np.array(self.exact_matrix, dtype=object)
        return np.stack([own, self.total - own])

    def tables(self) -> list[Table]:
        """Returns the payoff matrix and the mixes as tables."""
        headings, *rows = self.rows()
        matrix = [(name, *row) for name, row in zip(self.headings[0], self.payoffs[0].tolist(), strict=True)]
        return [
            Table("payoffs to player_0, who plays a row", ("", *self.headings[1]), matrix),
            Table("optimal play, and the range of each probability over all optimal strategies", headings, rows),
        ]

    def rows(self) -> list[tuple[Any, ...]]:
        """Returns headings, and a row for each action: its player, the value, its probability and range, if known."""
        value = self.value if self.exact is None else self.exact
        rows: list[tuple[Any, ...]] = [("player", "value", "action", "probability", "lowest", "highest")]
        for player, mix in enumerate(self.mixes):
            unknown = [("", "")] * len(mix.actions)
            known = unknown if mix.low is None or mix.high is None else list(zip(mix.low, mix.high, strict=True))
            bounds = mix.exact or known
            for (action, share), between in zip(mix.labelled().items(), bounds, strict=True):
                rows.append((f"player_{player}", self.total - value if player else value, action, share, *between))
        return rows

    def to_latex(self) -> str:
        """Returns the tables in LaTeX; they need the package booktabs."""
        return latex(self.tables())

    def to_csv(self) -> str:
        """Returns `rows` as CSV."""
        return csv_text(self.rows())

    def as_data(self) -> dict[str, Any]:
        """Returns everything as JSON-compatible data; fractions become strings such as "1/3"."""
        rows, columns = self.headings
        return {
            "value": self.value,
            **({} if self.exact is None else {"exact": fraction(self.exact)}),
            "rows": list(rows),
            "columns": list(columns),
            "payoff_matrix": self.matrix.tolist(),
            **(
                {}
                if self.exact_matrix is None
                else {"exact_payoff_matrix": [list(map(fraction, row)) for row in self.exact_matrix]}
            ),
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
    columns = {
        name: np.array([each[name] for each in actions.values()])
        for name in ("probability", *(("low", "high") if data["determined"] else ()))
    }
    bounds = [each["exact"] for each in actions.values() if "exact" in each]
    chosen = [Fraction(each["exact_probability"]) for each in actions.values() if "exact_probability" in each]
    return Mix(
        tuple(actions),
        columns["probability"],
        columns.get("low"),
        columns.get("high"),
        float(data.get("slack", 1.0)),
        tuple((Fraction(least), Fraction(most)) for least, most in bounds) or None,
        tuple(chosen) or None,
    )


def _as_data(mix: Mix) -> dict[str, Any]:
    columns = {
        "probability": mix.probabilities.tolist(),
        "low": None if mix.low is None else mix.low.tolist(),
        "high": None if mix.high is None else mix.high.tolist(),
        "exact": None if mix.exact is None else [list(map(fraction, bounds)) for bounds in mix.exact],
        "exact_probability": None if mix.chosen is None else list(map(fraction, mix.chosen)),
    }
    known = {column: figures for column, figures in columns.items() if figures is not None}
    actions = {name: {column: known[column][k] for column in known} for k, name in enumerate(mix.actions)}
    slack = {"slack": mix.slack} if mix.determined else {}
    return {"determined": mix.determined, "unique": mix.unique, **slack, "actions": actions}
