"""WAR 2017, Figures 2 to 7: two strategies against 1 to 100 random players, 9,030 games each.

Win ratios are fractions of all games. Rounds are those of games won, as in the source. There is no round limit. All
intervals are 95 % intervals.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from baselines.display.figures import new_figure
from baselines.matches.war_simulator import simulate
from baselines.oracles.answers.protocol import Progress
from lab.papers.findings import Table
from lab.papers.pictures import Figure

STRATEGIES = ("simple_minded_1", "simple_minded_2")
OPPONENTS = range(1, 101)
GAMES = 9030
SEED = 2017
# Half the width of a 95 % interval in standard errors.
WIDTH = 1.959964


@dataclass(frozen=True)
class Estimate:
    """A sampled figure with its standard error, in the same unit."""

    mean: float
    error: float

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the ratio."""
        return self.mean - WIDTH * self.error, self.mean + WIDTH * self.error

    def apart(self, other: Estimate) -> float:
        """Returns the difference from another, independent figure, in standard errors of the difference."""
        return (self.mean - other.mean) / sqrt(self.error**2 + other.error**2)


@dataclass(frozen=True)
class Point:
    """One strategy against one number of random players."""

    strategy: str
    opponents: int  # number of random players
    games: int  # games played
    wins: int  # games that the strategy won
    win_ratio: Estimate
    mean_rounds: Estimate  # mean number of rounds of the games won
    std_rounds: Estimate  # standard deviation of that number
    longest: int  # rounds of the longest game won


def play(progress: Progress | None = None, games: int = GAMES, opponents: Sequence[int] = OPPONENTS) -> list[Point]:
    """Plays `games` games for each strategy and number of opponents; calls `progress` with the number played."""
    points = []
    for which, strategy in enumerate(STRATEGIES):
        for n in opponents:
            line_up = (strategy, *("dummie",) * n)
            played = simulate(line_up, games, seed=SEED + 1000 * n + which, focus=0)
            points.append(_point(strategy, n, games, played.rounds[played.winners == 0]))
            if progress is not None:
                progress(len(points) * games)
    return points


def _point(strategy: str, opponents: int, games: int, rounds: NDArray[np.int32]) -> Point:
    wins, won = len(rounds), rounds.astype(np.float64)
    ratio = wins / games
    mean, std = float(won.mean()), float(won.std(ddof=1))
    # The standard error of a standard deviation follows from the fourth moment.
    kurtosis = float(((won - mean) ** 4).mean()) / std**4
    return Point(
        strategy=strategy,
        opponents=opponents,
        games=games,
        wins=wins,
        win_ratio=Estimate(ratio, sqrt(ratio * (1 - ratio) / games)),
        mean_rounds=Estimate(mean, std / sqrt(wins)),
        std_rounds=Estimate(std, std * sqrt((kurtosis - 1) / (4 * wins))),
        longest=int(rounds.max()),
    )


def pairs(points: Sequence[Point]) -> list[tuple[Point, Point]]:
    """Returns the points of both strategies for each number of opponents, SimpleMindedPlayer1 first."""
    first, second = ([p for p in points if p.strategy == name] for name in STRATEGIES)
    return list(zip(first, second, strict=True))


def points_table(points: Sequence[Point]) -> Table:
    """Returns a heading row and one row per point."""
    figures = ("win_ratio", "mean_rounds", "std_rounds")
    bounds = [heading for name in figures for heading in (name, f"{name}_low", f"{name}_high")]
    rows = []
    for point in points:
        numbers = [n for name in figures for n in (getattr(point, name).mean, *getattr(point, name).interval)]
        rows.append([point.strategy, point.opponents, point.games, point.wins, *numbers, point.longest])
    return [["strategy", "opponents", "games", "wins", *bounds, "longest"], *rows]


# The source's figure numbers for each strategy, the attribute that they show, and its name.
_PANELS = (
    ((2, 5), "win_ratio", "win ratio"),
    ((3, 6), "mean_rounds", "mean rounds of games won"),
    ((4, 7), "std_rounds", "standard deviation of rounds"),
)


def draw(points: Sequence[Point]) -> Figure:
    """Draws figures 2 to 7 as in the source: one strategy left, the other right."""
    figure = new_figure(11, 12)
    grid = figure.subplots(3, 2, sharex=True, sharey="row")
    for (numbers, attribute, label), row in zip(_PANELS, grid, strict=True):
        row[0].set_ylabel(label)
        for strategy, number, axes in zip(STRATEGIES, numbers, row, strict=True):
            shown = [point for point in points if point.strategy == strategy]
            estimates = [getattr(point, attribute) for point in shown]
            opponents = [point.opponents for point in shown]
            low, high = zip(*(estimate.interval for estimate in estimates), strict=True)
            axes.fill_between(opponents, low, high, alpha=0.3, linewidth=0)
            axes.plot(opponents, [estimate.mean for estimate in estimates], linewidth=1.2)
            axes.grid(alpha=0.3)
            axes.set_title(f"Figure {number}: {strategy}", fontsize=10)
    for axes in grid[-1]:
        axes.set_xlabel("number of random players (dummie)")
    games = f"{points[0].games:,} games for each number of opponents; bands: 95 % intervals"
    figure.suptitle(f"WAR against random players\n{games}", fontsize=11)
    return figure
