"""Kills `cardwar train --resume` and `cardwar solve --cache` again and again: FOLDER KILLS."""

import json
import random
import sys
from pathlib import Path

from forked import cardwar, killed, warm
from small_runs import rows

import train.reports.curves  # noqa: F401  # what a call would import
from baselines.oracles.rank_games.solver import DuelTable
from cardwar_envs import make_game

TRAIN = ["train", "jujitsu", "num_cards=3", "--algorithm", "cfr_plus", "--steps", "300", "--evaluate-every", "10"]
CARDS = 9


def killed_training(folder, kills, draw):
    assert cardwar(*TRAIN, "--out", folder / "unbroken")[0] == 0
    progress, out = [0], folder / "killed"
    for _ in range(kills):
        resume = ["--resume"] if (out / "config.json").exists() else []
        wanted = progress[-1] + draw.randrange(3)
        killed(draw.uniform(0.0, 0.05), *TRAIN, "--out", out, *resume, ready=lambda: lines(out) > wanted)  # noqa: B023
        progress.append(len(rows(out)) if (out / "metrics.csv").exists() else 0)  # reads all: no broken file
    code, errors = cardwar(*TRAIN, "--out", out, "--resume")
    return {
        "code": code,
        "errors": errors if code else "",
        "rows": rows(out),
        "unbroken": rows(folder / "unbroken"),
        "progress": progress,
        "left": [path.name for path in out.glob(".*")],
    }


def lines(out):
    path = out / "metrics.csv"
    return path.read_text().count("\n") if path.exists() else 0


def killed_solving(folder, kills, draw):
    """Every fifth time from nothing again; each time until some more layers are there."""
    words, layers, same = ["solve", "jujitsu", f"num_cards={CARDS}"], [], []
    assert cardwar(*words, "--cache", folder / "whole")[0] == 0
    whole = [(folder / "whole" / f"layer_{k}.bin").read_bytes() for k in range(1, CARDS + 1)]
    for number in range(kills):
        cache = folder / f"cache-{number // 5}"
        wanted = len(list(cache.glob("layer_*.bin"))) + draw.randrange(3)
        there = lambda: len(list(cache.glob("layer_*.bin"))) >= wanted  # noqa: B023, E731
        killed(draw.uniform(0.0, 0.01), *words, "--cache", cache, ready=there)
        layers.append(len(list(cache.glob("layer_*.bin"))))
        if number % 5 == 4:
            assert cardwar(*words, "--cache", cache) == (0, "")
            same += [(cache / f"layer_{k}.bin").read_bytes() == whole[k - 1] for k in range(1, CARDS + 1)]
            same += [
                not list(cache.glob("*.new")),
                DuelTable(make_game("jujitsu", num_cards=CARDS), folder=cache).solve() == 0,
            ]
    return {"same": same, "layers": layers}


def main(folder, kills):
    draw = random.Random(0)
    warm(make_game("jujitsu", num_cards=CARDS))
    answer = {"train": killed_training(folder, kills, draw), "solve": killed_solving(folder, kills, draw)}
    print(json.dumps(answer))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
