"""How fast environments step: ours beside PettingZoo's rps_v2 and connect_four_v3.

Usage: python -m benchmarks.stepping [--rounds 5] [--seconds 0.5]

Everything is random play through the public interface, with observations, masks and infos read as a
learner would, one process. `war_v0` is two players with the full deck of 12 ranks: 4,381 actions.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

from benchmarks.comparison import Comparison, Maker, Measure, Settings, clocked
from cardwar_envs import GAMES

# Plays for that many seconds; returns the steps made in them.
Steps = Callable[[Any, float], int]
PEERS = {
    "rps_v2": "pettingzoo.classic.rps.rps",
    "connect_four_v3": "pettingzoo.classic.connect_four.connect_four",
}
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


def aec_steps(env: Any, seconds: float) -> int:
    """Plays whole games; steps of agents, those of agents whose game is over not counted."""
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
    return steps


def parallel_steps(env: Any, seconds: float) -> int:
    """Plays whole games; joint steps."""
    player = Player(env.action_space(env.possible_agents[0]).n)
    steps, start = 0, time.perf_counter()
    while time.perf_counter() - start < seconds:
        observations, _ = env.reset()
        while env.agents:
            observations, *_ = env.step({agent: player.choose(observations[agent]) for agent in env.agents})
            steps += 1
    return steps


def maker(module: str, function: str, steps: Steps, seconds: float) -> Maker:
    def make() -> Measure:
        env = getattr(import_module(module), function)()
        return lambda: clocked(lambda: steps(env, seconds))

    return make


def comparisons(settings: Settings) -> list[Comparison]:
    """One for each of PettingZoo's interfaces; our `env` and `raw_env` are the same, nothing wraps them."""
    interfaces: tuple[tuple[str, str, Steps, tuple[str, ...]], ...] = (
        ("AEC", "env", aec_steps, ("rps_v2", "connect_four_v3")),
        ("AEC without wrappers", "raw_env", aec_steps, ("rps_v2", "connect_four_v3")),
        ("Parallel", "parallel_env", parallel_steps, ("rps_v2",)),  # connect_four_v3 is AEC only
    )

    return [
        Comparison(
            title=f"Stepping one environment, PettingZoo {interface}",
            unit="agent-steps" if steps is aec_steps else "joint steps",
            peers={name: maker(PEERS[name], function, steps, settings.seconds) for name in peers},
            ours={f"{name}_v0": maker(f"cardwar_envs.{name}_v0", function, steps, settings.seconds) for name in GAMES},
            against=peers,
        )
        for interface, function, steps, peers in interfaces
    ]


if __name__ == "__main__":
    from benchmarks.suite import alone

    alone("stepping")
