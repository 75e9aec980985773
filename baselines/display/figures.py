"""Pictures of optimal play, drawn with matplotlib (extra `plot`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from baselines.display.at_state import Mix, PlayAt

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS = ("tab:blue", "tab:orange")
# Matrices with more entries than this are shown by colours alone.
MOST_NUMBERS = 200


def new_figure(width: float, height: float) -> Figure:
    """An empty figure, inches.

    Raises:
        ImportError: If matplotlib is not installed.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise ImportError("pictures need matplotlib: pip install 'cardwar-envs[plot]'") from None
    return Figure(figsize=(width, height), layout="constrained")


def play_figure(play: PlayAt, title: str) -> Figure:
    """Both players' mixes as bars, and the payoff matrix as a heat map."""
    rows, columns = play.headings
    figure = new_figure(6.0 + 0.46 * len(columns), max(4.0, 1.8 + 0.32 * len(rows)))
    halves: Any = figure.subfigures(1, 2, width_ratios=(3.2, 2.2 + 0.46 * len(columns)))
    left, right = halves
    for player, axes in enumerate(left.subplots(2, 1)):
        draw_mix(axes, play.mixes[player], player)
    _draw_matrix(right.subplots(), play)
    figure.suptitle(f"{title}: value to go {round(play.value, 4) + 0.0:.4f} to player_0", fontsize=11)
    return figure


def draw_mix(axes: Axes, mix: Mix, player: int) -> None:
    """The strategy that was chosen as bars, with the range of each probability among optimal strategies as lines."""
    places = np.arange(len(mix.actions))
    axes.bar(places, mix.probabilities, color=COLOURS[player])
    free = mix.high - mix.low > 1e-9
    if free.any():
        middle, half = (mix.high + mix.low)[free] / 2, (mix.high - mix.low)[free] / 2
        axes.errorbar(places[free], middle, yerr=half, fmt="none", ecolor="black", capsize=3, linewidth=1)
    _name(axes, "x", mix.actions)
    axes.set_ylim(0.0, min(1.15 * float(np.max(mix.high, initial=0.01)), 1.0))
    axes.set_ylabel("probability")
    axes.set_xlabel(f"player_{player} plays" if mix.actions else f"player_{player} waits")
    axes.set_title(mix.verdict() if mix.actions else "", fontsize=9)


def _draw_matrix(axes: Axes, play: PlayAt) -> None:
    rows, columns = play.headings
    most = max(float(np.abs(play.matrix).max()), 1e-9)
    image = axes.imshow(play.matrix, cmap="RdBu", vmin=-most, vmax=most, aspect="auto")
    _name(axes, "x", columns)
    _name(axes, "y", rows)
    axes.set_xlabel("player_1 plays")
    axes.set_ylabel("player_0 plays")
    axes.set_title("payoff to player_0, to go", fontsize=9)
    if play.matrix.size <= MOST_NUMBERS:
        for (row, column), payoff in np.ndenumerate(play.matrix):
            ink = "white" if abs(payoff) > 0.6 * most else "black"
            text = f"{round(payoff, 2) + 0.0:.2f}"
            axes.text(column, row, text, ha="center", va="center", color=ink, fontsize=8 if len(columns) < 10 else 7)
    axes.figure.colorbar(image, ax=axes, label="payoff points")


def _name(axes: Axes, side: str, names: Sequence[str]) -> None:
    """Names the places along one side of a picture; long names stand upright."""
    long = side == "x" and max(map(len, names), default=0) > 3
    places = np.arange(len(names))
    axes.set(**{f"{side}ticks": places})
    labels = axes.xaxis if side == "x" else axes.yaxis
    labels.set_ticklabels(names, rotation=90 if long else 0, fontsize=10 if len(names) <= 10 else 8)


def behaviour_figure(strategies: Sequence[Mapping[str, Mapping[str, Any]]], title: str, value: float) -> Figure:
    """What each player does for each thing that it can know: one bar for each type, split by action."""
    figure = new_figure(8.0, 4.0)
    for player, (axes, strategy) in enumerate(zip(figure.subplots(1, 2, sharey=True), strategies, strict=True)):
        places, under = np.arange(len(strategy)), np.zeros(len(strategy))
        actions = list(next(iter(strategy.values())))
        for place, action in enumerate(reversed(actions)):
            likely = np.array([mix[action] for mix in strategy.values()])
            shade = 1.0 if place == 0 else 0.35 / place
            axes.bar(places, likely, bottom=under, label=action, color=COLOURS[player], alpha=shade)
            under += likely
        if len(strategy) <= 40:
            axes.set_xticks(places, list(strategy))
        axes.set_xlabel(f"player_{player} sees")
        axes.set_ylabel("probability")
        axes.legend(loc="upper left", bbox_to_anchor=(0.0, 1.14), ncols=len(actions), frameon=False)
    figure.suptitle(f"{title}: value {round(value, 4) + 0.0:.4f} to player_0", fontsize=11)
    return figure
