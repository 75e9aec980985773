"""Dice Poker's 64 x 64 grid: every pure strategy of one player against every one of the other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from baselines.reproduction.pictures import new_figure
from baselines.reproduction.report import Number
from cardwar_envs.games.dice_poker import DicePoker

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Plan = tuple[int, ...]


@dataclass(frozen=True)
class Grid:
    """What every pair of pure strategies is worth to A.

    Attributes:
        plans: What a pure strategy does with each roll: 1 for raise or call, else 0. As in the
            source's code the first roll's choice changes fastest.
        sums: `[plans of A, plans of B]`, winnings of A in points added up over all pairs of rolls.
        deals: How many pairs of rolls there are.
    """

    plans: tuple[Plan, ...]
    sums: NDArray[np.float64]
    deals: int

    @property
    def best_for_a(self) -> NDArray[np.bool_]:
        """Where a cell is the greatest of its column: A does not want to leave it."""
        best: NDArray[np.bool_] = self.sums == self.sums.max(axis=0, keepdims=True)
        return best

    @property
    def best_for_b(self) -> NDArray[np.bool_]:
        """Where a cell is the least of its row: B does not want to leave it."""
        best: NDArray[np.bool_] = self.sums == self.sums.min(axis=1, keepdims=True)
        return best

    def worth(self, a: Plan, b: Plan) -> Fraction:
        """What A wins, payoff points."""
        return Fraction(float(self.sums[self.plans.index(a), self.plans.index(b)])) / self.deals

    def most_used_by_a(self) -> tuple[tuple[Plan, ...], int]:
        """The strategies that are best for A in the most columns, and in how many."""
        return self._most_used(self.best_for_a.sum(axis=1))

    def most_used_by_b(self) -> tuple[tuple[Plan, ...], int]:
        """The strategies that are best for B in the most rows, and in how many."""
        return self._most_used(self.best_for_b.sum(axis=0))

    def _most_used(self, counts: NDArray[np.int64]) -> tuple[tuple[Plan, ...], int]:
        return self._chosen(counts == counts.max()), int(counts.max())

    def replies_of_b(self, a: Plan) -> tuple[Plan, ...]:
        """B's best pure replies to a strategy of A."""
        return self._chosen(self.best_for_b[self.plans.index(a)])

    def replies_of_a(self, b: Plan) -> tuple[Plan, ...]:
        """A's best pure replies to a strategy of B."""
        return self._chosen(self.best_for_a[:, self.plans.index(b)])

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
    """A pure strategy in digits, roll 1 first."""
    return "".join(map(str, plan))


def grid_table(grid: Grid) -> Iterator[list[Number]]:
    """The grid for a CSV file, in fractions."""
    yield ["A \\ B", *map(in_words, grid.plans)]
    for plan, row in zip(grid.plans, grid.sums, strict=True):
        yield [in_words(plan), *(str(Fraction(float(total)) / grid.deals) for total in row)]


def draw_grid(grid: Grid) -> Figure:
    """The source's picture: winnings as colours, column maxima and row minima marked."""
    drawing = new_figure(12.0, 10.5)
    axes = drawing.subplots()
    worth = grid.sums / grid.deals
    size = float(np.abs(worth).max())
    image = axes.imshow(worth, cmap="RdBu", vmin=-size, vmax=size)
    names = list(map(in_words, grid.plans))
    axes.set_xticks(range(len(names)), names, rotation=90, fontsize=5.5, family="monospace")
    axes.set_yticks(range(len(names)), names, fontsize=5.5, family="monospace")
    axes.set_xlabel("B: calls (1) or folds (0) with a roll of 1, 2, ... 6")
    axes.set_ylabel("A: raises (1) or checks (0) with a roll of 1, 2, ... 6")
    marks = (
        (grid.best_for_a, "s", "none", "black", 34, "greatest of its column: best for A"),
        (grid.best_for_b, "o", "gold", "black", 14, "least of its row: best for B"),
        (grid.best_for_a & grid.best_for_b, "*", "lime", "black", 120, "saddle point"),
    )
    for where, marker, face, edge, area, label in marks:
        rows, columns = np.nonzero(where)
        axes.scatter(
            columns, rows, s=area, marker=marker, facecolors=face, edgecolors=edge, linewidths=0.8,
            label=f"{label} ({len(rows)} cells)",
        )  # fmt: skip
    drawing.legend(loc="outside lower center", ncols=3, frameon=False)
    drawing.suptitle("Dice Poker: what A wins with each of 64 pure strategies against each of B's")
    drawing.colorbar(image, ax=axes, label="winnings of A (payoff points)", shrink=0.8)
    return drawing
