"""`cardwar bench`: compares speed with other libraries. The installed package does not contain the benchmarks."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from cardwar_cli.console import AsJson, out, say
from cardwar_cli.laboratory import laboratory


def bench(
    groups: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[GROUP ...]", help="Groups to measure; default all. An unknown name prints the list of groups."
        ),
    ] = None,
    rounds: Annotated[int | None, typer.Option(help="Measurements per candidate; default 5.")] = None,
    seconds: Annotated[float | None, typer.Option(help="Length of each stepping measurement; default 0.5.")] = None,
    most_cards: Annotated[int | None, typer.Option(help="Cards in the largest Jujitsu; default 16.")] = None,
    quick: Annotated[bool, typer.Option("--quick", help="One short round, as a smoke test.")] = False,
    long: Annotated[bool, typer.Option("--long", help="Include measurements that take minutes.")] = False,
    folder: Annotated[Path, typer.Option("--out", metavar="DIR", help="Folder for JSON, tables and plot.")] = Path(
        "runs/bench"
    ),
    as_json: AsJson = False,
) -> None:
    """Benchmark these games against other libraries.

    Requires a checkout of the repository.
    """
    suite, comparison, report = (laboratory(f"benchmarks.{name}") for name in ("suite", "comparison", "report"))
    given = {"rounds": rounds, "seconds": seconds, "most_cards": most_cards, "long": long or None}
    chosen = {name: value for name, value in given.items() if value is not None}
    settings = dataclasses.replace(comparison.Settings(**(comparison.QUICK if quick else {})), **chosen)

    if as_json:
        with contextlib.redirect_stdout(sys.stderr):  # some libraries print a greeting
            data = suite.run(groups or [], settings, folder)
        print(json.dumps(data))
        return
    data = suite.run(groups or [], settings, folder, show=lambda result: out.print(report.for_terminal(result)))
    say(suite.conditions(data))
    say("Written: " + ", ".join(data["files"]))
