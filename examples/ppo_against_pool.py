"""PPO against a pool of opponents, with sb3-contrib: a policy that beats the whole pool can still be exploitable.

    python examples/ppo_against_pool.py --num-cards 4

In every game one opponent is drawn from a pool and plays the whole game; the learner, sb3-contrib's MaskablePPO, has
each seat in half of the games. Two figures are exact: the learner's mean payoff against each opponent, averaged over
both seats, and its exploitability, which is what a perfect opponent wins from it. Both rise during training.

On 4-card Jujitsu with the command above (seed 0), in 200,704 decisions and 15 CPU seconds: +0.2463 points a game from
`uniform`, +0.9991 from `highest_card`, +0.9981 from `lowest_card`; the exploitability rises from 0.3763 to 0.9968 (the
maximum is 1; uniform play's is 0.375). With seed 1, the figures are +0.2440, +0.9987, +0.9989, and 0.9834.

Source: J. Schulman et al., "Proximal Policy Optimization Algorithms" (2017), as implemented with masks by sb3-contrib.
"""

import argparse
import time
from dataclasses import dataclass, fields

import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.vec_env import VecMonitor

from baselines import head_to_head
from cardwar_envs import Pool, make_game
from cardwar_envs.sb3 import ExploitabilityCallback, from_sb3, make_against


@dataclass
class Args:
    """Arguments; each is an option of the command."""

    num_cards: int = 4
    pool: str = "uniform,highest_card,lowest_card"
    seed: int = 0
    steps: int = 200_000
    num_games: int = 128
    learning_rate: float = 1e-3
    entropy: float = 0.01
    report_every: int = 50_000


def payoffs(game, policy, names):
    """The exact mean payoff of a policy against each opponent, averaged over both seats, in payoff points."""
    return {name: (head_to_head(game, policy, name).mean - head_to_head(game, name, policy).mean) / 2 for name in names}


def train(args, show=print):
    """Trains; returns the policy, its exact payoffs, and a list of (steps, exact exploitability)."""
    game, names = make_game("jujitsu", num_cards=args.num_cards), args.pool.split(",")
    envs = make_against(game, args.num_games, opponent=Pool(names))
    model = MaskablePPO(
        "MlpPolicy",
        VecMonitor(envs),
        n_steps=8 * args.num_cards,
        batch_size=1024,
        n_epochs=4,
        learning_rate=lambda left: args.learning_rate * left,
        gamma=1.0,  # games are short, and only their payoff counts
        ent_coef=args.entropy,
        policy_kwargs={"net_arch": [128, 128]},
        seed=args.seed,
        device="cpu",
    )
    measured = ExploitabilityCallback(game, every=args.report_every)
    model.learn(args.steps, callback=measured)
    policy = from_sb3(model)
    for steps, figure in measured.history:
        show(f"{steps:>9,} decisions   exploitability {figure:.4f}")
    won = payoffs(game, policy, names)
    for name, mean in won.items():
        show(f"from {name:<14} {mean:+.4f} points a game")
    show(f"{time.process_time():.0f} CPU seconds")
    return policy, won, measured.history


def parsed(kind):
    """Parses the command line, with one option for each field of the dataclass `kind`."""
    parser = argparse.ArgumentParser(formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    for field in fields(kind):
        parser.add_argument(f"--{field.name.replace('_', '-')}", type=type(field.default), default=field.default)
    return kind(**vars(parser.parse_args()))


if __name__ == "__main__":
    torch.set_num_threads(1)  # the networks are too small to gain from more threads
    train(parsed(Args))
