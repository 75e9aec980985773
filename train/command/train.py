"""`cardwar train`: learn a policy and measure it."""

from __future__ import annotations

import dataclasses
import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from train.algorithms.registry import ALGORITHMS, Algorithm, algorithm_named, default_algorithm
from train.command.console import AsJson, GameName, out, print_json, say
from train.words import game_from, split_words

# Unless the user says how often, a run is measured at least about so many times.
EVALUATIONS = 10


def train(
    game: GameName,
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[KEY=VALUE ...] [--OPTION VALUE ...]",
            help="Parameters of the game, and options of the algorithm (see --list-options).",
        ),
    ] = None,
    algorithm: Annotated[
        str | None, typer.Option(help=f"One of {', '.join(ALGORITHMS)}; default minimax_q or ppo, by the game.")
    ] = None,
    folder: Annotated[
        Path | None, typer.Option("--out", metavar="DIR", help="Run folder; made from the names if not given.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of everything random.")] = 0,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with a run that was stopped.")] = False,
    list_options: Annotated[bool, typer.Option("--list-options", help="List the algorithm's options.")] = False,
    as_json: AsJson = False,
) -> None:
    """Learn a policy in self-play, and measure it.

    Where the game is small enough, the result says exactly how far the policy is from optimal. Elsewhere it is
    measured in matches. That is done at least ten times on the way, unless --evaluate-every says how often.
    """
    parameters, options, rest = split_words(words or [])
    if rest:
        raise ValueError(f"{rest[0]!r} must read KEY=VALUE, a parameter of the game")
    rules = game_from(game, parameters)
    entry = algorithm_named(algorithm) if algorithm is not None else default_algorithm(rules)
    if list_options:
        out.print(_options_table(entry))
        return
    arguments = entry.args_from(options)
    if "evaluate_every" not in options:
        # A short run has a curve, too.
        often = max(1, min(arguments.evaluate_every, arguments.steps // EVALUATIONS))
        arguments = dataclasses.replace(arguments, evaluate_every=often)
    # These need torch and matplotlib, which the other commands do without.
    from train.reports.curves import PLOT_FILE, plot_runs
    from train.runs.loop import run

    if folder is None:
        given = "".join(f"-{key}={text}" for key, text in parameters.items())
        folder = Path("runs") / f"{rules.facts.name}{given}-{entry.name}-seed={seed}"
    result = run(rules, entry.name, arguments, folder, seed=seed, resume=resume, echo=sys.stderr)
    picture = result.folder / PLOT_FILE
    plot_runs([result.folder], picture)
    if as_json:
        print_json(
            rules,
            algorithm=entry.name,
            measured=result.measured,
            **result.reference,
            **result.figures,
            steps=result.steps,
            seconds=result.seconds,
            folder=str(result.folder),
        )
        return
    out.print(result.verdict, highlight=False)
    say(f"Picture: {picture}")


def _options_table(entry: Algorithm) -> Table:
    table = Table("option", "default", "what it is", title=f"{entry.name}: {entry.summary}")
    for field in dataclasses.fields(entry.args_type()):
        table.add_row(f"--{field.name.replace('_', '-')}", str(field.default), field.metadata["description"])
    return table
