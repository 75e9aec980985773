"""Figures of optimal play, drawn with matplotlib (extra `plot`)."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from baselines.display.at_state import Array, Mix, PlayAt
from baselines.display.html import Number, short

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS = ("tab:blue", "tab:orange")
# A matrix with more entries is drawn in colours only, without numbers.
MOST_NUMBERS = 200
# Limits on what fits beside bars or into a matrix: characters of a fraction, and labels.
MOST_CHARACTERS, MOST_LABELS = 7, 10
# A figure of strategy profiles shows the first ones.
MOST_PROFILES = 6


def new_figure(width: float, height: float) -> Figure:
    """Makes an empty figure; sizes in inches.

    Raises:
        ImportError: If matplotlib is not installed.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise ImportError("pictures need matplotlib: pip install 'cardwar-envs[plot]'") from None
    return Figure(figsize=(width, height), layout="constrained")


def play_figure(play: PlayAt, title: str, hint: str = "") -> Figure:
    """Draws both players' strategies as bars, the payoff matrix as a heat map, and a hint below the title."""
    rows, columns = play.headings
    figure = new_figure(6.0 + 0.46 * len(columns), max(4.0, 1.8 + 0.32 * len(rows)))
    halves: Any = figure.subfigures(1, 2, width_ratios=(3.2, 2.2 + 0.46 * len(columns)))
    left, right = halves
    for player, axes in enumerate(left.subplots(2, 1)):
        draw_mix(axes, play.mixes[player], player)
    _draw_matrix(right.subplots(), play)
    value = short(play.value if play.exact is None else play.exact, 4)
    below = "\n" + textwrap.fill(hint, 90) if hint else ""
    figure.suptitle(f"{title}: value to go {value} to player_0{below}", fontsize=9 if hint else 11)
    return figure


def profiles_figure(profiles: Sequence[Sequence[Mapping[str, Number]]], title: str) -> Figure:
    """Draws strategy profiles, one below the other: a bar for each action, a panel for each player."""
    shown = profiles[:MOST_PROFILES]
    figure = new_figure(max(5.0, 3.5 * len(shown[0])), 1.2 + 2.0 * len(shown))
    for row, profile in zip(figure.subplots(len(shown), len(shown[0]), squeeze=False), shown, strict=True):
        for player, (axes, mix) in enumerate(zip(row, profile, strict=True)):
            bars = axes.bar(np.arange(len(mix)), list(map(float, mix.values())), color=f"C{player}")
            labels = [short(p, 2, MOST_CHARACTERS) if p else "" for p in mix.values()]
            axes.bar_label(bars, labels if len(mix) <= MOST_LABELS else [""] * len(mix), fontsize=8)
            _name(axes, "x", list(mix))
            axes.set_ylim(0.0, 1.15)
            axes.set_ylabel("probability")
            axes.set_xlabel(f"player_{player} plays" if len(profile) > 1 else "they play")
    more = f" (the first {len(shown)} drawn)" if len(profiles) > len(shown) else ""
    figure.suptitle(textwrap.fill(title + more, 40 * len(shown[0])), fontsize=9)
    return figure


def draw_mix(axes: Axes, mix: Mix, player: int) -> None:
    """Draws the selected strategy as bars, and the range of each probability over all optimal strategies as lines."""
    positions = np.arange(len(mix.actions))
    bars = axes.bar(positions, mix.probabilities, color=COLOURS[player])
    if mix.chosen is not None and len(mix.chosen) <= MOST_LABELS:
        axes.bar_label(bars, [short(p, 2, MOST_CHARACTERS) if p else "" for p in mix.chosen], fontsize=8)
    if mix.low is not None and mix.high is not None:
        _draw_ranges(axes, positions, mix.low, mix.high)
    _name(axes, "x", mix.actions)
    most = float(np.max(mix.probabilities if mix.high is None else mix.high, initial=0.01))
    axes.set_ylim(0.0, 1.3 * most if mix.chosen else min(1.15 * most, 1.0))  # room for labels
    axes.set_ylabel("probability")
    axes.set_xlabel(f"player_{player} plays" if mix.actions else f"player_{player} waits")
    axes.set_title(mix.verdict() if mix.actions else "", fontsize=9)


