"""Dice Poker with other dice and raises: its value and bluffs, compared with the continuous game as the limit."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import cast

import numpy as np

from baselines.display.figures import new_figure
from baselines.oracles.answers.protocol import Progress
from baselines.oracles.answers.results import PrivateSolution
from baselines.solving import solve
from cardwar_envs.games.dice_poker import RAISE, DicePoker
from lab.papers.findings import Table
from lab.papers.pictures import Figure, finish

MOST_SIDES = 1000
SIDES = (*range(2, 61), 70, 80, 90, 100, 125, 150, 175, 200, 250, 300, 350, 400, 500, 600, 700, 800, 900, MOST_SIDES)
# Numbers of sides in the plots against the raise: the source's die, and one that is nearly continuous.
FEW, MANY = 6, 200
# 1/16 to 16 antes, four to each doubling.
RAISES = tuple(2.0 ** (k / 4) for k in range(-16, 17))
# Raises at which the limit is compared with a die of `MOST_SIDES`.
LIMIT_RAISES = (Fraction(1, 4), Fraction(1), Fraction(2), Fraction(8))


@dataclass(frozen=True)
class Point:
    """One solved game with an ante of 1."""

    sides: int
    raise_size: float  # payoff points
    value: float  # to A, in payoff points
    exact: Fraction | None  # the same as a fraction, if computed
    gap: float  # certified bound on the error of `value`
    bluffs: float  # probability that A raises with a roll of the lower half
    raises: float  # probability that A raises

    @property
    def limits(self) -> tuple[float, float]:
        """Value and bluffs of the continuous game."""
        size = Fraction(self.raise_size)
        return float(continuous_value(size)), float(continuous_bluffs(size))


def solved_point(sides: int, raise_size: float) -> Point:
    """Solves one game."""
    solution = cast(PrivateSolution, solve(DicePoker(sides=sides, raise_size=raise_size)))
    raising = solution.behaviour[0][:, RAISE] / sides
    bluffs, raises = float(raising[: sides // 2].sum()), float(raising.sum())
    return Point(sides, raise_size, solution.value, solution.exact, solution.gap, bluffs, raises)


def by_sides(progress: Progress | None = None) -> list[Point]:
    """Solves the source's stakes with dice of 2 to 1000 sides."""
    points = []
    for sides in SIDES:
        points.append(solved_point(sides, 1.0))
        if progress is not None:
            progress(sum(2 * point.sides for point in points))
    return points


def by_raise(sides: int) -> list[Point]:
    """Solves raises of 1/16 to 16 antes."""
    return [solved_point(sides, raise_size) for raise_size in RAISES]


def continuous_bluffs(raise_size: Fraction) -> Fraction:
    """Returns the probability that A bluffs when rolls are uniform numbers in [0, 1] and the ante is 1.

    Von Neumann's poker (von Neumann and Morgenstern 1944, chapter 19; his "high" bid is ante and
    raise, his "low" bid the ante). With b the raise, A raises below a and above c, B calls above d:

    * at d, a call is worth as much as a fold: a (2 + b) = (1 - c) b;
    * at c, a raise is worth as much as a check: c - d = 1 - c;
    * at a, a bluff is worth as much as a check: 2 d - (1 - d) b = 2 a.

    So a = b / ((1 + b)(4 + b)).
    """
    return raise_size / ((1 + raise_size) * (4 + raise_size))


def continuous_value(raise_size: Fraction) -> Fraction:
    """Returns the value of that game to A, in payoff points. In antes, it equals the probability that A bluffs.

    A bluff gains 2 (a - x) over a check at x < a, a strong raise 2 b (x - c) at x > c, and always checking is worth 0.
    Together that is a^2 + b (1 - c)^2, which equals a once a, c and d are inserted.
    """
    a = continuous_bluffs(raise_size)
    strong = a * (2 + raise_size) / raise_size  # 1 - c, by the first condition
    return a * a + raise_size * strong * strong


def points_table(points: Sequence[Point]) -> Table:
    """Returns a table of solved games for a CSV file."""
    headings = ["sides", "raise", "value", "fraction", "gap", "bluffs", "raises"]
    rows = [[p.sides, p.raise_size, p.value, str(p.exact or ""), p.gap, p.bluffs, p.raises, *p.limits] for p in points]
    return [[*headings, "continuous value", "continuous bluffs"], *rows]


def draw_sides(points: Sequence[Point]) -> Figure:
    """Draws value and bluffs against the number of sides."""
    drawing, sides = new_figure(11.0, 4.8), [p.sides for p in points]
    limit = continuous_value(Fraction(1))
    ticks = [2, 6, 10, 20, 50, 100, 200, 500, 1000]
    for axes, heights in zip(drawing.subplots(1, 2), _heights(points), strict=True):
        axes.plot(sides, heights, marker=".", markersize=4, linewidth=0.8)
        axes.axhline(float(limit), color="black", linestyle="--", linewidth=1, label=f"continuous game, {limit}")
        axes.set_xscale("log")
        axes.set_xticks(ticks, list(map(str, ticks)))
        axes.minorticks_off()
    _finish(drawing, "sides of the dice", "Dice Poker with dice of many sides: ante 1, raise 1")
    return drawing


def draw_raises(few: Sequence[Point], many: Sequence[Point]) -> Figure:
    """Draws value and bluffs against the size of the raise."""
    drawing = new_figure(11.0, 4.8)
    sizes = np.geomspace(RAISES[0], RAISES[-1], 200)
    limits = [[float(f(Fraction(size))) for size in sizes] for f in (continuous_value, continuous_bluffs)]
    ticks = [2.0**k for k in range(-4, 5)]
    for axes, of_few, of_many, limit in zip(drawing.subplots(1, 2), _heights(few), _heights(many), limits, strict=True):
        for points, heights, marker in ((few, of_few, "o"), (many, of_many, ".")):
            axes.plot([p.raise_size for p in points], heights, marker=marker, markersize=4, linewidth=0.8,
                      label=f"{points[0].sides} sides")  # fmt: skip
        axes.plot(sizes, limit, color="black", linestyle="--", linewidth=1, label="continuous game")
        axes.set_xscale("log", base=2)
        axes.set_xticks(ticks, [str(Fraction(tick)) for tick in ticks])
    _finish(drawing, "raise (antes)", "Dice Poker with raises of other sizes: ante 1")
    return drawing


def _heights(points: Sequence[Point]) -> tuple[list[float], list[float]]:
    """Returns the heights of the two plots for each game: its value, and the probability that A bluffs.

    If the value is 0, A can always check instead; bluffs are then nan, which is not drawn.
    """
    return [p.value for p in points], [p.bluffs if p.value > 1e-9 else math.nan for p in points]


def _finish(drawing: Figure, x_label: str, title: str) -> None:
    value, bluffs = drawing.axes
    finish(value, x_label, "value to A (payoff points)")
    finish(bluffs, x_label, "how often A bluffs (where the value is not 0)")
    drawing.suptitle(title)
