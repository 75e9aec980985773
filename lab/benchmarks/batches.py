"""Measures how fast batches of games step: ours, Pgx's fastest games, and a Python loop over OpenSpiel's goofspiel.

Usage: cardwar bench batches [--rounds 5] [--seconds 0.5]

All play is random. Our batches write observations and masks of every seat at every step; a joint action
counts as one step for each seat. In Pgx's games, which JAX compiles as a whole, players take turns, and each
move counts as one step; OpenSpiel's goofspiel writes no observations. Each of our games has three rows: with
given actions (drawn before the clock starts), with actions drawn by the batch (as the peers do), and as a
Gymnasium vector environment, where only the agent's steps count and `uniform` plays the other seat. The own
game is `examples/undercut.py`.
"""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import gymnasium

from cardwar_envs import GAMES, make_game
from cardwar_envs.envs.game_batch import GameBatch
from lab.benchmarks.comparison import Comparison, Maker, Measure, Sample, Settings, clocked, for_seconds

PGX_GAMES = 8192  # the batch size at which Pgx is fastest on two cores
PGX = ("kuhn_poker", "tic_tac_toe")
GOOFSPIEL = "goofspiel(num_cards=6,points_order=descending,returns_type=win_loss,imp_info=False)"
# By the names of their rows; the last is a game of one's own, which has no kernels.
PLAYED = {name: name for name in GAMES} | {"own game": "examples.undercut:Undercut"}
VARIANTS: dict[str, dict[str, bool]] = {"actions given": {}, "actions drawn": {"draw": True}}
WARM_UP = 0.05  # seconds; compiles


# Prepares a step, which is not timed; the returned function makes the step and returns the number of agent steps.
Ready = Callable[[], Callable[[], int]]


def stepping(load: Callable[[], Ready], seconds: float) -> Maker:
    """A candidate of ours that steps for `seconds`."""

    def make() -> Measure:
        ready = load()

        def run(seconds: float = seconds) -> Sample:
            samples, end = [], time.perf_counter() + seconds
            while time.perf_counter() < end:
                samples.append(clocked(ready()))
            amounts, walls, processors, *_ = zip(*samples, strict=True)
            return Sample(sum(amounts), sum(walls), sum(processors))

        run(WARM_UP)
        return run

    return make


def batch(name: str, count: int, draw: bool = False) -> Ready:
    """Self-play in a game of default size."""
    games = GameBatch(make_game(name), count, seed=0)
    games.reset()

    def given() -> Callable[[], int]:
        actions = games.uniform_actions()

        def step() -> int:
            games.step(actions)
            return int(actions.size)

        return step

    return (lambda: lambda: given()()) if draw else given


def vector_env(name: str, count: int) -> Ready:
    """The vector environment; the agent plays its first legal action, and the time to find it is not counted."""
    env = gymnasium.make_vec("cardwar/game-v0", num_envs=count, game=name)
    held = [env.reset(seed=0)[0]]

    def ready() -> Callable[[], int]:
        actions = held[0]["action_mask"].argmax(axis=1)

        def step() -> int:
            held[0] = env.step(actions)[0]
            return count

        return step

    return ready


def pgx_game(name: str, settings: Settings) -> Maker:
    """A game of Pgx: drawing actions, stepping and restarting are compiled together."""

    def make() -> Measure:
        os.environ.setdefault("JAX_PLATFORMS", "cpu")
        import jax
        import pgx
        from pgx.experimental import auto_reset

        env = pgx.make(name)
        step = jax.vmap(auto_reset(env.step, env.init))

        @jax.jit
        def turn(state: Any, key: Any) -> Any:
            following, drawing, dealing = jax.random.split(key, 3)
            weights = jax.numpy.log(state.legal_action_mask.astype(jax.numpy.float32))
            actions = jax.random.categorical(drawing, weights, axis=-1)
            return step(state, actions, jax.random.split(dealing, PGX_GAMES)), following

        key = jax.random.PRNGKey(0)
        held = [(jax.jit(jax.vmap(env.init))(jax.random.split(key, PGX_GAMES)), key)]

        def play() -> int:
            held[0] = jax.block_until_ready(turn(*held[0]))
            return PGX_GAMES

        play()  # compiles
        return lambda: clocked(lambda: for_seconds(settings.seconds, play))

    return make


def goofspiel(settings: Settings) -> Maker:
    """OpenSpiel's goofspiel with 6 cards, played one game after another."""

    def make() -> Measure:
        import pyspiel

        game, draws = pyspiel.load_game(GOOFSPIEL), random.Random(0)

        def play() -> int:
            steps, state = 0, game.new_initial_state()
            while not state.is_terminal():
                state.apply_actions([draws.choice(state.legal_actions(seat)) for seat in (0, 1)])
                steps += 2
            return steps

        return lambda: clocked(lambda: for_seconds(settings.seconds, play))

    return make


def comparisons(settings: Settings) -> list[Comparison]:
    """A single comparison of all batches."""
    ours: dict[str, Maker] = {}
    for title, name in PLAYED.items():
        for kind, arguments in VARIANTS.items():
            ours[f"{title}, {kind}"] = stepping(partial(batch, name, settings.games, **arguments), settings.seconds)
        ours[f"{title}, vector environment"] = stepping(partial(vector_env, name, settings.games), settings.seconds)
    pgx_games = {f"Pgx {name}": pgx_game(name, settings) for name in PGX}
    return [
        Comparison(
            title=f"Stepping {settings.games:,} games at once (Pgx: {PGX_GAMES:,})",
            unit="agent-steps",
            peers=pgx_games | {"OpenSpiel goofspiel, one game": goofspiel(settings)},
            ours=ours,
            against=tuple(pgx_games),
        )
    ]
