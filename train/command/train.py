"""`cardwar train`: learn a policy and measure it."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from cardwar_envs import Game
from train.algorithms.registry import ALGORITHMS, Algorithm, algorithm_named, default_algorithm
from train.command.console import AsJson, GameName, out, print_json, say, say_aside
from train.words import game_from, split_words

if TYPE_CHECKING:
    from train.algorithms.contract import CommonArgs
    from train.runs.loop import RunResult

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
        out.print(_options_table(entry, rules))
        return
    arguments = entry.args_from(options, rules)
    _say_other_defaults(entry, rules, options)
    if "evaluate_every" not in options:
        arguments = _with_a_curve(arguments)
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
        _print_as_json(rules, entry, result)
        return
    out.print(result.verdict, highlight=False)
    say(f"Picture: {picture}")


def _with_a_curve(arguments: CommonArgs) -> CommonArgs:
    """The same arguments, but a short run is measured often enough for a curve."""
    often = max(1, min(arguments.evaluate_every, arguments.steps // EVALUATIONS))
    return dataclasses.replace(arguments, evaluate_every=often)


def _print_as_json(rules: Game[Any], entry: Algorithm, result: RunResult) -> None:
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


def _say_other_defaults(entry: Algorithm, rules: Game[Any], given: Collection[str]) -> None:
    """Says on stderr which defaults are others for this game."""
    usual, here = entry.defaults(), entry.defaults(rules)
    others = [f"{_spelled(name)} {here[name]}" for name in here if here[name] != usual[name] and name not in given]
    if others:
        say_aside(f"This game has many actions, so the defaults are {' '.join(others)}")


def _spelled(argument: str) -> str:
    return f"--{argument.replace('_', '-')}"


def _options_table(entry: Algorithm, rules: Game[Any]) -> Table:
    table = Table("option", "default", "what it is", title=f"{entry.name}: {entry.summary}")
    defaults = entry.defaults(rules)
    for field in dataclasses.fields(entry.args_type()):
        table.add_row(_spelled(field.name), str(defaults[field.name]), field.metadata["description"])
    return table
