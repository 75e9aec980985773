"""`cardwar check`: whether a game's rules are consistent, or an environment is correct for simultaneous play."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cardwar_envs.games.by_name import append_working_folder, names_a_game
from train.command.console import AsJson, advancing, say
from train.words import game_of_words

if TYPE_CHECKING:
    from cardwar_envs.conformance import Result

MOST_SECONDS = 3600
INTERRUPTED = 130


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
    seed: Annotated[int | None, typer.Option(help="Random seed of the sampled states or episodes.")] = None,
    seconds: Annotated[
        float | None, typer.Option(help="Environments: approximate CPU seconds for all checks; default 32.")
    ] = None,
    games: Annotated[
        int | None,
        typer.Option(help="Environments: games or situations per check, for results that do not depend on speed."),
    ] = None,
    reproduce: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Environments: write a script that reproduces the first failure to this file."
        ),
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Print the checks that passed or do not apply, too.")
    ] = False,
    as_json: AsJson = False,
) -> int:
    """Check a game's rules, or any simultaneous-move environment.

    Prints failures last, each with what must hold. The exit code is 0 if all checks pass, 1 if any fails, and 130 if
    interrupted before any failure.
    """
    append_working_folder()
    if not names_a_game(subject):
        if max_states is not None:
            raise ValueError("--max-states is for games, not for environments")
        looks = {"zero_sum": zero_sum or None, **_limits(seed, seconds, games)}
        return _check_environment(subject, words or [], looks, reproduce, everything, as_json)
    if zero_sum:
        raise ValueError("--zero-sum is for environments; a game declares in its facts whether it is zero-sum")
    if (seconds, games, reproduce) != (None, None, None):
        raise ValueError("--seconds, --games and --reproduce are for environments, not for games")
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


def _limits(seed: int | None, seconds: float | None, games: int | None) -> dict[str, Any]:
    """The seed and the budget for `load`: CPU seconds, or as long as `games` take."""
    from cardwar_envs.conformance.subject import SECONDS

    if seed is not None and seed < 0:
        raise ValueError(f"--seed ({seed}) must be at least 0")
    if seconds is not None and not 0 < seconds <= MOST_SECONDS:
        raise ValueError(f"--seconds ({seconds:g}) must be above 0 and at most {MOST_SECONDS}")
    if games is not None and games < 1:
        raise ValueError(f"--games ({games}) must be at least 1")
    usual = SECONDS if games is None else float(MOST_SECONDS)
    return {"seed": seed or 0, "seconds": usual if seconds is None else seconds, "games": games}


def _check_environment(
    name: str, words: list[str], looks: dict[str, Any], reproduce: Path | None, everything: bool, as_json: bool
) -> int:
    from cardwar_envs.conformance import coverage, load
    from cardwar_envs.conformance.runner import CHECKS, each_result
    from cardwar_envs.conformance.verdicts import FAILED

    if reproduce is not None and (reproduce.is_symlink() or reproduce.exists()):
        raise ValueError(f"--reproduce: {reproduce} already exists")
    results: list[Result] = []
    with contextlib.redirect_stdout(sys.stderr):  # some environments print
        subject = load(name, words, **looks)
    with _ended_by_signals(), advancing("checks", len(CHECKS)) as progress:
        for result in _printed_to_stderr(each_result(subject)):
            results.append(result)
            progress(len(results))
    complete = len(results) == len(CHECKS)
    seen = coverage(subject) if complete else {}
    failures = [result for result in results if result.status == FAILED]
    if reproduce is not None and failures:
        reproduce.write_text(failures[0].script, encoding="utf-8")
    if as_json:
        checks = [dataclasses.asdict(result) for result in results]
        told = {"environment": subject.name, "passed": complete and not failures, "complete": complete, "seen": seen}
        print(json.dumps({**told, "checks": checks}))
    else:
        _say_results(results, seen, everything, reproduce)
    return 1 if failures else 0 if complete else INTERRUPTED


@contextlib.contextmanager
def _ended_by_signals() -> Iterator[None]:
    """Ends a block at Ctrl-C or SIGTERM, and goes on after it."""
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    except KeyboardInterrupt:
        pass
    finally:
        signal.signal(signal.SIGTERM, before)


def _printed_to_stderr(results: Iterator[Result]) -> Iterator[Result]:
    """The same results; what environments print meanwhile goes to stderr."""
    while True:
        with contextlib.redirect_stdout(sys.stderr):
            result = next(results, None)
        if result is None:
            return
        yield result


def _say_results(
    results: list[Result], seen: dict[str, dict[str, int]], everything: bool, reproduce: Path | None
) -> None:
    """The notes, how much was seen, the failures with what must hold, and last how many verdicts of each kind."""
    from cardwar_envs.conformance.runner import CHECKS
    from cardwar_envs.conformance.verdicts import FAILED, UNEVENTFUL, counted

    for result in results:
        if result.status != FAILED and (everything or result.status not in UNEVENTFUL):
            say(str(result))
    kinds = (f"{kind} {', '.join(f'{n:,} {what}' for what, n in counts.items())}" for kind, counts in seen.items())
    say(f"seen: {'; '.join(kinds) or 'not all that was planned'}")
    failures = [result for result in results if result.status == FAILED]
    for result in failures:
        say(result.advised(CHECKS[result.check]))
    if failures:
        again = "--reproduce FILE writes a script" if reproduce is None else f"{reproduce} is a script"
        say(f"{again} that repeats the first failure")
    left = f"; interrupted after {len(results)} of {len(CHECKS)} checks" if len(results) < len(CHECKS) else ""
    say(f"{counted(results)}{left}")
