"""`cardwar reproduce`: the figures of a source, recomputed beside the published ones."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from baselines.reproduction import REPRODUCTIONS, reproduction
from baselines.reproduction.report import Number, Report, Row, Verdict, write_report
from train.command.console import AsJson, advancing, out, say, timed


def reproduce(
    name: Annotated[str, typer.Argument(metavar="NAME", help=f"One of {', '.join(REPRODUCTIONS)}.")],
    folder: Annotated[Path | None, typer.Option("--out", metavar="DIR", help="Default runs/reproduce-NAME.")] = None,
    as_json: AsJson = False,
) -> int:
    """Recompute a source's figures beside the published ones; exit code 0 if ours pass all checks, else 1."""
    report, data = run(name, folder)
    if as_json:
        print(json.dumps(data))
    else:
        show(report, data)
    return 0 if report.sound else 1


def run(name: str, folder: Path | None) -> tuple[Report, dict[str, Any]]:
    """Recomputes a source's figures and writes them down.

    Args:
        name: A key of `baselines.reproduction.REPRODUCTIONS`.
        folder: Where to write; `runs/reproduce-NAME` if None.

    Returns:
        The report, and its contents as JSON holds them, with the files written.

    Raises:
        ValueError: If there is no such source.
        OSError: If the folder cannot be written to.
    """
    make = reproduction(name)
    with advancing("states explored") as progress:
        report, seconds = timed(lambda: make(progress))
    written = write_report(report, folder or Path("runs") / f"reproduce-{name}")
    return report, {
        "name": name,
        "seconds": seconds,
        "sound": report.sound,
        "checks": dict(report.checks),
        "rows": [_plain(row) for row in report.rows],
        "files": [str(path) for path in written],
    }


def _plain(row: Row) -> dict[str, Any]:
    return {
        "figure": row.figure,
        "item": row.item,
        "published": row.published,
        "computed": row.computed,
        "range": None if row.range is None else list(row.range),
        "verdict": str(row.verdict),
        "reason": row.reason,
    }


def show(report: Report, data: dict[str, Any]) -> None:
    """Prints how many figures of each place agree, and every figure that does not simply agree.

    Args:
        report: What `run` made.
        data: The second part of what `run` returned.
    """
    out.print(_counts(report.rows, f"{data['name']}: {len(report.rows)} figures in {data['seconds']:.0f} s"))
    others = [row for row in report.rows if row.verdict is not Verdict.AGREES]
    if others:
        out.print(_details(others))
    for check, holds in report.checks.items():
        say(f"{'holds' if holds else 'FAILS'}: {check}")
    files = [Path(path) for path in data["files"]]
    say(f"All figures with reasons: {files[0]}")
    pictures = ", ".join(path.name for path in files if path.suffix == ".png")
    if pictures:
        say(f"Pictures beside it: {pictures}")


def _counts(rows: Sequence[Row], title: str) -> Table:
    found = [verdict for verdict in Verdict if any(row.verdict is verdict for row in rows)]
    table = Table(title=title, show_footer=True)
    table.add_column("figure", footer="all")
    for verdict in found:
        table.add_column(str(verdict), str(sum(row.verdict is verdict for row in rows)), justify="right")
    for place in dict.fromkeys(row.figure for row in rows):
        count = Counter(row.verdict for row in rows if row.figure == place)
        table.add_row(place, *(str(count[verdict] or "") for verdict in found))
    return table


def _details(rows: Sequence[Row]) -> Table:
    """Rows grouped by their place in the source; a reason that neighbours share is shown once, below them."""
    table = Table(title="figures that do not simply agree")
    table.add_column("figure: item, reason", ratio=1)
    table.add_column("published", justify="right", max_width=14)
    table.add_column("computed", justify="right", max_width=14)
    table.add_column("verdict", no_wrap=True)
    for place, of_place in groupby(rows, key=lambda row: row.figure):
        table.add_section()
        table.add_row(Text(place, style="bold"))
        for reason, alike in groupby(of_place, key=lambda row: row.reason):
            for row in alike:
                table.add_row(Text(row.item), _short(row.published), _computed(row), str(row.verdict))
            table.add_row(Padding(Text(reason, style="dim"), (0, 0, 0, 2)))
    return table


def _computed(row: Row) -> str:
    computed = _short(row.computed)
    return computed if row.range is None else f"{computed}\n{_short(row.range[0])} to\n{_short(row.range[1])}"


def _short(value: Number | None) -> str:
    if value is None:
        return ""
    return f"{value:.6g}" if isinstance(value, float) else str(value)
