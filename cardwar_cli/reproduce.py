"""`cardwar reproduce`: recomputes the figures of a publication and compares them with the published ones."""

from __future__ import annotations

import json
from dataclasses import asdict
from importlib import import_module
from pathlib import Path
from typing import Annotated

import typer

from baselines.system.files import require_writable
from cardwar_cli.console import AsJson, advancing, timed
from cardwar_cli.laboratory import laboratory


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
    papers, findings, verdicts = (laboratory(each) for each in ("papers", "papers.findings", "papers.verdicts"))
    import_module("matplotlib")  # needed for plots: if it is missing, fail before computing
    folder = folder or Path("runs") / f"reproduce-{name}"
    require_writable(folder / f"{findings.ROWS}.csv", new_folders=True)
    with advancing("states explored") as progress:
        made, seconds = timed(lambda: papers.recompute(name, progress))
    files = [folder / file for file in made.files]
    if as_json:
        told = {"name": name, "seconds": seconds, "sound": made.sound, "checks": dict(made.checks)}
        rows = [asdict(each) for each in made.findings]
        print(json.dumps({**told, "rows": rows, "files": [str(path) for path in files]}))
    else:
        verdicts.show(name, made, seconds)
    findings.write(made, folder)  # after the results are printed: the disk may be full
    if not as_json:
        verdicts.say_files(files)
    return 0 if made.sound else 1
