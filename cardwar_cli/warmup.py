"""`cardwar warmup`: compiles kernels ahead of time, for container images and continuous integration."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

import baselines
import cardwar_envs
from cardwar_cli.console import advancing, say
from cardwar_envs.envs.registration import VERSIONS
from train.text.game_names import game_of_words

if TYPE_CHECKING:
    from cardwar_envs import Game


def warmup(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="[GAME ...]", help="Names of games, or module:Class; default all games."),
    ] = None,
) -> None:
    """Compile the kernels of these games and cache them for later processes."""
    from cardwar_envs.core.compiled import always_compiled  # imports numba

    games = [game_of_words(name, []) for name in names or VERSIONS]
    begin = time.perf_counter()
    with always_compiled(), advancing("games", len(games)) as progress:
        for done, game in enumerate(games, start=1):
            _run_kernels(game.smallest() or game)
            say(f"{game.facts.name}: ready after {time.perf_counter() - begin:.0f} s")
            progress(done)


def _run_kernels(game: Game[Any]) -> None:
    """Plays, solves and measures a game in every way that uses kernels."""
    facts = game.facts
    batch = cardwar_envs.GameBatch(game, 2)
    batch.reset()
    batch.step(batch.uniform_actions())
    baselines.play_games(game, ["uniform"] * facts.num_players, games=2, seed=0)
    if not baselines.within_reach(game):
        return
    baselines.nash_conv(game, "uniform")
    if facts.num_players == 2 and facts.zero_sum:
        equilibrium = baselines.solve(game).policy
        baselines.nash_conv(game, equilibrium)
        baselines.head_to_head(game, equilibrium, "uniform")
        baselines.solve_matrix(np.vander(np.arange(1.0, 9.0) ** 4))  # the simplex in double-double precision
