"""A first look at the suite: solves Jujitsu, trains two learners on it, and measures how far from optimal they play.

Usage: python -m cardwar_cli.demo [--out DIR] [--seed N]
"""

from __future__ import annotations

import shutil
import sys
from itertools import count
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

import baselines
from cardwar_cli.console import new_table, out
from cardwar_envs import make_game
from train.algorithms.registry import ALGORITHMS
from train.reports.curves import PLOT_FILE, plot_runs
from train.runs.loop import RunResult, run

SOLVED_SIZES = range(3, 9)
LEARNED_SIZE = 5
# Enough joint actions for minimax-Q to converge (with fewer games, it learns more often), and enough of PPO's curve to
# see its trend.
OPTIONS = {"minimax_q": {"steps": 800_000, "num_games": 512}, "ppo": {"steps": 200_000}}
NEXT = """
The same seed gives the same figures on the same machine with the same versions. Another processor rounds differently in
training, so the figures differ.

Next:
  {cardwar} play jujitsu num_cards=5 --web          play against the equilibrium, and see what each move cost
  {cardwar} solve jujitsu num_cards=13              the full game, exactly
  {cardwar} exploit jujitsu num_cards=5 --policy {ppo}    how much a perfect opponent wins from PPO
  {cardwar} --help                                  all commands; README.md and docs/tutorial.md show the Python API"""


def main(
    folder: Annotated[Path | None, typer.Option("--out", help="New folder for both runs; default runs/demo-N.")] = None,
    seed: Annotated[int, typer.Option(help="Seed for both learners.")] = 0,
) -> None:
    """Solves Jujitsu with 3 to 8 cards, trains both learners on 5 cards, and reports how far from optimal they play."""
    out.print("Solving Jujitsu, then training two learners on 5 cards: 1 to 2 minutes on two cores.", highlight=False)
    folder = folder or next(Path("runs") / f"demo-{n}" for n in count(1) if not (Path("runs") / f"demo-{n}").exists())
    out.print(_solutions())
    game = make_game("jujitsu", num_cards=LEARNED_SIZE)
    results: dict[str, RunResult] = {}
    for name, options in OPTIONS.items():
        args = ALGORITHMS[name].args(**options, evaluate_every=options["steps"] // 10)
        results[name] = run(game, name, args, folder / name, seed=seed, echo=sys.stdout)
        plot_runs([results[name].folder], results[name].folder / PLOT_FILE)
    plot_runs([result.folder for result in results.values()], folder / PLOT_FILE)
    out.print(f"\nPicture: {folder / PLOT_FILE}", highlight=False, soft_wrap=True)
    for result in sorted(results.values(), key=lambda result: result.figures["exploitability"]):
        out.print(f"Verdict: {result.verdict}", highlight=False)
    out.print(NEXT.format(cardwar=_command(), ppo=folder / "ppo"), highlight=False, soft_wrap=True)


def _command() -> str:
    """The command that starts `cardwar` in this environment."""
    script = Path(sys.executable).with_name("cardwar")
    if shutil.which("cardwar") == str(script):
        return "cardwar"
    return str(script.relative_to(Path.cwd()) if script.is_relative_to(Path.cwd()) else script)


def _solutions() -> Table:
    """Prints the value and the equilibrium of Jujitsu for each size."""
    table = new_table(
        "Jujitsu solved: probability of each first card in optimal play",
        "",
        *(f"{num_cards} cards" for num_cards in SOLVED_SIZES),
        caption="The gap is a certified bound on the error of the value, which is 0 by symmetry.",
    )
    columns = []
    for num_cards in SOLVED_SIZES:
        solution = baselines.solve(make_game("jujitsu", num_cards=num_cards))
        assert isinstance(solution, baselines.StateSolution)
        strategy, _ = solution.strategies(solution.game.initial()[0].state)
        cells = [f"{solution.value + 0.0:.4f}", f"{solution.gap:.0e}", *(f"{p:.3f}" for p in strategy)]
        columns.append(cells + [""] * (SOLVED_SIZES[-1] - num_cards))
    headings = ["value", "gap", *(f"card {card}" for card in range(1, SOLVED_SIZES[-1] + 1))]
    for heading, *cells in zip(headings, *columns, strict=True):
        table.add_row(heading, *cells, end_section=heading == "gap")
    return table


if __name__ == "__main__":
    typer.run(main)
