"""The tables of docs/conformance.md: every check on toys with one defect each, on our games, and on others'.

`python tests/conformance/table.py` prints them as Markdown; with `times`, how long a check of each of our games takes.
"""

import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

from toy_envs import BROKEN

from cardwar_envs.conformance import CHECKS, Result, coverage, load, run, run_all
from cardwar_envs.conformance.verdicts import FAILED, NOT_APPLICABLE, PASSED, STATUSES

# Heading -> name and parameters; small, so that the oracles apply.
OURS = {
    "Jujitsu": "cardwar/jujitsu-v0 num_cards=5",
    "Dinosaur War": "cardwar/dinosaur-war-v0 num_cards=5",
    "Dice Wars": "cardwar/dice-wars-v0 num_cards=4 sides=3",
    "Dice Poker": "cardwar/dice-poker-v0",
    "WAR": "cardwar/war-v0 ranks=3 discards=1 max_rounds=8",
    "WAR for three": "cardwar/war-v0 num_players=3 ranks=4 discards=1 max_rounds=20",
    "Goofspiel": "cardwar/goofspiel-v0 num_cards=3",
    "Oshi-Zumo": "cardwar/oshi-zumo-v0 coins=6 size=1",
    "Lowest unique number": "cardwar/lowest-unique-v0 rounds=2",
}
# For each of them; the default is more.
SECONDS = 8.0
OTHERS = {"rps_v2": "pettingzoo.classic.rps_v2"}
SIGNS = {status: status for status in STATUSES}
SIGNS |= {FAILED: "**failed**", NOT_APPLICABLE: "–"}  # noqa: RUF001  # a dash, for "nothing to say"


def is_caught(check: str, toy: Any) -> bool:
    """Whether a check fails on a toy."""
    return run(check, toy).status == FAILED


def toy_table(toys: dict[str, Any], catches: Callable[[str, Any], bool] = is_caught) -> str:
    """Which check catches which toy."""
    rows = []
    for check in CHECKS:
        caught = {name: catches(check, toy) for name, (supposed, toy) in toys.items() if supposed == check}
        rows.append(
            [f"`{check}`", "; ".join(name if found else f"**missed: {name}**" for name, found in caught.items())]
        )
    return _markdown(["check", "toys that it catches"], rows)


def game_table(games: dict[str, str]) -> str:
    """What every check says of some environments, and the reasons."""
    found: dict[str, dict[str, Result]] = {}
    for heading, text in games.items():
        word, *words = text.split()
        found[heading] = {result.check: result for result in run_all(load(word, words, seconds=SECONDS))}
    rows = [[f"`{check}`", *(SIGNS[found[heading][check].status] for heading in games)] for check in CHECKS]
    lines = [_markdown(["check", *games], rows), ""]
    for heading, text in games.items():
        lines.append(f"{heading} is `{text}`.")
        for result in found[heading].values():
            if result.status != PASSED:
                lines.append(f"- `{result.check}` {SIGNS[result.status]} {result.reason}")
        lines.append("")
    return "\n".join(lines).strip()


def time_table() -> str:
    """How long the kit looks at each of our games, with the parameters and the limit that are defaults, and at what."""
    rows = []
    for word in sorted({text.split()[0] for text in OURS.values()}):
        began = time.monotonic()
        subject = load(word)
        failed = [result.check for result in run_all(subject) if result.status == FAILED]
        seconds = time.monotonic() - began
        for kind, seen in coverage(subject).items():
            rows.append([f"`{word}`", kind, *(f"{count:,}" for count in seen.values()), f"{seconds:.0f}", len(failed)])
    return _markdown(["environment", "kind", "games", "moves", "distinct situations", "seconds", "failed"], rows)


def _markdown(headings: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    return "\n".join("| " + " | ".join(map(str, row)) + " |" for row in [headings, ["---"] * len(headings), *rows])


if __name__ == "__main__":
    if sys.argv[1:] == ["times"]:
        print(time_table())
    else:
        print(toy_table(BROKEN), game_table(OURS), game_table(OTHERS), sep="\n\n")
