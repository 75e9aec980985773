"""Writes judged games as CSV files, one row per game and per move, and a picture of what moves cost."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from baselines.system.files import csv_bytes, write_atomically
from cardwar_play.judged import Decision, Judged, JudgedGame
from train.reports.curves import picture
from train.text.game_names import game_in_words

FILES = GAMES, MOVES, PICTURE = "games.csv", "moves.csv", "cost-by-move.png"
GAME_COLUMNS = ("game", "where", "player_0", "player_1", "cost_0", "cost_1", "payoff_0", "payoff_1", "finished")
MOVE_COLUMNS = ("game", "where", "move", "seat", "player", "action", "cost")
# Games, and players in each, that the picture has room for.
MOST_PANELS, MOST_LINES = 6, 8


def write_judged(judged: Sequence[Judged], folder: Path) -> None:
    """Writes `FILES` to a folder; costs are in payoff points, and empty for moves that are not judged."""
    folder.mkdir(parents=True, exist_ok=True)
    games = [(game_in_words(each.game), game) for each in judged for game in each.games]
    rows = ((title, g.where, *g.names, *g.costs, *g.payoffs, g.over) for title, g in games)
    write_atomically(folder / GAMES, csv_bytes([GAME_COLUMNS, *rows]))
    moves = (_move(title, game, *made) for title, game in games for made in game.moves)
    write_atomically(folder / MOVES, csv_bytes([MOVE_COLUMNS, *moves]))
    panels = judged[:MOST_PANELS]
    write_atomically(folder / PICTURE, picture(partial(_draw, panels), 7.0, 0.6 + 2.9 * len(panels)))


def _move(title: str, game: JudgedGame, number: int, made: Decision) -> Sequence[Any]:
    cost, action = made.cost if made.verdict.met else "", made.name_of(made.verdict.played)
    return title, game.where, number, made.seat, game.names[made.seat], action, cost


def _draw(judged: Sequence[Judged], figure: Figure) -> None:
    for axes, each in zip(figure.subplots(len(judged), squeeze=False)[:, 0], judged, strict=True):
        figures = each.figures()
        for place, name in enumerate([*figures][:MOST_LINES]):
            numbers = [number + 0.06 * place for number in figures[name].cost_by_move]  # beside each other
            mean, low, high = np.array([*figures[name].cost_by_move.values()]).reshape(-1, 3).T
            axes.errorbar(
                numbers, mean, (mean - low, high - mean), marker="o", mfc="none", ls=":", capsize=3, label=name
            )
        more = f", the first {MOST_LINES} of {len(figures)} players" if len(figures) > MOST_LINES else ""
        axes.set_title(f"{game_in_words(each.game)}, {len(each.games):,} games{more}")
        axes.set(xlabel="move", ylabel="mean cost (payoff points)", ylim=(0.0, None))
        axes.xaxis.get_major_locator().set_params(integer=True)
        axes.legend(frameon=False)
    figure.suptitle("Cost of a move against an optimal reply, mean over games (sampled) with 99 % intervals")
