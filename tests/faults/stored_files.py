"""A folder with a small specimen of everything that the project stores and reads again."""

import shutil
from pathlib import Path

from baselines.opponents.levels.level import FOLDER as LEVELS
from cardwar_cli.main import main
from cardwar_envs import make_game
from cardwar_play.record import write_record
from cardwar_play.seating import table_for
from cardwar_play.trainer import Trainer

GAME, OTHER_GAME = ["jujitsu", "num_cards=3"], ["dice_poker", "sides=3"]
CFR = ["--algorithm=cfr_plus", "--steps=6", "--evaluate-every=3"]
PPO = ["--algorithm=ppo", "--steps=40", "--evaluate-every=20", "--num-games=10", "--rollout=5"]
PPO += ["--batch-size=20", "--width=8"]
# Folder of a run -> the words that made it; the first two are enough for a quick look.
RUNS = {
    "run": [*GAME, *CFR],
    "other": [*OTHER_GAME, *CFR],
    "network": [*GAME, *PPO],
    "matches": [*GAME, *PPO, "--measure=matches", "--matches=20", "--seed=1"],
}
EXPLOIT = ["exploit", *GAME, "--approximate", "--steps=40", "--games=100", "--policy=highest_card", "--out=exploited"]
STUDY = """
[[runs]]
games = ["jujitsu num_cards=3"]
algorithms = ["cfr_plus steps=4 evaluate_every=2", "cfr_plus reach=1 steps=4 evaluate_every=2"]
"""
# What stands outside and must stay as it is.
VICTIMS = {"victim": b"untouched\n", "victims/run/victim": b"also untouched\n"}


def command(*words):
    """Calls `cardwar`, which must succeed."""
    try:
        main(list(words))
    except SystemExit as ended:
        assert not ended.code, words  # noqa: PT017  # it always ends so


def make_few(inside: Path) -> None:
    """Fills the working folder with two runs, two solution caches and two records."""
    for name in ("run", "other"):
        command("train", *RUNS[name], f"--out={name}")
    for name, ties in {"cache": "carry", "other_cache": "discard"}.items():
        command("solve", "jujitsu", "num_cards=4", f"ties={ties}", f"--cache={name}")
    for name, game in {"game": "jujitsu", "other_game": "dinosaur_war"}.items():
        trainer = Trainer(table_for(make_game(game, num_cards=3), 0, ["uniform"], None, "No costs."), 0)
        while trainer.ending is None:
            trainer.play(trainer.choices[-1])
        write_record(trainer, inside / f"{name}.json")


def make_all(inside: Path) -> None:
    """Fills the working folder with everything."""
    make_few(inside)
    for name in ("network", "matches"):
        command("train", *RUNS[name], f"--out={name}")
    command(*EXPLOIT)
    (inside / "study.toml").write_text(STUDY)
    for reach in ("", "-reach=1"):
        name = f"jujitsu-num_cards=3-cfr_plus{reach}-steps=4-evaluate_every=2-seed=0"
        words = ["--algorithm=cfr_plus", f"--reach={len(reach) // 8}", "--steps=4", "--evaluate-every=2"]
        command("train", *GAME, *words, f"--out=study/{name}")
    (inside / "study" / "logs").mkdir()
    (inside / "study" / "logs" / f"{name}.log").write_text("said\n")
    command("study", "study.toml", "--out=study")
    command("playoffs", *GAME, "run", "uniform", "--out=playoffs")
    (inside / "levels").mkdir()
    for path in [LEVELS / "checksums.txt", *LEVELS.glob("*.safetensors")]:
        if path.stat().st_size < 50_000:
            shutil.copy(path, inside / "levels")
    sums = (inside / "levels" / "checksums.txt").read_text().splitlines(keepends=True)
    there = [line for line in sums if (inside / "levels" / line.split()[1]).exists()]
    (inside / "levels" / "checksums.txt").write_text("".join(there))


def make_victims(outside: Path) -> None:
    """What commands must leave alone, beside the folder."""
    for name, content in VICTIMS.items():
        (outside / name).parent.mkdir(parents=True, exist_ok=True)
        (outside / name).write_bytes(content)
