"""`cardwar train`: trains a policy and measures it."""

from __future__ import annotations

import dataclasses
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from cardwar_cli.console import AsJson, out, print_json, say, say_aside
from cardwar_cli.streams import INTERRUPTED, complain
from cardwar_envs import Game
from train.algorithms.registry import ALGORITHMS, Algorithm, algorithm_named
from train.text.parsing import split_words

if TYPE_CHECKING:
    from train.runs.configuration import Configuration
    from train.runs.loop import RunResult
    from train.storage.run_folder import MetricsRow


def train(
    game: Annotated[
        str | None, typer.Argument(metavar="[GAME]", help="As in the other commands; --resume needs no game.")
    ] = None,
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[KEY=VALUE ...] [--OPTION VALUE ...]",
            help="Parameters of the game and options of the algorithm (see --list-options).",
        ),
    ] = None,
    steps: Annotated[str | None, typer.Option(metavar="N", help="Training steps, e.g. 200000 or 2e5.")] = None,
    evaluate_every: Annotated[
        str | None, typer.Option(metavar="N", help="Steps between evaluations, each with a checkpoint.")
    ] = None,
    cpu_seconds: Annotated[
        str | None,
        typer.Option(metavar="N", help="Budget in CPU seconds of learning, beside or instead of --steps."),
    ] = None,
    measure: Annotated[
        str | None,
        typer.Option(
            metavar="KIND", help="exact, bound or matches; default exact if the game is small enough, else matches."
        ),
    ] = None,
    against: Annotated[
        str | None, typer.Option(metavar="POLICIES", help="Opponents in matches, separated by commas.")
    ] = None,
    algorithm: Annotated[
        str | None,
        typer.Option(
            help=f"One of {', '.join(ALGORITHMS)}, or module:Class, a learner of your own; default minimax_q or ppo, "
            "depending on the game."
        ),
    ] = None,
    folder: Annotated[
        Path | None,
        typer.Option("--out", metavar="DIR", help="Run folder; default derived from game, algorithm and seed."),
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Random seed; default 0.")] = None,
    resume: Annotated[
        bool,
        typer.Option(
            "--resume",
            help="Resume the run in --out, or in the folder given instead of GAME; arguments not given are taken from "
            "that run. A larger --steps extends it, unless the learner spreads a schedule over all steps.",
        ),
    ] = False,
    list_options: Annotated[
        bool,
        typer.Option(
            "--list-options", help="List the algorithm's options; with neither a game nor --algorithm, the algorithms."
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Train a policy and measure it.

    Reports the exact exploitability (or NashConv) if the game is small enough, else the results of matches. Evaluates
    at least ten times during training unless --evaluate-every is given. guaranteed_0 and guaranteed_1, in --json and in
    the run's files, are the policy's payoffs as player_0 and player_1 against a best response.
    """
    parameters, options, rest = split_words([*([] if game is None else [game]), *(words or [])])
    game = rest.pop(0) if rest else None
    common = {"steps": steps, "evaluate_every": evaluate_every, "cpu_seconds": cpu_seconds}
    common |= {"measure": measure, "against": against}
    options |= {name: text for name, text in common.items() if text is not None}
    if rest:
        raise ValueError(f"{rest[0]!r} must read KEY=VALUE, a parameter of the game")
    if list_options and as_json:
        raise ValueError("--json cannot be combined with --list-options")
    if list_options and game is None:
        out.print(_algorithms_table() if algorithm is None else _options_table(algorithm_named(algorithm), None))
        return
    from train.runs.configuration import Request, resolve, resolve_subject  # needs pydantic, unlike --help

    request = Request(game, parameters, {} if list_options else options, algorithm, seed, folder, resume)
    if list_options:
        subject = resolve_subject(request)
        out.print(_options_table(subject.algorithm, subject.game))
        return
    wanted = resolve(request)
    for note in wanted.notes:
        say_aside(note)
    result, picture = _carry_out(wanted)
    if as_json:
        spent = {"steps": result.steps, "seconds": result.seconds, "cpu_seconds": result.cpu_seconds}
        figures = {**result.reference, **result.figures, **spent}
        which = {"algorithm": wanted.algorithm.name, "measured": result.measured}
        print_json(wanted.game, **which, **figures, folder=str(result.folder))
        return
    out.print(result.verdict, highlight=False)
    say(f"Picture: {picture}")


def _carry_out(wanted: Configuration) -> tuple[RunResult, Path]:
    """Trains, or resumes training, and plots the curve; returns the result and the picture's file."""
    # These need torch and matplotlib, which the other commands do without.
    from train.reports.curves import PLOT_FILE, plot_runs
    from train.runs.loop import run
    from train.storage.run_folder import HeldByRunError

    rows: list[MetricsRow] = []
    what = wanted.game, wanted.algorithm.name, wanted.args, wanted.folder, wanted.seed, wanted.resume
    try:
        result = run(*what, echo=sys.stderr, sinks=[rows.append])
        plot_runs([result.folder], result.folder / PLOT_FILE)
    except HeldByRunError as error:
        raise ValueError(f"{error}{_how_to_resume(wanted)}") from None
    except KeyboardInterrupt:
        _say_interrupted(rows[-1] if rows else {"steps": 0, "cpu_seconds": 0.0}, wanted)
        raise
    if wanted.resume and not rows:
        say_aside(f"The run in {wanted.folder} had already finished; this is its result.")
    return result, result.folder / PLOT_FILE


def _say_interrupted(last: MetricsRow, wanted: Configuration) -> None:
    """Reports the last checkpoint; ends the program, without a hint to resume, if the run is complete."""
    from train.storage.formats import share_used  # needs pydantic, unlike --help

    done = last["steps"]
    if share_used(vars(wanted.args), done, last["cpu_seconds"]) >= 1.0:
        complain(f"interrupted after the last step; the run in {wanted.folder} is complete")
        sys.exit(INTERRUPTED)
    complain(f"last checkpoint after {done:,} steps" if done else "no new checkpoint")


def _how_to_resume(wanted: Configuration) -> str:
    """The command that resumes the run in the folder, with the wanted steps if the run can be extended to them."""
    from train.reports.groups import unmeasured
    from train.reports.tables import command_of

    held = unmeasured(wanted.folder)
    if held.is_log:
        return ""
    args = held.config["args"]
    if wanted.args.steps > args["steps"] and not wanted.args.schedules():
        held = dataclasses.replace(held, config={**held.config, "args": {**args, "steps": wanted.args.steps}})
    return f": {command_of(held)} --resume"


def _algorithms_table() -> Table:
    title = "cardwar train --list-options --algorithm NAME lists its options"
    table = Table("algorithm", "uses", "description", title=title)
    for entry in ALGORITHMS.values():
        table.add_row(entry.name, entry.uses, entry.summary)
    return table


def _options_table(entry: Algorithm, rules: Game[Any] | None) -> Table:
    table = Table("option", "default", "description", title=f"{entry.name}: {entry.summary}")
    defaults = entry.defaults(rules)
    for argument in dataclasses.fields(entry.args_type()):
        option = f"--{argument.name.replace('_', '-')}"
        table.add_row(option, str(defaults[argument.name]), argument.metadata.get("description", ""))
    return table
