"""Draws the figures of docs/optimal_play.md: `python -m lab.optimal_gallery [--out DIR]`."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

import baselines
from baselines.display.figures import draw_mix, new_figure
from baselines.system.files import write_atomically
from cardwar_cli.console import say
from cardwar_envs import make_game

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FOLDER = Path(__file__).parents[1] / "docs"
DOTS_PER_INCH = 75
# Seed for each game to draw.
SEED = 16
# Numbers of tricks after which one game is drawn.
LOOKS = (0, 2, 4, 6, 8, 10)


def optimal_course(solution: baselines.StateSolution, seed: int) -> Iterator[Any]:
    """Yields the states of one game in which both players play the equilibrium."""
    game, rng = solution.game, np.random.default_rng(seed)
    state = game.initial()[0].state
    while players := game.acting_players(state):
        yield state
        mixes = solution.strategies(state)
        chosen = {player: int(rng.choice(len(mixes[player]), p=mixes[player])) for player in players}
        state = game.transitions(state, chosen)[0].state


def jujitsu_by_tricks() -> Figure:
    """Draws both players' mixed strategies at several states of one game with 13 cards."""
    solution = baselines.solve(make_game("jujitsu", num_cards=13))
    assert isinstance(solution, baselines.StateSolution)  # its state is public
    states = list(optimal_course(solution, SEED))
    figure = new_figure(10.0, 11.0)
    for row, tricks in zip(figure.subplots(len(LOOKS), 2), LOOKS, strict=True):
        play = solution.at(states[tricks])
        for player, axes in enumerate(row):
            draw_mix(axes, play.mixes[player], player)
            value = round(play.value if player == 0 else -play.value, 2) + 0.0
            axes.set_title(f"after {tricks} tricks, worth {value:.2f}: {play.mixes[player].verdict()}", fontsize=9)
    return figure


PICTURES: dict[str, Callable[[], Figure]] = {
    "optimal-jujitsu-by-tricks": jujitsu_by_tricks,
    "optimal-jujitsu-10": lambda: baselines.solve(make_game("jujitsu", num_cards=10)).show(),
    "optimal-dice-poker": lambda: baselines.solve(make_game("dice_poker")).show(),
    "optimal-war": lambda: baselines.solve(make_game("war", ranks=6, discards=1, max_rounds=30)).show(),
}


def main(out: Annotated[Path, typer.Option(metavar="DIR", help="Output folder for the pictures.")] = FOLDER) -> None:
    """Draw the pictures of docs/optimal_play.md."""
    out.mkdir(parents=True, exist_ok=True)
    for name, draw in PICTURES.items():
        path = out / f"{name}.png"
        content = io.BytesIO()
        draw().savefig(content, dpi=DOTS_PER_INCH, metadata={"Software": None})
        write_atomically(path, content.getvalue())
        say(f"Picture: {path}")


if __name__ == "__main__":
    typer.run(main)
