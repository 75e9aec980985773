"""Recorded games in the layouts of other packages, made by these packages; writes `REPLAYS`.

Kaggle's package is installed with `pip install --no-deps kaggle-environments`: its dependencies (JAX, transformers,
litellm and others) pin Gymnasium and OpenSpiel to other versions than `constraints.txt`, and the environments with
OpenSpiel's games need none that is missing here.
"""

import gzip
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

REPLAYS = Path(__file__).parents[1] / "cardwar_play" / "replays" / "kaggle.jsonl.gz"
# Environment -> its game's parameters.
GAMES: dict[str, dict[str, Any]] = {
    "oshi_zumo": {"coins": 6, "size": 1, "horizon": 20, "min_bid": 0, "alesia": False},
    "goofspiel": {"num_cards": 3, "points_order": "random", "returns_type": "point_difference"},
    "markov_soccer": {"grid": "BO\nA.", "horizon": 3},
    "repeated_game": {"stage_game": {"name": "matrix_rps"}, "num_repetitions": 2},
}


def replays() -> Iterator[dict[str, Any]]:
    """Plays one game between random agents in each environment."""
    from kaggle_environments import make

    for name, parameters in GAMES.items():
        random.seed(3)
        env = make(
            f"open_spiel_{name}",
            configuration={"openSpielGameParameters": parameters, "includeLegalActions": True, "seed": 3},
        )
        env.info["TeamNames"] = ["Ada", "Bob"]  # as the arena does
        env.run(["random", "random"])
        yield env.toJSON()


if __name__ == "__main__":
    lines = [json.dumps(replay) + "\n" for replay in replays()]
    REPLAYS.write_bytes(gzip.compress("".join(lines).encode(), mtime=0))
