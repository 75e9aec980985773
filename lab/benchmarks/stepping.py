"""Measures how fast environments step: ours, and PettingZoo's rps_v2 and connect_four_v3.

Usage: cardwar bench stepping [--rounds 5] [--seconds 0.5]

All play is random, in one process, through the public interface; observations, masks and infos are read
as a learner would read them. `war_v0` has two players and the full deck of 12 ranks: 4,381 actions.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

from cardwar_envs import GAMES
from lab.benchmarks.comparison import Comparison, Maker, Measure, Settings, clocked, for_seconds

# Plays a whole game; returns the steps made in it.
Play = Callable[[Any, "Player"], int]
PEERS = {
    "rps_v2": "pettingzoo.classic.rps.rps",
    "connect_four_v3": "pettingzoo.classic.connect_four.connect_four",
}
DRAWS = np.random.default_rng(0).random(1 << 16).tolist()


class Player:
    """Plays at random; random numbers are drawn beforehand, so that they take no time during measurements."""

    def __init__(self, num_actions: int) -> None:
        self._all = np.arange(num_actions)
        self._drawn = 0

    def choose(self, observation: Any) -> int:
        """A random legal action; without a mask all actions are legal."""
        self._drawn = (self._drawn + 1) % len(DRAWS)
        legal = self._all
        if isinstance(observation, dict):
            legal = observation["action_mask"].nonzero()[0]
        return int(legal[int(DRAWS[self._drawn] * len(legal))])


def aec_game(env: Any, player: Player) -> int:
    """Plays a game; counts the steps of agents, but not those of agents whose game is over."""
    steps = 0
    env.reset()
    for _ in env.agent_iter():
        observation, _, terminated, truncated, _ = env.last()
        over = terminated or truncated
        env.step(None if over else player.choose(observation))
        steps += not over
    return steps


def parallel_game(env: Any, player: Player) -> int:
    """Plays a game; counts joint steps."""
    steps, (observations, _) = 0, env.reset()
    while env.agents:
        observations, *_ = env.step({agent: player.choose(observations[agent]) for agent in env.agents})
        steps += 1
    return steps


def maker(module: str, function: str, play: Play, seconds: float) -> Maker:
    def make() -> Measure:
        env = getattr(import_module(module), function)()
        player = Player(env.action_space(env.possible_agents[0]).n)
        return lambda: clocked(lambda: for_seconds(seconds, lambda: play(env, player)))

    return make


def comparisons(settings: Settings) -> list[Comparison]:
    """A comparison for each of PettingZoo's interfaces; our `env` and `raw_env` are the same, without wrappers."""
    interfaces: tuple[tuple[str, str, Play, tuple[str, ...]], ...] = (
        ("AEC", "env", aec_game, ("rps_v2", "connect_four_v3")),
        ("AEC without wrappers", "raw_env", aec_game, ("rps_v2", "connect_four_v3")),
        ("Parallel", "parallel_env", parallel_game, ("rps_v2",)),  # connect_four_v3 is AEC only
    )

    return [
        Comparison(
            title=f"Stepping one environment, PettingZoo {interface}",
            unit="agent-steps" if play is aec_game else "joint steps",
            peers={name: maker(PEERS[name], function, play, settings.seconds) for name in peers},
            ours={f"{name}_v0": maker(f"cardwar_envs.{name}_v0", function, play, settings.seconds) for name in GAMES},
            against=peers,
        )
        for interface, function, play, peers in interfaces
    ]
