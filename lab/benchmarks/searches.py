"""Measures searches exactly, and writes the tables of `docs/search.md`.

    python -m lab.benchmarks.searches GAME [KEY=VALUE ...] [--counts 10,100,1000] [--selections matrix,uct] [--seeds 3]

Each policy searches at every state of the game, and its exploitability is exact. CPU seconds are those of all these
searches. Results are stored in `runs/searches`, so figures can be added in several calls.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator
from statistics import median
from typing import Any

from baselines import exploitability
from baselines.search.policy import SELECTIONS, SearchPolicy
from baselines.system.files import write_atomically
from cardwar_envs import Game, make_game
from lab.benchmarks.clients.environments import ROOT
from train.reports.markdown import rewrite
from train.reports.markdown import table as in_markdown
from train.text.parsing import fields_from

RESULTS = ROOT / "runs" / "searches"
PAGE = ROOT / "docs" / "search.md"
COMMAND = "python -m lab.benchmarks.searches"
COUNTS = "10,100,1000,10000"


class Timed:
    """A policy whose queries are timed, in CPU seconds."""

    def __init__(self, policy: SearchPolicy) -> None:
        self.stands_for, self.seconds = policy, 0.0

    def action_probabilities(self, observations: Any, action_masks: Any) -> Any:
        """Asks the policy."""
        begin = time.process_time()
        answer = self.stands_for.action_probabilities(observations, action_masks)
        self.seconds += time.process_time() - begin
        return answer


def measured(game: Game[Any], selection: str, count: int, seeds: int) -> dict[str, Any]:
    """Returns the exploitability for each seed, and the least CPU seconds (others are disturbed)."""
    exploitability(game, SearchPolicy(game, selection, 2))  # loads what is compiled
    found, seconds = [], []
    for seed in range(seeds):
        policy = Timed(SearchPolicy(game, selection, count, seed=seed))
        found.append(float(exploitability(game, policy)))
        seconds.append(policy.seconds)
    return {"selection": selection, "simulations": count, "exploitability": found, "seconds": min(seconds)}


def rows(results: list[dict[str, Any]], uniform: float) -> Iterator[list[str]]:
    """Yields a row for each rule: medians, with least and greatest, and CPU seconds."""
    for selection in SELECTIONS:
        for each in sorted((r for r in results if r["selection"] == selection), key=lambda r: r["simulations"]):
            figures = each["exploitability"]
            mark = " (worse than uniform)" if median(figures) > uniform else ""
            span = f"{median(figures):.4f} ({min(figures):.4f} to {max(figures):.4f}){mark}"
            yield [f"`{selection}`", f"{each['simulations']:,}", span, str(len(figures)), f"{each['seconds']:.2f}"]


def part_of(part: str) -> str:
    """The table of a game."""
    path = RESULTS / f"{part}.json"
    stored = json.loads(path.read_text())
    headings = ["selection", "simulations", "exploitability: median (least to greatest)", "seeds", "CPU s"]
    table = in_markdown(headings, rows(stored["results"], stored["uniform"]))
    return f"Uniform play: {stored['uniform']:.4f}.\n\n{table}"


def measure_game(words: list[str], counts: list[int], selections: list[str], seeds: int) -> None:
    """Adds the figures of a game to its results."""
    name, *settings = words
    game = make_game(name, **fields_from(type(make_game(name)), dict(word.split("=") for word in settings), name))
    path = RESULTS / f"{'-'.join(words)}.json"
    results = json.loads(path.read_text())["results"] if path.exists() else []
    for selection in selections:
        for count in counts:
            results = [r for r in results if (r["selection"], r["simulations"]) != (selection, count)]
            results.append(measured(game, selection, count, seeds))
            print(results[-1], flush=True)
            RESULTS.mkdir(parents=True, exist_ok=True)
            uniform = float(exploitability(game, "uniform"))
            write_atomically(path, json.dumps({"uniform": uniform, "results": results}, indent=1).encode())


def main() -> None:
    """Measures, and writes the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("words", nargs="*", metavar="GAME [KEY=VALUE ...]")
    parser.add_argument("--counts", default=COUNTS)
    parser.add_argument("--selections", default=",".join(SELECTIONS))
    parser.add_argument("--seeds", type=int, default=3)
    asked = parser.parse_args()
    if asked.words:
        counts = [int(count) for count in asked.counts.split(",")]
        measure_game(asked.words, counts, asked.selections.split(","), asked.seeds)
    PAGE.write_text(rewrite(PAGE.read_text(), COMMAND, part_of))


if __name__ == "__main__":
    main()
