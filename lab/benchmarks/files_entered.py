"""Counts the project's files that the computation of one exact figure passes through, and their lines.

    python -m lab.benchmarks.files_entered

This is how much code a reader has to follow. The game has been measured before, so the call loads and compiles nothing,
and the oracle is already chosen. Every file counts with all its lines: under "path" if it helps to compute the figure,
under "guards" if only the consistency check of policies enters it. A compiled kernel counts with its calling file.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import baselines
import cardwar_envs

ROOT = Path(cardwar_envs.__file__).resolve().parents[1]
PACKAGES = ("baselines", "cardwar_envs", "train")
# Everything that this step calls counts as a guard; the recording of queries counts as path.
GUARDS = {"consistent"}


def files_entered(call: Callable[[], object]) -> tuple[set[str], set[str]]:
    """The files on the path of a call, and those that only its guards enter."""
    path: set[str] = set()
    guards: set[str] = set()
    inside: list[FrameType] = []

    def note(frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        if event == "call":
            if code.co_name in GUARDS:
                inside.append(frame)
            file = Path(code.co_filename)
            if file.is_relative_to(ROOT):
                (guards if inside else path).add(str(file.relative_to(ROOT)))
        elif event == "return" and inside and inside[-1] is frame:
            inside.pop()

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(before)
    on_path = {name for name in path if name.startswith(PACKAGES)}
    return on_path, {name for name in guards if name.startswith(PACKAGES)} - on_path


def main() -> None:
    """Prints the files behind the exploitability of `uniform` in 3-card Jujitsu."""
    game = cardwar_envs.make_game("jujitsu", num_cards=3)
    for each in (cardwar_envs.make_game("jujitsu", num_cards=9), game):  # the larger one has the kernels compiled
        baselines.exploitability(each, "highest_card")
    found = files_entered(lambda: baselines.exploitability(game, "uniform"))
    for heading, names in zip(("path", "guards"), found, strict=True):
        lines = {name: len((ROOT / name).read_text().splitlines()) for name in sorted(names)}
        print(f"{heading}: {len(lines)} files, {sum(lines.values()):,} lines")
        for name, count in lines.items():
            print(f"  {count:4} {name}")


if __name__ == "__main__":
    main()
