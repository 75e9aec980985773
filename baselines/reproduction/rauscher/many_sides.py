"""Dice Poker beyond six sides and a raise of one: value and bluffs, and the continuous game as their limit."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, cast

import numpy as np

from baselines.oracle import Progress
from baselines.reproduction.pictures import new_figure
from baselines.reproduction.report import Number
from baselines.results import PrivateSolution
from baselines.solution import solve
from cardwar_envs.games.dice_poker import DicePoker
from cardwar_envs.games.dice_poker.rules import RAISE

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_SIDES = 1000
SIDES = (*range(2, 61), 70, 80, 90, 100, 125, 150, 175, 200, 250, 300, 350, 400, 500, 600, 700, 800, 900, MOST_SIDES)
# Sides for the plots against the size of the raise: the source's die, and one that is nearly continuous.
FEW, MANY = 6, 200
# 1/16 to 16 antes, four to each doubling.
RAISES = tuple(2.0 ** (k / 4) for k in range(-16, 17))
BLUFFS = "how often A bluffs (where the value is not 0)"
# Raises at which the limit is held against a die of `MOST_SIDES`.
LIMIT_RAISES = (Fraction(1, 4), Fraction(1), Fraction(2), Fraction(8))


@dataclass(frozen=True)
class Point:
    """One solved game.

    Attributes:
        sides: Of the dice.
        raise_size: Payoff points; the ante is 1.
        value: To A, payoff points.
        exact: The same as a fraction, where rationals were computed.
        gap: Certified bound on the error of `value`.
        bluffs: How often A raises with a roll of the lower half.
        raises: How often A raises.
    """

    sides: int
    raise_size: float
    value: float
    exact: Fraction | None
    gap: float
    bluffs: float
    raises: float


def solved_point(sides: int, raise_size: float) -> Point:
    """Solves one game with an ante of 1."""
    solution = cast(PrivateSolution, solve(DicePoker(sides=sides, raise_size=raise_size)))
    raising = solution.behaviour[0][:, RAISE] / sides
    return Point(
        sides=sides,
        raise_size=raise_size,
        value=solution.value,
        exact=solution.exact,
        gap=solution.gap,
        bluffs=float(raising[: sides // 2].sum()),
        raises=float(raising.sum()),
    )


def by_sides(progress: Progress | None = None) -> list[Point]:
    """The source's stakes with dice of 2 to 1000 sides."""
    points = []
    for sides in SIDES:
        points.append(solved_point(sides, 1.0))
        if progress is not None:
            progress(sum(2 * point.sides for point in points))
    return points


def by_raise(sides: int) -> list[Point]:
    """Raises of 1/16 to 16 antes."""
    return [solved_point(sides, raise_size) for raise_size in RAISES]


def continuous_bluffs(raise_size: Fraction) -> Fraction:
    """How often A bluffs when rolls are uniform numbers in [0, 1] and the ante is 1.

    Von Neumann's poker (von Neumann and Morgenstern 1944, chapter 19; his "high" bid is ante and
    raise, his "low" bid the ante). With b the raise, A raises below a and above c, B calls above d:

    * at d a call is worth a fold: a (2 + b) = (1 - c) b;
    * at c a raise is worth a check: c - d = 1 - c;
    * at a a bluff is worth a check: 2 d - (1 - d) b = 2 a.

    So a = b / ((1 + b)(4 + b)).
    """
    return raise_size / ((1 + raise_size) * (4 + raise_size))


def continuous_value(raise_size: Fraction) -> Fraction:
    """What that game is worth to A, payoff points: as many antes as A bluffs often.

    A bluff gains 2 (a - x) on a check at x < a, a strong raise 2 b (x - c) at x > c, and checking
    always is worth 0. These add up to a^2 + b (1 - c)^2, which is a once a, c and d are put in.
    """
    a = continuous_bluffs(raise_size)
    strong = a * (2 + raise_size) / raise_size  # 1 - c, by the first condition
    return a * a + raise_size * strong * strong


def needed_bluffs(point: Point) -> float:
    """How often A bluffs; nan, which is not drawn, where the game is worth nothing and A may as well check."""
    return point.bluffs if point.value > 1e-9 else math.nan


def points_table(points: Sequence[Point]) -> Iterator[list[Number]]:
    """Solved games for a CSV file."""
    limits = "continuous value", "continuous bluffs"
    yield ["sides", "raise", "value", "fraction", "gap", "bluffs", "raises", *limits]
    for p in points:
        raise_size = Fraction(p.raise_size)
        row: list[Number] = [p.sides, p.raise_size, p.value, str(p.exact or ""), p.gap, p.bluffs, p.raises]
        yield [*row, float(continuous_value(raise_size)), float(continuous_bluffs(raise_size))]


def draw_sides(points: Sequence[Point]) -> Figure:
    """Value and bluffs against the number of sides."""
    drawing = new_figure(11.0, 4.8)
    limit = continuous_value(Fraction(1))
    curves: tuple[tuple[str, Callable[[Point], float]], ...] = (
        ("value to A (payoff points)", lambda point: point.value),
        (BLUFFS, needed_bluffs),
    )
    for axes, (label, height) in zip(drawing.subplots(1, 2), curves, strict=True):
        axes.plot([p.sides for p in points], list(map(height, points)), marker=".", markersize=4, linewidth=0.8)
        axes.axhline(float(limit), color="black", linestyle="--", linewidth=1, label=f"continuous game, {limit}")
        axes.set_xscale("log")
        axes.set_xticks(
            [2, 6, 10, 20, 50, 100, 200, 500, 1000], ["2", "6", "10", "20", "50", "100", "200", "500", "1000"]
        )
        axes.minorticks_off()
        axes.set_xlabel("sides of the dice")
        _finish(axes, label)
    drawing.suptitle("Dice Poker with dice of many sides: ante 1, raise 1")
    return drawing


def draw_raises(few: Sequence[Point], many: Sequence[Point]) -> Figure:
    """Value and bluffs against the size of the raise."""
    drawing = new_figure(11.0, 4.8)
    sizes = np.geomspace(RAISES[0], RAISES[-1], 200)
    curves: tuple[tuple[str, Callable[[Point], float], Callable[[Fraction], Fraction]], ...] = (
        ("value to A (payoff points)", lambda point: point.value, continuous_value),
        (BLUFFS, needed_bluffs, continuous_bluffs),
    )
    for axes, (label, height, limit) in zip(drawing.subplots(1, 2), curves, strict=True):
        for points, marker in ((few, "o"), (many, ".")):
            sides = points[0].sides
            axes.plot([p.raise_size for p in points], list(map(height, points)), marker=marker, markersize=4,
                      linewidth=0.8, label=f"{sides} sides")  # fmt: skip
        heights = [float(limit(Fraction(float(size)))) for size in sizes]
        axes.plot(sizes, heights, color="black", linestyle="--", linewidth=1, label="continuous game")
        axes.set_xscale("log", base=2)
        ticks = [2.0**k for k in range(-4, 5)]
        axes.set_xticks(ticks, [str(Fraction(tick)) for tick in ticks])
        axes.set_xlabel("raise (antes)")
        _finish(axes, label)
    drawing.suptitle("Dice Poker with raises of other sizes: ante 1")
    return drawing


def _finish(axes: Axes, label: str) -> None:
    axes.set_ylabel(label)
    axes.set_ylim(bottom=0)
    axes.grid(True, alpha=0.25)
    axes.legend()
