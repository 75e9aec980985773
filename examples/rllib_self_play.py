"""Trains RLlib's PPO on Jujitsu in self-play and measures its exact exploitability during training.

Usage: python examples/rllib_self_play.py [--num-cards 5] [--iterations 100] [--every 5]
           [--num-env-runners 0] [--seed 0] [--save policy.safetensors]

RLlib wraps the PettingZoo Parallel environment (`jujitsu_v0.parallel_env`). Observations are dicts that contain the
mask, and one module with masked logits plays both seats. Every few iterations a callback computes the exploitability
of the current policy and adds it to RLlib's results, where Tune and its loggers find it like any other metric. With
`--num-env-runners N`, N processes play the games, on all machines of the Ray cluster at the address in the environment
variable RAY_ADDRESS.

The extra `rllib` needs a virtual environment of its own, because RLlib pins an older Gymnasium:
`pip install -c constraints-rllib.txt -e '.[rllib]'`.
"""

from __future__ import annotations

import argparse
import copy
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ray
import torch
from ray.rllib.algorithms.algorithm import Algorithm
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.callbacks.callbacks import RLlibCallback
from ray.rllib.core.columns import Columns
from ray.rllib.core.rl_module.apis.value_function_api import ValueFunctionAPI
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.core.rl_module.torch.torch_rl_module import TorchRLModule
from ray.rllib.env.wrappers.pettingzoo_env import ParallelPettingZooEnv
from ray.tune.registry import register_env
from torch import Tensor

from baselines import exploitability
from cardwar_envs import Game, jujitsu_v0, make_game
from train.measures.exact import evaluate, verdict
from train.policies.files import save_policy
from train.policies.networks import Network, SoftmaxPolicy

ENV, MODULE = "jujitsu", "both_seats"
METRIC = "exploitability"
JOINT_ACTIONS = 2_000  # between two updates, in all games together
FRAGMENT = 10  # joint actions of each game between updates; RLlib is far slower with few games and long fragments

register_env(ENV, lambda parameters: ParallelPettingZooEnv(jujitsu_v0.parallel_env(**parameters)))


class MaskedModule(TorchRLModule, ValueFunctionAPI):
    """An actor and a critic, both networks of this package; illegal actions have probability 0.

    RLlib's own module with masks is only an example and needs other keys in the observation. The actor here can also be
    stored in a policy file. `model_config["game"]` holds the parameters of the game.
    """

    def setup(self) -> None:
        """Builds both networks."""
        game = make_game(ENV, **self.model_config["game"])
        self.actor = Network(game, 128, 2, game.facts.num_actions, "tanh")
        self.critic = Network(game, 128, 2, 1, "tanh")

    def _forward(self, batch: dict[str, Any], **_: Any) -> dict[str, Tensor]:
        views = batch[Columns.OBS]
        logits = self.actor(views["observation"])
        least = torch.finfo(logits.dtype).min
        return {Columns.ACTION_DIST_INPUTS: torch.where(views["action_mask"] == 1, logits, least)}

    def compute_values(self, batch: dict[str, Any], embeddings: Any = None) -> Tensor:
        """`[batch]`: the critic's values, in payoff points."""
        values: Tensor = self.critic(batch[Columns.OBS]["observation"])
        return values.squeeze(-1)


class ExactExploitability(RLlibCallback):
    """Adds the exact exploitability of the current policy to the results every `every` iterations."""

    def __init__(self, game: Game[Any], every: int) -> None:
        super().__init__()
        self._game, self._every = game, every

    def on_train_result(self, *, algorithm: Algorithm, result: dict[str, Any], **_: Any) -> None:
        """Evaluates in the learner's process; the games may be played in other processes or on other machines."""
        if result["training_iteration"] % self._every == 0:
            result[METRIC] = exploitability(self._game, policy_of(algorithm, self._game))


def policy_of(algorithm: Algorithm, game: Game[Any]) -> SoftmaxPolicy:
    """A copy of the policy learned so far, which further training does not change."""
    return SoftmaxPolicy(game, copy.deepcopy(algorithm.get_module(MODULE).actor))


def configuration(game: Game[Any], iterations: int, every: int, num_env_runners: int = 0, seed: int = 0) -> PPOConfig:
    """The configuration of PPO in self-play: one module plays both agents and learns from both."""
    games = max(1, JOINT_ACTIONS // (FRAGMENT * max(1, num_env_runners)))
    return (
        PPOConfig()
        .environment(ENV, env_config=game.parameters())
        .multi_agent(policies={MODULE}, policy_mapping_fn=lambda *_, **__: MODULE)
        .rl_module(rl_module_spec=RLModuleSpec(module_class=MaskedModule, model_config={"game": game.parameters()}))
        .env_runners(num_env_runners=num_env_runners, num_envs_per_env_runner=games)
        .training(
            gamma=1.0,  # games are finite, and only the total payoff matters
            lambda_=0.95,
            lr=[[0, 1e-3], [iterations * JOINT_ACTIONS, 1e-4]],  # decays, because otherwise the policy circles
            # RLlib divides advantages by their standard deviation. With a constant 0.1, play becomes almost pure and
            # its exploitability reaches 0.99.
            entropy_coeff=[[0, 0.5], [iterations * JOINT_ACTIONS, 0.25]],
            use_kl_loss=False,
            train_batch_size_per_learner=JOINT_ACTIONS,
            minibatch_size=1_000,
            num_epochs=4,
        )
        .callbacks(lambda: ExactExploitability(game, every))
        .debugging(seed=seed, log_level="ERROR")
    )


def train(
    game: Game[Any], iterations: int, every: int, num_env_runners: int, seed: int, show: Callable[[str], None] = print
) -> SoftmaxPolicy:
    """Trains; shows a line per evaluation and a summary at the end.

    Args:
        game: The game, a Jujitsu.
        iterations: Updates, each after `JOINT_ACTIONS` joint actions.
        every: Iterations between evaluations.
        num_env_runners: Number of processes that play; with 0, this process plays.
        seed: Seed for all randomness; results are reproducible if one process plays.
        show: Called with each line.

    Returns:
        The trained policy.
    """
    started = time.perf_counter()
    algorithm = configuration(game, iterations, every, num_env_runners, seed).build_algo()
    try:
        for _ in range(iterations):
            result = algorithm.train()
            if METRIC in result:
                steps = result["training_iteration"] * JOINT_ACTIONS
                show(f"{steps:>9,} joint actions   exploitability {result[METRIC]:.4f}")
        policy = policy_of(algorithm, game)
    finally:
        algorithm.stop()
    steps = iterations * JOINT_ACTIONS
    show(verdict(game, "RLlib's PPO", evaluate(game, policy), steps, time.perf_counter() - started))
    return policy


def main() -> None:
    """Runs the command line."""
    parser = argparse.ArgumentParser(description="RLlib's PPO in self-play on Jujitsu, evaluated exactly.")
    for name, default in {"num-cards": 5, "iterations": 100, "every": 5, "num-env-runners": 0, "seed": 0}.items():
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument(
        "--save", type=Path, help="file for the trained policy, which `cardwar exploit --policy FILE` reads"
    )
    given = parser.parse_args()
    if min(given.iterations, given.every) < 1 or given.num_env_runners < 0:
        parser.error("--iterations and --every must be at least 1, --num-env-runners at least 0")
    torch.set_num_threads(1)  # the networks are too small to gain from more threads
    ray.init(include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    game = make_game(ENV, num_cards=given.num_cards)
    policy = train(game, given.iterations, given.every, given.num_env_runners, given.seed)
    if given.save:
        save_policy(given.save, policy)


if __name__ == "__main__":
    main()
