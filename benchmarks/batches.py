"""How fast batches of games step: ours, and Pgx's fastest beside them if it is installed, in one run.

Usage: python -m benchmarks.batches [--games 4096] [--seconds 0.5] [--rounds 5] [--json FILE]

Everything is random play with observations and masks of every seat written at every step. A joint
action counts as one step for each seat; Pgx's games are played by turns, one step each. Of ours there
are three rows per game: actions given (drawn outside the clock), actions drawn by the batch as well
(what Pgx's rows do), and the Gymnasium vector environment, where the steps of the agent alone count
and `uniform` sits in the other seat. Candidates take turns for `--rounds` rounds, so that a noisy
machine disturbs all of them alike; what counts is the ratio within a round.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Annotated, Any

import gymnasium
import typer
from rich.console import Console
from rich.table import Table

from cardwar_envs import GAMES, make_game
from cardwar_envs.envs.game_batch import GameBatch
from cardwar_envs.envs.registration import gymnasium_id

PEERS = ("kuhn_poker", "tic_tac_toe")
PEER_GAMES = 8192  # where Pgx is fastest on a CPU of two cores
# WAR's masks have 4,381 entries; memory that is new at every step costs more than the game there.
VARIANTS: dict[str, dict[str, bool]] = {"actions given": {}, "actions drawn": {"draw": True}}
REUSED = {
    "actions given, arrays reused": {"reuse": True},
    "actions drawn, arrays reused": {"draw": True, "reuse": True},
}

# Plays for that many seconds; returns the seconds that count and the steps made in them.
Runner = Callable[[float], tuple[float, int]]


def batch_runner(name: str, games: int, draw: bool = False, reuse: bool = False) -> Runner:
    """Self-play of a game's own default size."""
    batch = GameBatch(make_game(name), games, seed=0, reuse=reuse)
    batch.reset()

    def run(seconds: float) -> tuple[float, int]:
        counted, steps, end = 0.0, 0, time.perf_counter() + seconds
        while time.perf_counter() < end:
            start = time.perf_counter()
            actions = batch.uniform_actions()
            if not draw:
                start = time.perf_counter()
            batch.step(actions)
            counted += time.perf_counter() - start
            steps += actions.size
        return counted, steps

    run(0.05)  # compiles
    return run


def env_runner(name: str, games: int) -> Runner:
    """The vector environment; the agent's first legal actions are found outside the clock."""
    env = gymnasium.make_vec(gymnasium_id(name), num_envs=games)
    first = [env.reset(seed=0)[0]]

    def run(seconds: float) -> tuple[float, int]:
        counted, steps, end = 0.0, 0, time.perf_counter() + seconds
        while time.perf_counter() < end:
            actions = first[0]["action_mask"].argmax(axis=1)
            start = time.perf_counter()
            first[0] = env.step(actions)[0]
            counted += time.perf_counter() - start
            steps += games
        return counted, steps

    run(0.05)
    return run


def pgx_runner(name: str) -> Runner:
    """A game of Pgx, compiled whole: drawing, stepping, starting anew."""
    import jax
    import pgx
    from pgx.experimental import auto_reset

    env = pgx.make(name)
    step = jax.vmap(auto_reset(env.step, env.init))

    @jax.jit
    def turn(state: Any, key: Any) -> Any:
        drawing, dealing = jax.random.split(key)
        weights = jax.numpy.log(state.legal_action_mask.astype(jax.numpy.float32))
        actions = jax.random.categorical(drawing, weights, axis=-1)
        return step(state, actions, jax.random.split(dealing, PEER_GAMES))

    keys = iter(jax.random.split(jax.random.PRNGKey(0), 1 << 17))
    states = [jax.jit(jax.vmap(env.init))(jax.random.split(next(keys), PEER_GAMES))]

    def run(seconds: float) -> tuple[float, int]:
        steps, start = 0, time.perf_counter()
        while time.perf_counter() - start < seconds:
            states[0] = jax.block_until_ready(turn(states[0], next(keys)))
            steps += PEER_GAMES
        return time.perf_counter() - start, steps

    run(0.05)
    return run


def runners(games: int) -> dict[tuple[str, str], Runner]:
    """Everything that is measured, by name and kind; the one that ratios refer to first."""
    found: dict[tuple[str, str], Runner] = {}
    try:
        found |= {(f"pgx {name}", "actions drawn"): pgx_runner(name) for name in PEERS}
    except ImportError as error:
        Console(stderr=True).print(f"Pgx is left out: {error}")
    for name in GAMES:
        variants = VARIANTS | (REUSED if name == "war" else {})
        for kind, arguments in variants.items():
            found[name, kind] = batch_runner(name, games, **arguments)
        found[name, "vector environment"] = env_runner(name, games)
    return found


def measure(games: int, seconds: float, rounds: int) -> list[dict[str, Any]]:
    """One row per candidate: rates in agent-steps per second, and ratios to the first, round by round."""
    candidates = runners(games)
    rates: dict[tuple[str, str], list[float]] = {name: [] for name in candidates}
    for _ in range(rounds):
        for name, run in candidates.items():
            counted, steps = run(seconds)
            rates[name].append(steps / counted)
    against = next(iter(rates.values()))
    return [
        {"game": game, "kind": kind, "rates": own, "ratios": [a / b for a, b in zip(own, against, strict=True)]}
        for (game, kind), own in rates.items()
    ]


def main(
    games: Annotated[int, typer.Option(help="Games in each of our batches.")] = 4096,
    seconds: Annotated[float, typer.Option(help="Length of one measurement.")] = 0.5,
    rounds: Annotated[int, typer.Option(help="Measurements of each candidate.")] = 5,
    json_file: Annotated[Path | None, typer.Option("--json", help="Also write the rows there.")] = None,
) -> None:
    """Measures and prints a table."""
    rows = measure(games, seconds, rounds)
    table = Table(title="Random play, one process: median of agent-steps per second, ratio (least to most)")
    for heading in ("game", "kind", "agent-steps/s", f"x {rows[0]['game']}"):
        table.add_column(heading, justify="left" if heading in ("game", "kind") else "right")
    for row in rows:
        ratios = row["ratios"]
        spread = f"{median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})"
        table.add_row(row["game"], row["kind"], f"{median(row['rates']):,.0f}", spread)
    Console().print(table)
    if json_file is not None:
        json_file.write_text(json.dumps(rows, indent=2))


if __name__ == "__main__":
    typer.run(main)
