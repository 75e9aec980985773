"""`cardwar report`: writes an HTML report on runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cardwar_cli.console import say


def report(
    # Unreadable folders count as damaged.
    folders: Annotated[
        list[Path],
        typer.Argument(metavar="RUN [RUN ...]", help="Run folders, or folders with runs at any depth.", readable=False),
    ],
    page: Annotated[
        Path,
        typer.Option(
            "--out",
            metavar="FILE",
            help="HTML file to write; summary tables are written beside it, with the suffix .md.",
        ),
    ] = Path("report.html"),
    skip_damaged: Annotated[
        bool,
        typer.Option("--skip-damaged", help="Skip damaged folders with a warning instead of failing."),
    ] = False,
) -> None:
    """Write an HTML report on runs.

    For each game the report has learning curves, tables with the best run first, and commands that reproduce the runs.
    """
    from train.reports.page import say_skipped, write_report  # needs the extra `report`

    written = write_report(folders, page, skip_damaged)
    say_skipped(written)
    say(f"Page: {written.page}\nTables: {written.tables}")
