"""Trains the levels that ship with the package: `python -m lab.levels [GAME ...] [--out DIR]`.

For each game, one learner trains with one seed. A level is its policy after some number of steps, stored with half
precision (16 bits). The exact exploitability is that of the stored policy.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from numpy.typing import NDArray

import baselines
from baselines.opponents.levels.level import DATA, FOLDER, Level, read_level
from baselines.system.files import CHECKSUM_FILE, write_atomically
from cardwar_cli.console import say
from cardwar_envs import Game
from train.text.game_names import game_from_words, json_parameters

SEED = 0


@dataclass(frozen=True)
class Ladder:
    """Specifies the levels of one game."""

    words: str  # the game and its parameters
    learner: str  # a key of `ALGORITHMS`
    steps: Sequence[int]  # steps of each level, ascending; each is a run of its own
    arguments: Mapping[str, Any] = field(default_factory=dict)  # arguments of the learner, other than its steps
    # Whether an earlier version of the learner made the levels, with other steps: they are kept, not made again.
    kept: bool = False

    def game(self) -> Game[Any]:
        """The game to train on."""
        name, *parameters = self.words.split()
        return game_from_words(name, parameters)


MILLION = 1_000_000
LADDERS = (
    Ladder("dice_poker", "cfr_plus", (1, 2, 5, 10, 30)),
    Ladder("goofspiel num_cards=4 view=word", "cfr_plus", (1, 3, 9, 41, 1000)),
    Ladder("goofspiel num_cards=5 view=word", "cfr_plus", (1, 3, 9, 41, 1000)),
    Ladder("jujitsu num_cards=5 view=word", "cfr_plus", (1, 3, 9, 41, 1000)),
    Ladder("jujitsu num_cards=8 view=word", "cfr_plus", (1, 4, 10, 41, 1000)),
    Ladder(
        "jujitsu num_cards=13 view=word",
        "fitted_value",
        (8 * MILLION, 30 * MILLION, 70 * MILLION, 130 * MILLION, 220 * MILLION),
        kept=True,
    ),
)


def make_ladder(ladder: Ladder, folder: Path) -> list[Level]:
    """Trains the levels of one game, writes a file for each, and measures the policy in the file."""
    from train.algorithms.registry import algorithm_named
    from train.runs.loop import reproducible

    game, algorithm = ladder.game(), algorithm_named(ladder.learner)
    made = []
    for number, steps in enumerate(ladder.steps, start=1):
        with reproducible(SEED):
            learner = algorithm.learner(game, algorithm.args(steps=steps, **ladder.arguments), SEED)
            learner.advance(steps)
        kind, arrays = as_arrays(learner.policy())
        data = {
            "game": game.facts.name,
            "parameters": json_parameters(game),
            "title": ladder.words.removesuffix(" view=word"),
            "number": number,
            "kind": kind,
            "learner": ladder.learner,
            "arguments": dict(ladder.arguments),
            "steps": steps,
            "seed": SEED,
        }
        made.append(write_level(folder, data, arrays))
        say(f"{made[-1].title} level {number}: exploitability {made[-1].exploitability:.6f}")
    return made


def as_arrays(policy: Any) -> tuple[str, dict[str, NDArray[Any]]]:
    """Converts a learned policy to its kind and its named arrays, as a level's file stores them."""
    tensors = {name: tensor.numpy() for name, tensor in policy.to_archive().tensors.items()}
    if policy.kind == "table":  # observations are small whole numbers
        types = {"observations": np.int8, "probabilities": np.float16}
        return policy.kind, {name: array.astype(types[name]) for name, array in tensors.items()}
    # Torch names each array by the moves left, the layer and the part; not all layers have weights.
    layers = sorted({name.split(".")[1] for name in tensors}, key=int)
    parts = {"weight": "weights", "bias": "bias"}
    named = {}
    for name, array in tensors.items():
        moves_left, layer, part = name.split(".")
        named[f"{moves_left}.{parts[part]}_{layers.index(layer)}"] = array.astype(np.float16)
    return policy.kind, named


def write_level(folder: Path, data: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Level:
    """Writes one file, with the policy and its exploitability, which is computed first."""
    from safetensors.numpy import save

    cards = data["parameters"].get("num_cards")
    path = folder / f"{data['game']}{'' if cards is None else f'_{cards}'}_level_{data['number']}.safetensors"
    write_atomically(path, save(dict(arrays), {DATA: json.dumps(data)}))
    unmeasured = Level(**data, exploitability=float("nan"), path=path)
    game = unmeasured.learned_for()
    exploitability = baselines.exploitability(game, read_level(unmeasured, game))
    write_atomically(path, save(dict(arrays), {DATA: json.dumps({**data, "exploitability": exploitability})}))
    return Level(**data, exploitability=exploitability, path=path)


def main(
    games: Annotated[
        list[str] | None,
        typer.Argument(metavar="[TEXT ...]", help="Only games whose title contains one of these words."),
    ] = None,
    out: Annotated[Path, typer.Option(metavar="DIR", help="Output folder; default the package itself.")] = FOLDER,
) -> None:
    """Train the levels that ship with the package."""
    out.mkdir(parents=True, exist_ok=True)
    for ladder in LADDERS:
        if games and not any(text in ladder.words for text in games):
            continue
        if ladder.kept:
            say(f"{ladder.words}: kept, as an earlier version of {ladder.learner} made these levels")
        else:
            make_ladder(ladder, out)
    sums = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(out.glob("*.safetensors"))}
    lines = (f"{checksum}  {name}\n" for name, checksum in sums.items())  # in the format that `sha256sum --check` reads
    write_atomically(out / CHECKSUM_FILE, "".join(lines).encode())


if __name__ == "__main__":
    typer.run(main)
