"""Dice Poker's 64 x 64 grid: every pure strategy of one player against every one of the other."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from cardwar_envs.games.dice_poker import DicePoker
from lab.papers.findings import Table
from lab.papers.pictures import Figure, heat_map

Plan = tuple[int, ...]


@dataclass(frozen=True)
class Grid:
    """The payoff to A for every pair of pure strategies."""

    plans: tuple[Plan, ...]  # per roll 1 to raise or call, else 0; the first roll changes fastest, as in the source
    sums: NDArray[np.float64]  # `[plans of A, plans of B]`, winnings of A in points added up over all pairs of rolls
    deals: int  # number of pairs of rolls

    @property
    def best(self) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Masks `[plans of A, plans of B]`: each column's maximum (best for A), each row's minimum (for B)."""
        return self.sums == self.sums.max(axis=0), self.sums == self.sums.min(axis=1, keepdims=True)

    def worth(self, a: Plan, b: Plan) -> Fraction:
        """Returns A's expected payoff, in payoff points."""
        return Fraction(float(self.sums[self.plans.index(a), self.plans.index(b)])) / self.deals

    def most_used(self, seat: int) -> tuple[tuple[Plan, ...], int]:
        """Returns the plans of A (0) or B (1) that are best against most plans of the other, and against how many."""
        counts: NDArray[np.int64] = self.best[seat].sum(axis=1 - seat)
        return self._chosen(counts == counts.max()), int(counts.max())

    def replies(self, seat: int, plan: Plan) -> tuple[Plan, ...]:
        """Returns the best pure replies of A (0) or B (1) to a strategy of the other player."""
        return self._chosen(np.asarray(self.best[seat].take(self.plans.index(plan), axis=1 - seat)))

    def _chosen(self, which: NDArray[np.bool_]) -> tuple[Plan, ...]:
        return tuple(plan for plan, chosen in zip(self.plans, which, strict=True) if chosen)


def make_grid(game: DicePoker) -> Grid:
    """Plays all pure strategies of a small game against each other, over all pairs of rolls."""
    form = game.bayesian_form()
    numbers = np.arange(2**game.sides)
    plans = numbers[:, None] >> np.arange(game.sides) & 1
    chosen = np.eye(2)[plans]
    # Whole stakes make whole sums, which floats hold exactly.
    sums = np.einsum("ijab,pia,qjb->pq", form.payoffs, chosen, chosen, optimize=True)
    return Grid(tuple(map(tuple, plans.tolist())), np.round(sums), game.sides**2)


def in_words(plan: Plan) -> str:
    """Writes a pure strategy in digits, roll 1 first."""
    return "".join(map(str, plan))


def grid_table(grid: Grid) -> Table:
    """Returns the grid for a CSV file, in fractions."""
    rows = zip(grid.plans, grid.sums.tolist(), strict=True)
    heading = ["A \\ B", *map(in_words, grid.plans)]
    return [heading, *([in_words(plan), *(str(Fraction(total) / grid.deals) for total in row)] for plan, row in rows)]


def draw_grid(grid: Grid) -> Figure:
    """Draws the source's picture: payoffs as colours, with column maxima and row minima marked."""
    worth = grid.sums / grid.deals
    size = float(np.abs(worth).max())
    drawing = heat_map(
        worth.tolist(),
        list(map(in_words, grid.plans)),
        size=(12.0, 10.5),
        colours="RdBu",
        limits=(-size, size),
        bar_label="winnings of A (payoff points)",
        xlabel="B: calls (1) or folds (0) with a roll of 1, 2, ... 6",
        ylabel="A: raises (1) or checks (0) with a roll of 1, 2, ... 6",
    )
    axes = drawing.axes[0]
    axes.tick_params(labelsize=5.5, labelfontfamily="monospace")
    axes.tick_params("x", rotation=90)
    for_a, for_b = grid.best
    marks = (
        (for_a, "s", "none", "black", 34, "greatest in its column: best for A"),
        (for_b, "o", "gold", "black", 14, "least in its row: best for B"),
        (for_a & for_b, "*", "lime", "black", 120, "saddle point"),
    )
    for where, marker, face, edge, area, label in marks:
        rows, columns = np.nonzero(where)
        axes.scatter(
            columns, rows, s=area, marker=marker, facecolors=face, edgecolors=edge, linewidths=0.8,
            label=f"{label} ({len(rows)} cells)",
        )  # fmt: skip
    drawing.legend(loc="outside lower center", ncols=3, frameon=False)
    drawing.suptitle("Dice Poker: what A wins with each of 64 pure strategies against each of B's")
    return drawing