def _draw_ranges(axes: Axes, positions: NDArray[Any], low: Array, high: Array) -> None:
    free = high - low > 1e-6
    if free.any():
        middle, half = (high + low)[free] / 2, (high - low)[free] / 2
        axes.errorbar(positions[free], middle, yerr=half, fmt="none", ecolor="black", capsize=3, linewidth=1)


def _draw_matrix(axes: Axes, play: PlayAt) -> None:
    rows, columns = play.headings
    most = max(float(np.abs(play.matrix).max()), 1e-9)
    image = axes.imshow(play.matrix, cmap="RdBu", vmin=-most, vmax=most, aspect="auto")
    _name(axes, "x", columns)
    _name(axes, "y", rows)
    axes.set_xlabel("player_1 plays")
    axes.set_ylabel("player_0 plays")
    size = f" ({len(rows)} x {len(columns)}; payoff_matrix(state) has the numbers)"
    axes.set_title("payoff to player_0, to go" + size * (play.matrix.size > MOST_NUMBERS), fontsize=9)
    if play.matrix.size <= MOST_NUMBERS:
        for (row, column), payoff in np.ndenumerate(play.matrix):
            ink = "white" if abs(payoff) > 0.6 * most else "black"
            text = short(payoff if play.exact_matrix is None else play.exact_matrix[row][column], 2, MOST_CHARACTERS)
            axes.text(column, row, text, ha="center", va="center", color=ink, fontsize=8 if len(columns) < 10 else 7)
    axes.figure.colorbar(image, ax=axes, label="payoff points")


def _name(axes: Axes, side: str, names: Sequence[str]) -> None:
    """Labels one axis; long labels are written vertically."""
    long = side == "x" and max(map(len, names), default=0) > 3
    positions = np.arange(len(names))
    axes.set(**{f"{side}ticks": positions})
    labels = axes.xaxis if side == "x" else axes.yaxis
    labels.set_ticklabels(names, rotation=90 if long else 0, fontsize=10 if len(names) <= 10 else 8)


def behaviour_figure(
    strategies: Sequence[Mapping[str, Mapping[str, Any]]],
    title: str,
    value: Number,
    ranges: Sequence[Mapping[str, Mapping[str, Sequence[Number]]] | None] | None = None,
) -> Figure:
    """Draws each player's strategy for each of its types: one bar per type, split by action.

    Given the ranges over all optimal strategies, or None for a player for whom they are not determined, draws those of
    the lowest part of each bar as lines.
    """
    figure = new_figure(8.0, 4.0)
    for player, (axes, strategy) in enumerate(zip(figure.subplots(1, 2, sharey=True), strategies, strict=True)):
        positions, under = np.arange(len(strategy)), np.zeros(len(strategy))
        actions = list(next(iter(strategy.values())))
        for part, action in enumerate(reversed(actions)):
            chosen = [mix[action] for mix in strategy.values()]
            likely = np.array(chosen, dtype=float)
            shade = 1.0 if part == 0 else 0.35 / part
            bars = axes.bar(positions, likely, bottom=under, label=action, color=COLOURS[player], alpha=shade)
            if len(chosen) <= MOST_LABELS:
                inner = [short(p, 2, MOST_CHARACTERS) if isinstance(p, Fraction) and 0 < p < 1 else "" for p in chosen]
                axes.bar_label(bars, inner, label_type="center", fontsize=8)
            under += likely
        if ranges is not None and (known := ranges[player]) is not None:
            bounds = np.array([each[actions[-1]] for each in known.values()], dtype=float)
            _draw_ranges(axes, positions + 0.3, bounds[:, 0], bounds[:, 1])  # beside the labels
        if len(strategy) <= 40:
            axes.set_xticks(positions, list(strategy))
        axes.set_xlabel(f"player_{player} sees")
        axes.set_ylabel("probability")
        axes.legend(loc="upper left", bbox_to_anchor=(0.0, 1.14), ncols=len(actions), frameon=False)
    figure.suptitle(f"{title}: value {short(value, 4)} to player_0", fontsize=11)
    return figure
