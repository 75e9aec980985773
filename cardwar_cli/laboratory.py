"""`cardwar reproduce` and `cardwar bench`: they need the laboratory, which only a checkout contains."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Annotated

import typer

from baselines.system.files import require_writable
from cardwar_cli.console import AsJson, advancing, out, say, say_aside, timed

ROOT = Path(__file__).resolve().parents[1]


def laboratory(name: str) -> ModuleType:
    """Imports `lab.NAME` from the checkout that contains this file.

    Raises:
        ValueError: If the package is installed without the repository.
    """
    if not (ROOT / "lab" / "__init__.py").is_file():
        raise ValueError("this needs the laboratory, which is not installed: run it from a checkout of the repository")
    if str(ROOT) not in sys.path:
        sys.path.insert(0, str(ROOT))
    return import_module(f"lab.{name}")


def reproduce(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The publication; an unknown name prints the list.")],
    folder: Annotated[
        Path | None,
        typer.Option("--out", metavar="DIR", file_okay=False, help="Output folder; default runs/reproduce-NAME."),
    ] = None,
    as_json: AsJson = False,
) -> int:
    """Recompute the figures of a publication and compare them with the published ones.

    Requires a checkout of the repository. The exit code is 0 if all checks on the recomputed figures pass, else 1.
    """
    papers, findings, verdicts = (laboratory(module) for module in ("papers", "papers.findings", "papers.verdicts"))
    import_module("matplotlib")  # needed for plots: if it is missing, fail before computing
    folder = folder or Path("runs") / f"reproduce-{name}"
    require_writable(folder / f"{findings.ROWS}.csv", new_folders=True)
    with advancing("states explored") as progress:
        made, seconds = timed(lambda: papers.recompute(name, progress))
    files = [folder / file for file in made.files]
    if as_json:
        summary = {"name": name, "seconds": seconds, "sound": made.sound, "checks": dict(made.checks)}
        rows = [dataclasses.asdict(finding) for finding in made.findings]
        print(json.dumps({**summary, "rows": rows, "files": [str(path) for path in files]}))
    else:
        verdicts.show(name, made, seconds)
    findings.write(made, folder)  # after the results are printed: the disk may be full
    if not as_json:
        verdicts.say_files(files)
    return 0 if made.sound else 1


def bench(
    groups: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[GROUP ...]", help="Groups to measure; an unknown name prints the list. Default: those of minutes."
        ),
    ] = None,
    rounds: Annotated[int | None, typer.Option(help="Measurements per candidate; default 5.")] = None,
    seconds: Annotated[float | None, typer.Option(help="Length of each stepping measurement; default 0.5.")] = None,
    most_cards: Annotated[int | None, typer.Option(help="Cards in the largest Jujitsu; default 16.")] = None,
    quick: Annotated[bool, typer.Option("--quick", help="One short round of every group, as a smoke test.")] = False,
    long: Annotated[bool, typer.Option("--long", help="Include measurements that take minutes.")] = False,
    folder: Annotated[Path, typer.Option("--out", metavar="DIR", help="Folder for JSON, tables and plot.")] = Path(
        "runs/bench"
    ),
    as_json: AsJson = False,
) -> int:
    """Benchmark these games against other libraries.

    Requires a checkout of the repository. The exit code is 1 if a group or an installed library fails, else 0.
    """
    suite, comparison, report = (laboratory(f"benchmarks.{name}") for name in ("suite", "comparison", "report"))
    given = {"rounds": rounds, "seconds": seconds, "most_cards": most_cards, "long": long or None}
    chosen = {name: value for name, value in given.items() if value is not None}
    settings = dataclasses.replace(comparison.Settings(**(comparison.QUICK if quick else {})), **chosen)
    names = groups or suite.GROUPS + (suite.ON_REQUEST if quick else ())
    if as_json:
        with contextlib.redirect_stdout(sys.stderr):  # some libraries print a greeting
            data = suite.run(names, settings, folder)
        print(json.dumps(data))
    else:
        data = suite.run(names, settings, folder, show=lambda result: out.print(report.for_terminal(result)))
        say(suite.conditions(data))
        say("Written: " + ", ".join(data["files"]))
    for line in data["failed"]:
        say_aside(line)
    return int(bool(data["failed"]))
