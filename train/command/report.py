"""`cardwar report`: one HTML page on runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from train.command.console import say


def report(
    # A folder that cannot be read is one of the damaged ones.
    folders: Annotated[list[Path], typer.Argument(metavar="RUN [RUN ...]", help="Folders of runs.", readable=False)],
    page: Annotated[
        Path, typer.Option("--out", metavar="FILE", help="The page; brief tables go beside it, with the suffix .md.")
    ] = Path("report.html"),
    skip_damaged: Annotated[
        bool,
        typer.Option("--skip-damaged", help="Leave damaged folders out and name them; else they are an error."),
    ] = False,
) -> None:
    """Write one HTML page on runs.

    For each game it has curves, tables, and the commands that repeat the runs.
    """
    from train.reports.page import say_skipped, write_report  # needs the extra `report`

    written = write_report(folders, page, skip_damaged)
    say_skipped(written)
    say(f"Page: {written.page}\nTables: {written.tables}")
