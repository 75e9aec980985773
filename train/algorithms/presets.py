"""Published settings of the learners, by name.

`cardwar train --algorithm NAME` and studies take a preset as they take a learner. A preset is data: it sets arguments
of its base; other arguments keep their defaults, and the command line overrides both. Each says where its settings were
read. Steps are the published budgets in joint actions: two decisions each, so half of the published decisions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

Value = int | float | str


@dataclass(frozen=True)
class Preset:
    """Named arguments of a learner.

    Attributes:
        name: Its key in `ALGORITHMS`.
        base: The learner.
        label: Its name in plots and sentences.
        source: The paper.
        read_in: Where the settings were read, and what is not as published.
        settings: Argument -> value.
    """

    name: str
    base: str
    label: str
    source: str
    read_in: str
    settings: Mapping[str, Value]


# Four games with two decisions in each of 128 steps are the 1,024 decisions of 8 environments that ask one player.
RUDOLPH: dict[str, Value] = {
    "steps": 5_000_000,
    "evaluate_every": 250_000,
    "num_games": 4,
    "rollout": 128,
    "batch_size": 256,
    "epochs": 4,
    "learning_rate": 2.5e-4,
    "final_rate": 0.0,
    "gamma": 0.99,
    "gae_lambda": 0.95,
    "normalize_advantage": 1,
    "clip_range": 0.1,
    "value_clip": 0.1,
    "value_coefficient": 0.5,
    "max_grad_norm": 0.5,
    "entropy": 0.05,
    "final_entropy": 1.0,
    "width": 512,
    "layers": 3,
    "relu": 0,
}
NO_AVERAGE: dict[str, Value] = {"average_share": 0.0, "random_starts": 0}
RUDOLPH_PAPER = (
    "Rudolph et al., Reevaluating policy gradient methods for imperfect-information games (arXiv:2502.08938)"
)
RUDOLPH_CODE = "of github.com/nathanlct/IIG-RL-Benchmark at 591d35da"
# SB3 clips the value's change; CleanRL, on which the published codes are modelled, takes the greater of both losses.
VALUE_LOSS = "SB3 clips values without taking the greater of both losses"

PRESETS = (
    Preset(
        "rudolph_ppo",
        "ppo",
        "PPO (Rudolph et al.)",
        RUDOLPH_PAPER,
        f"configs/algorithm/ppo.yaml {RUDOLPH_CODE}; {VALUE_LOSS}",
        RUDOLPH,
    ),
    Preset(
        "rudolph_mmd",
        "mmd",
        "MMD (Rudolph et al.)",
        RUDOLPH_PAPER,
        f"configs/algorithm/mmd.yaml {RUDOLPH_CODE}; the divergence from the last policy is exact here, an estimate "
        f"there; {VALUE_LOSS}",
        {**RUDOLPH, **NO_AVERAGE, "magnet": 0.0, "proximal": 0.05},
    ),
    Preset(
        "nashpg",
        "mmd",
        "NashPG",
        "Yu et al., Nash policy gradient (arXiv:2510.18183)",
        "conf/algorithm/nash_pg.yaml of github.com/ntu-agents/nashpg at 11632521, with the 10 outer updates of its "
        f"README; Adam and rectified linear units here, AdamW and GELU there; {VALUE_LOSS}",
        {
            **RUDOLPH,
            **NO_AVERAGE,
            "steps": 20_480_000,
            "evaluate_every": 1_024_000,
            "num_games": 16,
            "batch_size": 1024,
            "learning_rate": 3e-4,
            "final_rate": 1.0,
            "gamma": 1.0,
            "clip_range": 0.2,
            "value_clip": 0.2,
            "magnet": 0.2,
            "magnet_every": 1000,
            "relu": 1,
        },
    ),
    Preset(
        "emagnet",
        "mmd",
        "EMAgnet",
        "Maidment et al., EMAgnet (arXiv:2606.23995)",
        "the abstract: PPO in self-play, pulled towards a moving average of its own weights. Its settings could not be "
        "read: the weight of the pull and the window, a fraction of the run so far, are ours; the rest is that of "
        "rudolph_ppo",
        {**RUDOLPH, "entropy": 0.0, "magnet": 0.05, "magnet_every": 1, "average_share": 0.1, "random_starts": 0},
    ),
    Preset(
        "rnad",
        "joint_critic",
        "R-NaD",
        "Perolat et al., Mastering the game of Stratego with model-free multiagent reinforcement learning "
        "(arXiv:2206.15378)",
        "the method in its simplest form: NeuRD, and a pull of 0.2 towards a policy that the actor replaces from time "
        "to time. With a critic of joint actions instead of V-trace, and the pull in each state alone; "
        "lengths and rates are ours",
        {"natural": 1, "temperature": 0.2, "magnet_rate": 1.0, "magnet_every": 250, "final_rate": 1.0},
    ),
)
