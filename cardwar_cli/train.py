"""`cardwar train`: trains a policy and measures it."""

from __future__ import annotations

import dataclasses
import os
import sys
from collections.abc import Collection, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from cardwar_cli.console import AsJson, out, print_json, say, say_aside
from cardwar_cli.streams import INTERRUPTED, complain
from cardwar_envs import GAMES, Game
from train.algorithms.registry import ALGORITHMS, DEFAULTS, Algorithm, algorithm_named, default_algorithm, often_enough
from train.text.game_names import game_from, game_in_words, json_parameters, stored_game
from train.text.parsing import fields_from, only_parameters, split_words

if TYPE_CHECKING:
    from train.learner.contract import CommonArgs
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
        typer.Option(help=f"One of {', '.join(ALGORITHMS)}; default minimax_q or ppo, depending on the game."),
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
    common = {"steps": steps, "evaluate_every": evaluate_every, "measure": measure, "against": against}
    options |= {name: text for name, text in common.items() if text is not None}
    if rest:
        raise ValueError(f"{rest[0]!r} must read KEY=VALUE, a parameter of the game")
    if list_options and (game is None or as_json):
        _list_without_game(algorithm, as_json)
        return
    game, folder, held = _to_resume(game, folder) if resume else (game, folder, {})
    rules = _game(game, parameters, held, folder)
    if held:
        algorithm, seed = algorithm or held["algorithm"], held["seed"] if seed is None else seed
    seed = seed or 0
    entry = algorithm_named(algorithm) if algorithm is not None else _default(rules, {} if list_options else options)
    if list_options:
        out.print(_options_table(entry, rules))
        return
    if folder is None:
        given = "".join(f"-{key}={text}" for key, text in parameters.items())
        folder = Path("runs") / f"{rules.facts.name}{given}-{entry.name}-seed={seed}"
        held = _held(folder) if resume else {}
    kept = held["args"] if held and held["algorithm"] == entry.name else {}
    arguments = _arguments(entry, options, rules, kept)
    _say_other_defaults(entry, rules, {**kept, **options})
    # These need torch and matplotlib, which the other commands do without.
    from train.reports.curves import PLOT_FILE, plot_runs
    from train.runs.loop import run
    from train.storage.run_folder import HeldByRunError

    _say_batches(entry, rules, arguments)
    rows: list[MetricsRow] = []
    try:
        result = run(
            rules, entry.name, arguments, folder, seed=seed, resume=resume, echo=sys.stderr, sinks=[rows.append]
        )
        picture = result.folder / PLOT_FILE
        plot_runs([result.folder], picture)
    except HeldByRunError as error:
        raise ValueError(f"{error}{_how_to_resume(folder, arguments)}") from None
    except KeyboardInterrupt:
        _say_interrupted(rows[-1]["steps"] if rows else 0, arguments.steps, folder)
        raise
    if resume and not rows:
        say_aside(f"The run in {folder} had already finished; this is its result.")
    if as_json:
        _print_as_json(rules, entry, result)
        return
    out.print(result.verdict, highlight=False)
    say(f"Picture: {picture}")


def _say_interrupted(done: float, steps: int, folder: Path) -> None:
    """Reports the last checkpoint; ends the program, without a hint to resume, if the run is complete."""
    if done >= steps:
        complain(f"interrupted after the last step; the run in {folder} is complete")
        sys.exit(INTERRUPTED)
    complain(f"last checkpoint after {done:,} steps" if done else "no new checkpoint")


def _held(folder: Path | None) -> dict[str, Any]:
    """The configuration of the run in a folder; empty if there is no run of these algorithms in it."""
    if folder is None:
        return {}
    from train.storage.run_folder import CONFIG_FILE, RunFolder

    config = RunFolder(folder).config() if (folder / CONFIG_FILE).exists() else {}
    return config if config.get("algorithm") in ALGORITHMS else {}


def _to_resume(game: str | None, folder: Path | None) -> tuple[str | None, Path | None, dict[str, Any]]:
    """Returns the game's name, the run folder, which may be given instead of the name, and the run's configuration."""
    if folder is None and game is None:
        raise ValueError("name the folder of the run to resume, as in cardwar train runs/NAME --resume")
    if folder is None and game is not None and game not in GAMES and (os.sep in game or _held(Path(game))):
        folder, game = Path(game), None
    held = _held(folder)
    if game is not None or folder is None:
        return game, folder, held
    if not held:
        raise ValueError(f"{folder} contains no run to resume")
    if stored_game(held["title"]) is None:  # names in files are not imported
        raise ValueError(
            f"{folder} contains a run of {held['title']}, which is not in the suite; name this game as well"
        )
    return held["title"].split()[0], folder, held


