"""The identity of a run, and the command that reproduces it."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from cardwar_envs import Game
from train.text.game_names import json_parameters, title_words


def run_identity(game: Game[Any], algorithm: str, args: Any, seed: int) -> dict[str, Any]:
    """The identity of a run as JSON data; `args` is a dataclass, or its fields as a dict."""
    return {
        "game": game.facts.name,
        "parameters": json_parameters(game),
        "algorithm": algorithm,
        "args": args if isinstance(args, dict) else dataclasses.asdict(args),
        "seed": seed,
    }


def train_words(title: str, identity: Mapping[str, Any], folder: object) -> list[str]:
    """The arguments of `cardwar` that reproduce a run; arguments that are empty strings are omitted.

    `title` is the output of `game_in_words`, and `identity` that of `run_identity`.
    """
    words = ["train", *title_words(title), f"--algorithm={identity['algorithm']}"]
    given = ((name, value) for name, value in identity["args"].items() if value != "")
    words += [f"--{name.replace('_', '-')}={value}" for name, value in given]
    return [*words, f"--seed={identity['seed']}", f"--out={folder}"]
