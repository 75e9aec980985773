"""Runs, studies, solutions and reports where nothing can be written: FOLDER, in a mount namespace of its own."""

import json
import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

from forked import cardwar
from run_files import rows

import baselines
import train.reports.curves
import train.reports.page  # noqa: F401  # what a call would import
from cardwar_envs import make_game
from train.storage.run_folder import RunFolder

TRAIN = ["train", "jujitsu", "num_cards=3", "--algorithm", "cfr_plus", "--steps", "30", "--evaluate-every", "10"]
SOLVE = ["solve", "jujitsu", "num_cards=7"]
STUDY = """
title = "On a full disk"

[defaults.cfr_plus]
steps = 30
evaluate_every = 10

[[runs]]
games = ["jujitsu num_cards=3"]
algorithms = ["cfr_plus"]
seeds = [0]
"""


def mount(folder, options):
    subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)], check=True)


def fill(folder, free):
    """Leaves only so many bytes."""
    with suppress(OSError), open(folder / "filler", "wb", buffering=0) as file:
        while True:
            file.write(bytes(4096))
    os.truncate(folder / "filler", max(0, (folder / "filler").stat().st_size - free))


def steps_kept(out):
    """The steps of the checkpoint; nothing of it stays open."""
    folder = RunFolder(out)
    held = folder.read_checkpoint(folder.config()) if (out / "config.json").exists() else None
    return [] if held is None else [row["steps"] for row in held.data["rows"]]


def study(folder, disk, refused, expected):
    """A study without room, with little, and then with enough."""
    asked = folder / "asked.toml"
    asked.write_text(STUDY)
    for free in (0, 12288):
        mount(disk, "size=4m")
        fill(disk, free)
        words = ["study", asked, "--out", disk / "study"]
        refused[f"study {free}"] = cardwar(*words)
        (disk / "filler").unlink()
        code, errors = cardwar(*words)
        assert code == 0, errors
        (run,) = [path.parent for path in (disk / "study").rglob("config.json")]
        assert rows(run) == expected
        assert list((disk / "study").glob("*.html"))
        subprocess.run(["umount", "--lazy", str(disk)], check=True)


def main(folder):
    disk, unbroken = folder / "disk", folder / "unbroken"
    disk.mkdir()
    baselines.solve(make_game("jujitsu", num_cards=2))  # compiles what all calls need
    assert cardwar(*TRAIN, "--out", unbroken)[0] == 0
    expected, refused = rows(unbroken), {}
    for free in (0, 8192, 24576):
        mount(disk, "size=256k")
        fill(disk, free)
        out = disk / "run"
        code, errors = refused[f"train {free}"] = cardwar(*TRAIN, "--out", out)
        assert steps_kept(out) == [row["steps"] for row in expected][: len(steps_kept(out))]
        (disk / "filler").unlink()
        if code:
            code, errors = cardwar(*TRAIN, "--out", out, *(["--resume"] if (out / "config.json").exists() else []))
            assert code == 0, errors
        assert rows(out) == expected
        fill(disk, 4096)
        refused[f"report {free}"] = cardwar("report", unbroken, "--out", disk / "page.html")
        refused[f"solve {free}"] = cardwar(*SOLVE, "--cache", disk / "cache")
        (disk / "filler").unlink()
        assert cardwar(*SOLVE, "--cache", disk / "cache")[0] == 0
        if free == 0:
            subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
            refused["read-only train"] = cardwar(*TRAIN, "--out", disk / "new")
            refused["read-only solve"] = cardwar(*SOLVE, "--cache", disk / "new")
            refused["read-only report"] = cardwar("report", unbroken, "--out", disk / "page.html")
        subprocess.run(["umount", "--lazy", str(disk)], check=True)
    study(folder, disk, refused, expected)
    print(json.dumps(refused))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
