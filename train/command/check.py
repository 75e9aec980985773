"""`cardwar check`: whether a game's rules tell the truth, or an environment does what simultaneous play needs."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from cardwar_envs.games.by_name import append_working_folder, names_a_game
from train.command.console import AsJson, say
from train.words import game_of_words

MOST_SECONDS = 3600


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
    seed: Annotated[
        int | None, typer.Option(help="Decides the sample of a game's states, or the episodes of an environment.")
    ] = None,
    seconds: Annotated[
        float | None, typer.Option(help="Environments: look for about so long at most; 32 by default.")
    ] = None,
    reproduce: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Environments: write a script to this file that shows the first failure again."
        ),
    ] = None,
    as_json: AsJson = False,
) -> int:
    """Check a game's rules, or any simultaneous-move environment.

    The exit code is 0 if nothing fails, else 1.
    """
    append_working_folder()
    if not names_a_game(subject):
        if max_states is not None:
            raise ValueError("--max-states is for games, not for environments")
        looks = {"seed": _seed(seed), "seconds": _seconds(seconds), "zero_sum": zero_sum or None}
        return _check_environment(subject, words or [], looks, reproduce, as_json)
    if zero_sum:
        raise ValueError("--zero-sum is for environments; a game declares in its facts whether it is zero-sum")
    if seconds is not None or reproduce is not None:
        raise ValueError("--seconds and --reproduce are for environments, not for games")
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


def _seed(seed: int | None) -> int:
    if seed is not None and seed < 0:
        raise ValueError(f"--seed ({seed}) must be at least 0")
    return seed or 0


def _seconds(seconds: float | None) -> float:
    from cardwar_envs.conformance.subject import SECONDS

    if seconds is not None and not 0 < seconds <= MOST_SECONDS:
        raise ValueError(f"--seconds ({seconds:g}) must be above 0 and at most {MOST_SECONDS}")
    return SECONDS if seconds is None else seconds


def _check_environment(
    name: str, words: list[str], looks: dict[str, Any], reproduce: Path | None, as_json: bool
) -> int:
    from cardwar_envs.conformance import coverage, load, run_all

    if reproduce is not None and (reproduce.is_symlink() or reproduce.exists()):
        raise ValueError(f"--reproduce: {reproduce} is there already")
    with contextlib.redirect_stdout(sys.stderr):  # some environments print
        subject = load(name, words, **looks)
        results = run_all(subject)
    seen = coverage(subject)
    failures = [result for result in results if result.status == "failed"]
    if reproduce is not None and failures:
        reproduce.write_text(failures[0].script, encoding="utf-8")
    if as_json:
        checks = [dataclasses.asdict(result) for result in results]
        print(json.dumps({"environment": subject.name, "passed": not failures, "seen": seen, "checks": checks}))
    else:
        _say_all(results)
        for kind, counts in seen.items():
            say(f"{kind}: {', '.join(f'{count:,} {what}' for what, count in counts.items())}")
    return 1 if failures else 0


def _say_all(results: list[Any]) -> None:
    """A line per check; below a failure, those that it probably brought about."""
    for result in results:
        if not result.follows:
            _say(result, "")
            for other in results:
                if other.follows == result.check:
                    _say(other, "    follows: ")


def _say(result: Any, indent: str) -> None:
    say(f"{indent}{result.status:<14}  {result.check}" + (f": {result.reason}" if result.reason else ""))
