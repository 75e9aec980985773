"""Computes the equilibria that ship with the package: `python -m lab.solutions [GAME ...] [--again]`.

Existing solutions are kept unless `--again` is given, so a killed run can be resumed. The largest takes about an
hour and seven gigabytes.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Annotated, Any

import typer

import baselines
from baselines.solutions.recorded import FOLDER
from baselines.system.files import CHECKSUM_FILE, parse_object, write_atomically
from cardwar_cli.console import say
from cardwar_cli.solve import solution_data
from train.text.game_names import game_from_words, json_parameters

# Up to this many cards, solutions are exact.
EXACT = {"jujitsu": 5, "goofspiel": 4}
SIZES = {
    "jujitsu": [f"num_cards={size}" for size in range(1, 15)],
    "goofspiel": [f"num_cards={size}" for size in range(1, 15)],
    "dice_poker": [f"sides={size}" for size in (2, 3, 4, 6, 8, 10, 12)],
    "war": ["ranks=3 discards=1", "ranks=4 discards=1", "ranks=5 discards=2"],
}
# Number of layers that payoff matrices at the start need, and some below them.
LAYERS = 4
# Decimals of floats; fewer than the certified precision.
DIGITS = 12
# Entries that differ from run to run.
LEFT_OUT = {"seconds", "solved_now"}


def solved(game: str, words: str) -> dict[str, Any]:
    """Solves a game and returns its entry."""
    rules = game_from_words(game, words.split())
    exact = game == "dice_poker" or int(words.rpartition("=")[2]) <= EXACT.get(game, 0)
    keep = LAYERS if game in ("jujitsu", "goofspiel") and not exact else None
    data = solution_data(baselines.solve(rules, exact=exact or None, keep_layers=keep))
    command = f"cardwar solve {game} {words}{' --exact' if exact else ''}"
    entry = {"game": game, "parameters": json_parameters(rules), "command": command, **data}
    return {key: _rounded(value) for key, value in entry.items() if key not in LEFT_OUT}


def _rounded(data: Any) -> Any:
    if isinstance(data, dict):
        return {key: value if key in ("gap", "slack") else _rounded(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [_rounded(each) for each in data]
    return round(data, DIGITS) + 0.0 if isinstance(data, float) else data


def make(game: str, folder: Path, again: bool) -> None:
    """Adds the missing solutions to a game's file, in the order of `SIZES`."""
    path = folder / f"{game}.json"
    known: dict[str, Any] = {}
    if path.exists() and not again:
        known = {
            entry["command"].removesuffix(" --exact"): entry for entry in parse_object(path.read_bytes())["solutions"]
        }
    for words in SIZES[game]:
        title = f"cardwar solve {game} {words}"
        if title not in known:
            say(title)
            known[title] = solved(game, words)
            order = [known[each] for each in (f"cardwar solve {game} {size}" for size in SIZES[game]) if each in known]
            lines = ",\n".join(json.dumps(entry, separators=(",", ":")) for entry in order)
            write_atomically(path, f'{{"solutions": [\n{lines}\n]}}\n'.encode())


def main(
    games: Annotated[list[str] | None, typer.Argument(help="Games; default all.")] = None,
    out: Annotated[Path, typer.Option(help="Folder.")] = FOLDER,
    again: Annotated[bool, typer.Option("--again", help="Solve everything again.")] = False,
) -> None:
    """Compute the equilibria that ship with the package."""
    for game in games or SIZES:
        make(game, out, again)
    sums = (f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in sorted(out.glob("*.json")))
    write_atomically(out / CHECKSUM_FILE, "".join(sums).encode())


if __name__ == "__main__":
    typer.run(main)
