"""How fast environments step: ours beside PettingZoo's rps_v2, in one run.

Usage: python -m benchmarks.stepping [--seconds 1.0] [--rounds 5] [--json FILE]

Everything is random play through the public interface, with observations, masks and infos read
as a learner would, one process. Environments take turns for `--rounds` rounds, so that a noisy
machine disturbs all of them alike; what counts is the ratio within a round.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Annotated, Any

import numpy as np
import pettingzoo
import typer
from rich.console import Console
from rich.table import Table

import cardwar_envs  # noqa: F401  # registers the games

DRAWS = np.random.default_rng(0).random(1 << 16).tolist()


class Player:
    """Plays at random; the draws are made beforehand so that they cost all environments alike."""

    def __init__(self, num_actions: int) -> None:
        self._all = np.arange(num_actions)
        self._drawn = 0

    def choose(self, observation: Any) -> int:
        """A random legal action; all are legal where there is no mask."""
        self._drawn = (self._drawn + 1) % len(DRAWS)
        legal = self._all
        if isinstance(observation, dict):
            legal = observation["action_mask"].nonzero()[0]
        return int(legal[int(DRAWS[self._drawn] * len(legal))])


def aec_steps(env: Any, seconds: float) -> float:
    """Agent-steps per second, steps of agents whose game is over not counted."""
    player = Player(env.action_space(env.possible_agents[0]).n)
    steps, start = 0, time.perf_counter()
    while time.perf_counter() - start < seconds:
        env.reset()
        for _ in env.agent_iter():
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.step(None)
            else:
                env.step(player.choose(observation))
                steps += 1
    return steps / (time.perf_counter() - start)


def parallel_steps(env: Any, seconds: float) -> float:
    """Joint steps per second."""
    player = Player(env.action_space(env.possible_agents[0]).n)
    steps, start = 0, time.perf_counter()
    while time.perf_counter() - start < seconds:
        observations, _ = env.reset()
        while env.agents:
            observations, *_ = env.step({agent: player.choose(observations[agent]) for agent in env.agents})
            steps += 1
    return steps / (time.perf_counter() - start)


PEER = "classic/rps_v2"
OURS = ("cardwar/jujitsu-v0", "cardwar/dinosaur-war-v0", "cardwar/dice-wars-v0")
KINDS: dict[str, Callable[[Any, float], float]] = {"aec": aec_steps, "parallel": parallel_steps}


def measure(seconds: float, rounds: int) -> list[dict[str, Any]]:
    """One row per environment and kind: rates and their ratios to the peer's, round by round."""
    rows = []
    for kind, steps in KINDS.items():
        envs = {name: pettingzoo.make(kind, name) for name in (PEER, *OURS)}  # type: ignore[call-overload]
        rates: dict[str, list[float]] = {name: [] for name in envs}
        for _ in range(rounds):
            for name, env in envs.items():
                rates[name].append(steps(env, seconds))
        for name, measured in rates.items():
            ratios = [rate / peer for rate, peer in zip(measured, rates[PEER], strict=True)]
            rows.append({"kind": kind, "environment": name, "rates": measured, "ratios": ratios})
    return rows


def main(
    seconds: Annotated[float, typer.Option(help="Length of one measurement.")] = 1.0,
    rounds: Annotated[int, typer.Option(help="Measurements of each environment.")] = 5,
    json_file: Annotated[Path | None, typer.Option("--json", help="Also write the rows there.")] = None,
) -> None:
    """Measures and prints a table."""
    rows = measure(seconds, rounds)
    table = Table(title="Random play, one process: median rate and ratio to rps_v2 (least to most)")
    for heading in ("kind", "environment", "steps/s", f"x {PEER}"):
        table.add_column(heading, justify="left" if heading in ("kind", "environment") else "right")
    for row in rows:
        ratios = row["ratios"]
        spread = f"{median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})"
        table.add_row(row["kind"], row["environment"], f"{median(row['rates']):,.0f}", spread)
    Console().print(table)
    if json_file is not None:
        json_file.write_text(json.dumps(rows, indent=2))


if __name__ == "__main__":
    typer.run(main)
