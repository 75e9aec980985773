"""`cardwar check`: whether a game's rules tell the truth, or an environment does what simultaneous play needs."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import sys
from typing import Annotated

import typer

from cardwar_envs.games.by_name import append_working_folder, names_a_game
from train.command.console import AsJson, say
from train.words import game_of_words


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
        typer.Option(
            "--zero-sum", help="Environments: require rewards that sum to zero, even if it does not declare it."
        ),
    ] = False,
    max_states: Annotated[
        int | None, typer.Option(help="Games: how many states to look at; larger games are sampled.")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Games: decides the sample.")] = None,
    as_json: AsJson = False,
) -> int:
    """Check a game's rules, or any simultaneous-move environment.

    The exit code is 0 if nothing fails, else 1.
    """
    append_working_folder()
    if not names_a_game(subject):
        if max_states is not None or seed is not None:
            raise ValueError("--max-states and --seed are for games, not for environments")
        return _check_environment(subject, words or [], zero_sum, as_json)
    if zero_sum:
        raise ValueError("--zero-sum is for environments; a game declares in its facts whether it is zero-sum")
    limits = {name: value for name, value in (("max_states", max_states), ("seed", seed)) if value is not None}
    return _check_game(subject, words or [], limits, as_json)


def _check_game(name: str, words: list[str], limits: dict[str, int], as_json: bool) -> int:
    from cardwar_envs.contract import check_game

    with contextlib.redirect_stdout(sys.stderr):  # rules may print
        report = check_game(game_of_words(name, words), **limits)
    if as_json:
        checks = [dataclasses.asdict(result) for result in report]
        found = {"states": report.states, "complete": report.complete, "passed": report.passed, "checks": checks}
        print(json.dumps({"game": " ".join([name, *words]), **found}))
    else:
        say(str(report))
    return 0 if report.passed else 1


def _check_environment(name: str, words: list[str], zero_sum: bool, as_json: bool) -> int:
    from cardwar_envs.conformance import CHECKS, load, run

    results = []
    with contextlib.redirect_stdout(sys.stderr):  # some environments print
        subject = load(name, words, zero_sum or None)
    for check_name in CHECKS:
        with contextlib.redirect_stdout(sys.stderr):
            result = run(check_name, subject)
        results.append(result)
        if not as_json:
            say(f"{result.status:<14}  {check_name}" + (f": {result.reason}" if result.reason else ""))
    passed = all(result.status != "failed" for result in results)
    if as_json:
        checks = [dataclasses.asdict(result) for result in results]
        print(json.dumps({"environment": subject.name, "passed": passed, "checks": checks}))
    return 0 if passed else 1
