"""`cardwar check`: checks that a game's rules are consistent, or that an environment handles simultaneous moves."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from cardwar_cli.console import AsJson, say
from cardwar_cli.environment_check import Wanted, check_environment, limits_of
from cardwar_envs.games.by_name import append_working_folder, names_a_game
from train.text.game_names import game_of_words


def check(
    subject: Annotated[
        str,
        typer.Argument(
            metavar="GAME_OR_ENVIRONMENT",
            help="A game: jujitsu, or my_module:MyGame. An environment: cardwar/jujitsu-v0, "
            "pettingzoo.classic.rps_v2 or my_package.my_env:make.",
        ),
    ],
    words: Annotated[
        list[str] | None, typer.Argument(metavar="[KEY=VALUE ...]", help="Parameters of the game or environment.")
    ] = None,
    zero_sum: Annotated[
        bool,
        typer.Option("--zero-sum", help="Environments: require zero-sum rewards even if not declared."),
    ] = False,
    max_states: Annotated[
        int | None, typer.Option(help="Games: maximum number of states to check; larger games are sampled.")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Random seed for the sampled states or episodes.")] = None,
    seconds: Annotated[
        float | None, typer.Option(help="Environments: approximate CPU seconds for all checks; default 32.")
    ] = None,
    games: Annotated[
        int | None,
        typer.Option(help="Environments: games or situations per check, so that results do not depend on speed."),
    ] = None,
    reproduce: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Environments: write a script that reproduces the first failure to this file."
        ),
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option(metavar="CHECK", help="Environments: run this check; can be given more than once."),
    ] = None,
    skip: Annotated[
        list[str] | None,
        typer.Option(metavar="CHECK", help="Environments: skip this check; can be given more than once."),
    ] = None,
    baseline: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Environments: file of known findings, which do not count as failures."),
    ] = None,
    write_baseline: Annotated[
        bool,
        typer.Option("--write-baseline", help="Environments: write the current failures to the file of --baseline."),
    ] = False,
    junit: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Environments: write the verdicts to this file as JUnit XML.")
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Also print the checks that passed or do not apply.")
    ] = False,
    as_json: AsJson = False,
) -> int:
    """Check a game's rules, or any simultaneous-move environment.

    Prints failures last, each with the property that must hold. The exit code is 0 if no check fails, apart from known
    findings, 1 if any fails, 2 for bad input, 3 if fewer than half of the applicable checks reached a verdict, and 130
    if interrupted before any failure.
    """
    append_working_folder()
    wanted = Wanted(only or [], skip or [], baseline, write_baseline, junit, reproduce)
    if not names_a_game(subject):
        if max_states is not None:
            raise ValueError("--max-states is for games, not for environments")
        looks = {"zero_sum": zero_sum or None, **limits_of(seed, seconds, games)}
        return check_environment(subject, words or [], looks, wanted, everything, as_json)
    if zero_sum:
        raise ValueError("--zero-sum is for environments; a game declares in its facts whether it is zero-sum")
    if (seconds, games, wanted) != (None, None, Wanted()):
        raise ValueError(
            "--seconds, --games, --only, --skip, --baseline, --write-baseline, --junit and --reproduce are for "
            "environments, not for games"
        )
    limits = {name: value for name, value in (("max_states", max_states), ("seed", seed)) if value is not None}
    return _check_game(subject, words or [], limits, everything, as_json)


def _check_game(name: str, words: list[str], limits: dict[str, int], everything: bool, as_json: bool) -> int:
    from cardwar_envs.contract import check_game

    with contextlib.redirect_stdout(sys.stderr):  # rules may print
        report = check_game(game_of_words(name, words), **limits)
    if as_json:
        checks = [dataclasses.asdict(result) for result in report]
        found = {"states": report.states, "complete": report.complete, "passed": report.passed, "checks": checks}
        print(json.dumps({"game": " ".join([name, *words]), **found}))
    else:
        say(report.text(everything))
    return 0 if report.passed else 1
