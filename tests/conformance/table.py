"""The tables of docs/conformance.md: every check on our games, and on others'.

`python tests/conformance/table.py` prints them as Markdown; with `times`, how long a check of each of our games takes.
"""

import sys
import time

from cardwar_envs.conformance import CHECKS, Result, coverage, load, run_all
from cardwar_envs.conformance.verdicts import FAILED, NOT_APPLICABLE, PASSED, STATUSES
from train.reports.markdown import table

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


def game_table(games: dict[str, str]) -> str:
    """What every check says of some environments, and the reasons."""
    found: dict[str, dict[str, Result]] = {}
    for heading, text in games.items():
        word, *words = text.split()
        found[heading] = {result.check: result for result in run_all(load(word, words, seconds=SECONDS))}
    rows = [[f"`{check}`", *(SIGNS[found[heading][check].status] for heading in games)] for check in CHECKS]
    lines = [table(["check", *games], rows), ""]
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
    return table(["environment", "kind", "games", "moves", "distinct situations", "seconds", "failed"], rows)


if __name__ == "__main__":
    if sys.argv[1:] == ["times"]:
        print(time_table())
    else:
        print(game_table(OURS), game_table(OTHERS), sep="\n\n")
