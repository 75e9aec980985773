"""The table of the documentation: every check on toys with one defect each, on our games, and on others'.

`python -m cardwar_envs.conformance.table [TOYS.py]` prints it as Markdown.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from cardwar_envs.conformance.runner import CHECKS, run, run_all
from cardwar_envs.conformance.subject import Subject, load
from cardwar_envs.conformance.verdicts import FAILED, NOT_APPLICABLE, PASSED, Result

TOYS = Path("tests/conformance/toy_envs.py")
# Heading -> name and parameters; small, so that the oracles apply.
OURS = {
    "Jujitsu": "cardwar/jujitsu-v0 num_cards=5",
    "Dinosaur War": "cardwar/dinosaur-war-v0 num_cards=5",
    "Dice Wars": "cardwar/dice-wars-v0 num_cards=4 sides=3",
    "Dice Poker": "cardwar/dice-poker-v0",
    "WAR": "cardwar/war-v0 ranks=3 discards=1 max_rounds=8",
    "WAR for three": "cardwar/war-v0 num_players=3 ranks=4 discards=1 max_rounds=20",
}
OTHERS = {"rps_v2": "pettingzoo.classic.rps_v2"}
SIGNS = {PASSED: "passed", FAILED: "**failed**", NOT_APPLICABLE: "–"}  # noqa: RUF001  # a dash, for "nothing to say"

Toys = dict[str, tuple[str, Subject]]


def read_toys(path: Path) -> Toys:
    """`BROKEN` of a file of toys: name -> (the check that must catch it, the toy)."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None or not path.is_file():
        raise ValueError(f"no file of toys {str(path)!r}")
    module = sys.modules[path.stem] = importlib.util.module_from_spec(spec)  # where pickle looks for its classes
    spec.loader.exec_module(module)
    broken: Toys = module.BROKEN
    return broken


def toy_table(toys: Toys) -> str:
    """Which check catches which toy."""
    rows = []
    for check in CHECKS:
        caught = {name: run(check, toy).status == FAILED for name, (supposed, toy) in toys.items() if supposed == check}
        rows.append(
            [f"`{check}`", "; ".join(name if found else f"**missed: {name}**" for name, found in caught.items())]
        )
    return _markdown(["check", "toys that it catches"], rows)


def game_table(games: dict[str, str]) -> str:
    """What every check says of some environments, and the reasons."""
    found: dict[str, dict[str, Result]] = {}
    for heading, text in games.items():
        word, *words = text.split()
        found[heading] = {result.check: result for result in run_all(load(word, words))}
    rows = [[f"`{check}`", *(SIGNS[found[heading][check].status] for heading in games)] for check in CHECKS]
    lines = [_markdown(["check", *games], rows), ""]
    for heading, text in games.items():
        lines.append(f"{heading} is `{text}`.")
        for result in found[heading].values():
            if result.status != PASSED:
                lines.append(f"- `{result.check}` {SIGNS[result.status]} {result.reason}")
        lines.append("")
    return "\n".join(lines).strip()


def _markdown(headings: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    return "\n".join("| " + " | ".join(map(str, row)) + " |" for row in [headings, ["---"] * len(headings), *rows])


def main(arguments: Sequence[str]) -> None:
    """Prints the tables."""
    print(toy_table(read_toys(Path(arguments[0]) if arguments else TOYS)))
    print()
    print(game_table(OURS))
    print()
    print(game_table(OTHERS))


if __name__ == "__main__":
    main(sys.argv[1:])
