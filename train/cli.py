"""The command `cardwar`: solve games, measure policies, let them play, train, study, report, check papers' figures."""

from __future__ import annotations

import dataclasses
import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

import baselines
from baselines.best_response import load_kernels as load_oracle
from baselines.reproduction import REPRODUCTIONS
from cardwar_envs import Game
from train.algorithms import ALGORITHMS, Algorithm, algorithm_named
from train.arguments import fields_from, game_from, game_of_words, policy_from, split_words
from train.bench import bench
from train.check import check
from train.console import AsJson, GameName, fixed, out, print_json
from train.match import match
from train.playoffs import playoffs
from train.solving import work_out
from train.strategy_tables import behaviour_table, start_strategies, strategy_table
from train.study import study

if TYPE_CHECKING:
    from train.loop import RunResult

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    help=__doc__,
)

# What a module that is not installed comes with; all others come with `train`.
EXTRAS = {"matplotlib": "render", "ray": "ray"}
Words = Annotated[
    list[str] | None,
    typer.Argument(metavar="[KEY=VALUE ...]", help="Parameters of the game, e.g. num_cards=5 or hand_0=2,3,6"),
]


def main(arguments: list[str] | None = None) -> None:
    """Runs the command; an error is one line on stderr and exit code 2."""
    try:
        code = app(arguments, prog_name="cardwar", standalone_mode=False)
    except (KeyboardInterrupt, typer.Abort):
        print("cardwar: interrupted", file=sys.stderr)
        sys.exit(130)
    except Exception as error:
        message = _message(error)
        if message is None:
            raise
        print(f"cardwar: {message}", file=sys.stderr)
        sys.exit(2)
    sys.exit(code if isinstance(code, int) else 0)


def _message(error: Exception) -> str | None:
    """What to say about a mistake of the caller's or of its files; None if the mistake is ours."""
    if hasattr(error, "format_message"):  # typer's own errors
        return " ".join(str(error.format_message()).split())
    if isinstance(error, ModuleNotFoundError):
        extra = EXTRAS.get((error.name or "").split(".")[0], "train")
        return f"{error}; it comes with the extra: pip install 'cardwar-envs[{extra}]'"
    if isinstance(error, (ValueError, OSError)):
        return " ".join(str(error).split())
    return None


@app.command()
def solve(
    game: GameName,
    words: Words = None,
    exact: Annotated[bool | None, typer.Option(help="Compute in rationals (small games).")] = None,
    engine: Annotated[
        str | None, typer.Option(metavar="threads|ray", help="Where a large duel is solved; threads if not given.")
    ] = None,
    keep_layers: Annotated[
        int | None, typer.Option(help="Hold values for so many numbers of cards left (large duels); else for all.")
    ] = None,
    cache: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Keep values there and go on from what is there (large duels).")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Find an equilibrium: its value, a certificate, and both players' strategies at the start."""
    rules = game_of_words(game, words or [])
    solution, seconds, solved_now, engine = work_out(rules, exact, engine, keep_layers, cache)
    strategies = start_strategies(solution)
    if as_json:
        print_json(
            rules,
            value=solution.value,
            gap=solution.gap,
            **({} if solution.exact is None else {"exact": str(solution.exact)}),
            strategies=strategies,
            states=solution.states,
            solved_now=solved_now,
            seconds=seconds,
            method=solution.method,
            **({} if engine is None else {"engine": engine}),
        )
        return
    value = fixed(solution.value) + ("" if solution.exact is None else f" = {solution.exact}")
    out.print(f"{' '.join([game, *(words or [])])}: value {value} to player_0", highlight=False, soft_wrap=True)
    kind = "matrix games" if solution.behaviour is None else "information states"
    stored = "" if solved_now == solution.states else f" ({solved_now:,} now, the others before)"
    out.print(
        f"{solution.states:,} {kind}{stored} by {solution.method} in {seconds:.2f} s, certified to {solution.gap:.1e}",
        highlight=False,
        soft_wrap=True,
    )
    if strategies:
        table = strategy_table if solution.behaviour is None else behaviour_table
        out.print(table(strategies))


@app.command()
def exploit(
    game: GameName,
    words: Words = None,
    policy: Annotated[str, typer.Option(help="Name of a policy, a run folder or a policy file.")] = "uniform",
    as_json: AsJson = False,
) -> None:
    """Measure how far a policy is from optimal, exactly."""
    rules = game_of_words(game, words or [])
    player = policy_from(policy, rules)
    load_oracle(rules)
    start = time.perf_counter()
    result = baselines.nash_conv(rules, player)
    seconds = time.perf_counter() - start
    two = {"exploitability": result.total / 2} if rules.facts.num_players == 2 else {}
    if as_json:
        print_json(
            rules,
            policy=policy,
            **two,
            nash_conv=result.total,
            per_player=list(result.per_player),
            payoffs=list(result.payoffs),
            seconds=seconds,
        )
        return
    table = Table(title=" ".join([game, *(words or [])]) + f": {policy}")
    table.add_column("payoff points")
    for seat in range(rules.facts.num_players):
        table.add_column(f"player_{seat}", justify="right")
    table.add_row("payoff when all play it", *map(fixed, result.payoffs))
    table.add_row("gain of a best response", *map(fixed, result.per_player))
    out.print(table)
    if two:
        out.print(f"exploitability {fixed(result.total / 2)}", highlight=False)
    out.print(f"NashConv {fixed(result.total)} (the gains added up), {seconds:.2f} s", highlight=False)


@app.command(context_settings={"ignore_unknown_options": True})
def train(
    game: GameName,
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[KEY=VALUE ...] [--OPTION VALUE ...]",
            help="Parameters of the game, and options of the algorithm (see --list-options).",
        ),
    ] = None,
    algorithm: Annotated[str, typer.Option(help=f"One of {', '.join(ALGORITHMS)}.")] = "minimax_q",
    folder: Annotated[
        Path | None, typer.Option("--out", metavar="DIR", help="Run folder; made from the names if not given.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Of everything random.")] = 0,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with a run that was stopped.")] = False,
    list_options: Annotated[bool, typer.Option("--list-options", help="List the algorithm's options.")] = False,
    as_json: AsJson = False,
) -> None:
    """Learn a policy in self-play and say, exactly, how far it is from optimal."""
    parameters, options, rest = split_words(words or [])
    if rest:
        raise ValueError(f"{rest[0]!r} must read KEY=VALUE, a parameter of the game")
    rules, entry = game_from(game, parameters), algorithm_named(algorithm)
    if list_options:
        out.print(_options_table(entry))
        return
    arguments = entry.args(**fields_from(entry.args_type(), options, algorithm))
    # These need torch and matplotlib, which the other commands do without.
    from train.loop import run
    from train.plot import PLOT_FILE

    if folder is None:
        given = "".join(f"-{key}={text}" for key, text in parameters.items())
        folder = Path("runs") / f"{game}{given}-{algorithm}-seed={seed}"
    result = run(rules, algorithm, arguments, folder, seed=seed, resume=resume, echo=sys.stderr)
    if as_json:
        _print_run(rules, algorithm, result)
        return
    out.print(result.verdict, highlight=False)
    out.print(f"Picture: {result.folder / PLOT_FILE}", highlight=False, soft_wrap=True)


