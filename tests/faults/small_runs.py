"""Small runs, and what their folders hold."""

import os

from cardwar_envs import make_game
from train.algorithms.registry import ALGORITHMS
from train.runs.loop import run

GAME = make_game("jujitsu", num_cards=3)
ESCAPE = "\x1b]0;owned\x07"
# A study of one run, and that run's name.
STUDY = """
[[runs]]
games = ["jujitsu num_cards=3"]
algorithms = ["cfr_plus steps=4 evaluate_every=2"]
"""
NAME = "jujitsu-num_cards=3-cfr_plus-steps=4-evaluate_every=2-seed=0"


def learned(out, **options):
    args = ALGORITHMS["cfr_plus"].args(steps=4, evaluate_every=2)
    return run(GAME, "cfr_plus", args, out, **options)


def contents(folder):
    """All names below a folder, with what is there."""
    found = {}
    for path in sorted(folder.rglob("*")):
        plain = path.is_file() and not path.is_symlink()
        found[path] = path.read_bytes() if plain else os.readlink(path) if path.is_symlink() else "folder"
    return found
