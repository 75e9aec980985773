"""`cardwar check`: checks that a game's rules are consistent, or that an environment handles simultaneous moves."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import sys
from typing import Annotated

import typer

from cardwar_cli.console import AsJson, say
from cardwar_envs.games.by_name import append_working_folder, names_a_game
from train.text.game_names import game_from_words

NEEDS_KIT = "this names no game, and checking an environment needs zoocheck; from a checkout: pip install ./kit"


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
    max_states: Annotated[
        int | None, typer.Option(help="Games: maximum number of states to check; larger games are sampled.")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Random seed for the sampled states or episodes.")] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Also print the checks that passed or do not apply.")
    ] = False,
    as_json: AsJson = False,
) -> int:
    """Check a game's rules, or any simultaneous-move environment.

    Prints failures last, each with the property that must hold. The exit code is 0 if no check fails, 1 if any fails
    and 2 for bad input. Environments are checked by zoocheck, which is installed separately (pip install ./kit in a
    checkout); `zoocheck --help` lists its further options and exit codes.
    """
    append_working_folder()
    # Options that are unknown here are zoocheck's, and may stand before the name.
    if subject.startswith("-") or not names_a_game(subject):
        if max_states is not None:
            raise ValueError("--max-states is for games, not for environments")
        _check_environment([subject, *(words or [])], seed, everything, as_json)
    limits = {name: value for name, value in (("max_states", max_states), ("seed", seed)) if value is not None}
    return _check_game(subject, words or [], limits, everything, as_json)


def _check_environment(words: list[str], seed: int | None, everything: bool, as_json: bool) -> None:
    """Hands over to zoocheck, which ends the process."""
    try:
        from zoocheck.command import main
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "zoocheck":
            raise
        raise ValueError(NEEDS_KIT) from None
    options = [] if seed is None else [f"--seed={seed}"]
    main([*words, *options, *["--all"] * everything, *["--json"] * as_json], program="cardwar check")


def _check_game(name: str, words: list[str], limits: dict[str, int], everything: bool, as_json: bool) -> int:
    from cardwar_envs.contract import check_game

    if options := [word for word in words if word.startswith("--")]:
        raise ValueError(f"{options[0]} is for environments, not for games; see cardwar check --help")
    with contextlib.redirect_stdout(sys.stderr):  # rules may print
        report = check_game(game_from_words(name, words), **limits)
    if as_json:
        checks = [dataclasses.asdict(result) for result in report]
        found = {"states": report.states, "complete": report.complete, "passed": report.passed, "checks": checks}
        print(json.dumps({"game": " ".join([name, *words]), **found}))
    else:
        say(report.text(everything))
    return 0 if report.passed else 1