@app.command()
def reproduce(
    name: Annotated[str, typer.Argument(metavar="NAME", help=f"One of {', '.join(REPRODUCTIONS)}.")],
    folder: Annotated[Path | None, typer.Option("--out", metavar="DIR", help="Default runs/reproduce-NAME.")] = None,
    as_json: AsJson = False,
) -> int:
    """Recompute a source's figures beside the published ones; exit code 0 if ours pass all checks, else 1."""
    from train import reproduce as reproduction

    report, data = reproduction.run(name, folder)
    if as_json:
        print(json.dumps(data))
    else:
        reproduction.show(report, data)
    return 0 if report.sound else 1


@app.command()
def report(
    folders: Annotated[list[Path], typer.Argument(metavar="RUN [RUN ...]", help="Folders of runs.")],
    page: Annotated[
        Path, typer.Option("--out", metavar="FILE", help="The page; brief tables go beside it, with the suffix .md.")
    ] = Path("report.html"),
    skip_damaged: Annotated[
        bool, typer.Option("--skip-damaged", help="Name damaged folders and leave them out; else they are an error.")
    ] = False,
) -> None:
    """Write one HTML page on runs, by game: curves, tables, and the commands that repeat them."""
    # Needs torch and matplotlib, which the other commands do without.
    from train.report_page import say_skipped, write_report

    written = write_report(folders, page, skip_damaged)
    say_skipped(written)
    out.print(f"Page: {written.page}\nTables: {written.tables}", highlight=False, soft_wrap=True)


app.command()(match)
app.command()(playoffs)
app.command()(study)
app.command()(bench)
app.command()(check)


def _print_run(game: Game[Any], algorithm: str, result: RunResult) -> None:
    print_json(
        game,
        algorithm=algorithm,
        value=result.value,
        guarantees=list(result.evaluation.guarantees),
        exploitability=result.evaluation.exploitability,
        nash_conv=result.evaluation.nash_conv,
        uniform_exploitability=result.uniform_exploitability,
        steps=result.steps,
        seconds=result.seconds,
        folder=str(result.folder),
    )


def _options_table(entry: Algorithm) -> Table:
    table = Table(title=f"{entry.name}: {entry.summary}")
    for heading in ("option", "default", "what it is"):
        table.add_column(heading)
    for field in dataclasses.fields(entry.args_type()):
        table.add_row(f"--{field.name.replace('_', '-')}", str(field.default), field.metadata["help"])
    return table


if __name__ == "__main__":
    main()
