"""`cardwar check`: whether an environment does what simultaneous play needs."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import sys
from typing import Annotated

import typer

from cardwar_envs.games.by_name import append_working_folder
from train.command.console import AsJson, say


def check(
    environment: Annotated[
        str,
        typer.Argument(
            metavar="MODULE_OR_ID", help="E.g. cardwar/jujitsu-v0, pettingzoo.classic.rps_v2 or my_package.my_env:make."
        ),
    ],
    words: Annotated[
        list[str] | None, typer.Argument(metavar="[KEY=VALUE ...]", help="Parameters of the environment.")
    ] = None,
    zero_sum: Annotated[
        bool,
        typer.Option(
            "--zero-sum", help="Require rewards that sum to zero, even if the environment does not declare it."
        ),
    ] = False,
    as_json: AsJson = False,
) -> int:
    """Check any simultaneous-move environment; exit code 0 if nothing fails, else 1."""
    from cardwar_envs.conformance import CHECKS, load, run

    append_working_folder()
    results = []
    with contextlib.redirect_stdout(sys.stderr):  # some environments print
        subject = load(environment, words or [], zero_sum or None)
    for name in CHECKS:
        with contextlib.redirect_stdout(sys.stderr):
            result = run(name, subject)
        results.append(result)
        if not as_json:
            say(f"{result.status:<14}  {name}" + (f": {result.reason}" if result.reason else ""))
    passed = all(result.status != "failed" for result in results)
    if as_json:
        checks = [dataclasses.asdict(result) for result in results]
        print(json.dumps({"environment": subject.name, "passed": passed, "checks": checks}))
    return 0 if passed else 1
