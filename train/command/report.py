"""`cardwar report`: one HTML page on runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from train.command.console import out


def report(
    folders: Annotated[list[Path], typer.Argument(metavar="RUN [RUN ...]", help="Folders of runs.")],
    page: Annotated[
        Path, typer.Option("--out", metavar="FILE", help="The page; brief tables go beside it, with the suffix .md.")
    ] = Path("report.html"),
    skip_damaged: Annotated[
        bool, typer.Option("--skip-damaged", help="Name damaged folders and leave them out; else they are an error.")
    ] = False,
) -> None:
    """Write one HTML page on runs, by game: curves, tables, and the commands that repeat them."""
    # Needs torch and matplotlib, which the other commands do without.
    from train.reports.page import say_skipped, write_report

    written = write_report(folders, page, skip_damaged)
    say_skipped(written)
    out.print(f"Page: {written.page}\nTables: {written.tables}", highlight=False, soft_wrap=True)
