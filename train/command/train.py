"""`cardwar train`: train a policy and measure it."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from cardwar_envs import Game
from train.algorithms.registry import ALGORITHMS, Algorithm, algorithm_named, default_algorithm, often_enough
from train.command.console import AsJson, GameName, out, print_json, say, say_aside
from train.words import game_from, split_words

if TYPE_CHECKING:
    from train.runs.loop import RunResult


def train(
    game: GameName,
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[KEY=VALUE ...] [--OPTION VALUE ...]",
            help="Parameters of the game and options of the algorithm (see --list-options).",
        ),
    ] = None,
    algorithm: Annotated[
        str | None,
        typer.Option(help=f"One of {', '.join(ALGORITHMS)}; default minimax_q or ppo, depending on the game."),
    ] = None,
    folder: Annotated[
        Path | None,
        typer.Option("--out", metavar="DIR", help="Run folder; default derived from game, algorithm and seed."),
    ] = None,
    seed: Annotated[int, typer.Option(help="Random seed.")] = 0,
    resume: Annotated[bool, typer.Option("--resume", help="Resume a run that was interrupted.")] = False,
    list_options: Annotated[bool, typer.Option("--list-options", help="List the algorithm's options.")] = False,
    as_json: AsJson = False,
) -> None:
    """Train a policy and measure it.

    Reports exact exploitability (or NashConv) if the game is small enough, else results of matches. Evaluates at
    least ten times during training unless --evaluate-every is given.
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
        interval = often_enough(arguments.evaluate_every, arguments.steps)
        arguments = dataclasses.replace(arguments, evaluate_every=interval)
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
    """Reports on stderr the defaults that differ for this game."""
    usual, here = entry.defaults(), entry.defaults(rules)
    others = [f"{_spelled(name)} {here[name]}" for name in here if here[name] != usual[name] and name not in given]
    if others:
        say_aside(f"This game has many actions; defaults used: {' '.join(others)}")


def _spelled(argument: str) -> str:
    return f"--{argument.replace('_', '-')}"


def _options_table(entry: Algorithm, rules: Game[Any]) -> Table:
    table = Table("option", "default", "description", title=f"{entry.name}: {entry.summary}")
    defaults = entry.defaults(rules)
    for field in dataclasses.fields(entry.args_type()):
        table.add_row(_spelled(field.name), str(defaults[field.name]), field.metadata["description"])
    return table
