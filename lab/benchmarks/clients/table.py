"""The clients: what is installed for each, and which program and recipe are run."""

from __future__ import annotations

from typing import NamedTuple

OURS = "constraints.txt"
TORCH = "torch==2.13.0"  # a CPU build where there is one; any version that a client takes will do


class Client(NamedTuple):
    """One client.

    Attributes:
        name: The library's usual name.
        package: Its distribution, whose version is shown.
        needs: What pip installs, beside the wheel with `extra`.
        environment: Clients with the same value share a virtual environment.
        extra: The extra of our wheel.
        program: File in `programs`, without suffix.
        recipe: Page in `docs/recipes`, without suffix, whose Python code is run as well; None if there is no such page.
        example: A file in `examples` and its arguments, run as well; empty if there is no such file.
        constraints: One of our constraints files, if it fits.
    """

    name: str
    package: str
    needs: tuple[str, ...]
    environment: str
    program: str
    recipe: str | None = None
    example: tuple[str, ...] = ()
    extra: str | None = None
    constraints: str | None = None


CLIENTS = (
    Client("PettingZoo", "pettingzoo", (), "ours", "run_pettingzoo", extra="render", constraints=OURS),
    Client("Gymnasium", "gymnasium", (), "ours", "run_gymnasium", extra="render", constraints=OURS),
    Client("moviepy", "moviepy", ("moviepy",), "ours", "run_video", extra="render", constraints=OURS),
    Client("Stable-Baselines3", "stable-baselines3", (), "sb3", "run_sb3", extra="train", constraints=OURS),
    Client("sb3-contrib", "sb3-contrib", (), "sb3", "run_sb3_contrib", extra="train", constraints=OURS),
    Client("SuperSuit", "supersuit", ("supersuit",), "supersuit", "run_supersuit", "supersuit"),
    Client("TorchRL", "torchrl", ("torchrl", TORCH), "torchrl", "run_torchrl", "torchrl"),
    Client("Tianshou", "tianshou", ("tianshou", TORCH), "tianshou", "run_tianshou", "tianshou"),
    Client("AgileRL", "agilerl", ("agilerl", "peft", TORCH), "agilerl", "run_agilerl", "agilerl"),
    Client(
        "RLlib",
        "ray",
        (),
        "rllib",
        "run_rllib",
        example=("examples/rllib_self_play.py", "--num-cards", "3", "--iterations", "2", "--every", "1"),
        extra="rllib",
        constraints="constraints-rllib.txt",
    ),
)