def _game(name: str | None, parameters: Mapping[str, str], held: Mapping[str, Any], folder: Path | None) -> Game[Any]:
    """Makes the game; parameters that are not given are those of the run to resume, which must be of this game."""
    if name is None:
        raise ValueError("name a game, as in cardwar train jujitsu")
    title, *words = held["title"].split() if held else [""]
    rules = game_from(name, {**(only_parameters(words) if title == name else {}), **parameters})
    if held and (rules.facts.name, json_parameters(rules)) != (held["game"], held["parameters"]):
        raise ValueError(f"{folder} contains a run of {held['title']}, not of {game_in_words(rules)}")
    return rules


def _how_to_resume(folder: Path, wanted: CommonArgs) -> str:
    """The command that resumes the run in a folder, with the steps of `wanted` if the run can be extended to them."""
    from train.reports.groups import unmeasured
    from train.reports.tables import command_of

    held = unmeasured(folder)
    if held.is_log:
        return ""
    args = held.config["args"]
    if wanted.steps > args["steps"] and not wanted.schedules():
        held = dataclasses.replace(held, config={**held.config, "args": {**args, "steps": wanted.steps}})
    return f": {command_of(held)} --resume"


def _default(rules: Game[Any], options: Mapping[str, str]) -> Algorithm:
    """The default algorithm; first refuses options that no default algorithm accepts, as choosing takes a second."""
    refused = set()
    for name in DEFAULTS:
        try:
            _arguments(ALGORITHMS[name], options, rules)
            refused.add("")
        except ValueError as error:
            refused.add(str(error))
    if len(refused) == 1 and refused != {""}:
        raise ValueError(refused.pop())
    return default_algorithm(rules)


def _arguments(
    entry: Algorithm, options: Mapping[str, str], rules: Game[Any], kept: Mapping[str, Any] | None = None
) -> CommonArgs:
    """Arguments from the given options, else from those `kept` by the run to resume, else defaults."""
    _refuse_near_misses(options, entry)
    arguments = entry.args(rules, **{**(kept or {}), **fields_from(entry.args_type(), options, entry.name)})
    entry.require(rules)
    if kept or "evaluate_every" in options:
        return arguments
    return dataclasses.replace(arguments, evaluate_every=often_enough(arguments.evaluate_every, arguments.steps))


def _refuse_near_misses(options: Collection[str], entry: Algorithm) -> None:
    """Refuses misspelt options of the command, which are parsed as if they were the algorithm's."""
    known = [field.name for field in dataclasses.fields(entry.args_type())]
    own = ["algorithm", "out", "seed", "resume", "list_options", "json"]
    for name in options:
        near = [each for each in own if each.startswith(name)] or get_close_matches(name, [*known, *own], 1, 0.7)
        if name not in known and near and near[0] in own:
            raise ValueError(f"no such option: {_spelled(name)} (did you mean {_spelled(near[0])}?)")


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
    """Reports on stderr the defaults that differ from the usual ones for this game."""
    usual, here = entry.defaults(), entry.defaults(rules)
    others = [f"{_spelled(name)} {here[name]}" for name in here if here[name] != usual[name] and name not in given]
    if others:
        say_aside(f"This game has many actions; defaults used: {' '.join(others)}")


def _say_batches(entry: Algorithm, rules: Game[Any], arguments: CommonArgs) -> None:
    """Reports on stderr that the run may take many more steps than requested, because a batch is that large."""
    if (batch := arguments.batch(rules.facts)) > max(1, arguments.steps / 10):
        say_aside(
            f"{entry.label} trains in batches of up to {batch:,} steps, and stops or is evaluated only after a "
            f"complete batch; so it may take more than {arguments.steps:,} steps."
        )


def _spelled(argument: str) -> str:
    return f"--{argument.replace('_', '-')}"


def _list_without_game(algorithm: str | None, as_json: bool) -> None:
    """Prints an algorithm's options, or all algorithms."""
    if as_json:
        raise ValueError("--json cannot be combined with --list-options")
    if algorithm is not None:
        out.print(_options_table(algorithm_named(algorithm), None))
        return
    table = Table("algorithm", "description", title="cardwar train --list-options --algorithm NAME lists its options")
    for entry in ALGORITHMS.values():
        table.add_row(entry.name, entry.summary)
    out.print(table)


def _options_table(entry: Algorithm, rules: Game[Any] | None) -> Table:
    table = Table("option", "default", "description", title=f"{entry.name}: {entry.summary}")
    defaults = entry.defaults(rules)
    for field in dataclasses.fields(entry.args_type()):
        table.add_row(_spelled(field.name), str(defaults[field.name]), field.metadata["description"])
    return table
