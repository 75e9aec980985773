"""The findings of a reproduction as tables on the terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from cardwar_cli.console import out, say
from lab.papers.findings import Finding, Number, Reproduction, Verdict


def show(name: str, made: Reproduction, seconds: float) -> None:
    """Prints how many figures agree in each table or figure of the paper, and each other figure with the reason."""
    out.print(_counts(made.findings, f"{name}: {len(made.findings)} figures in {seconds:.0f} s"))
    others = [each for each in made.findings if each.verdict is not Verdict.AGREES]
    if others:
        out.print(_details(others))
    for check, holds in made.checks.items():
        say(f"{'holds' if holds else 'FAILS'}: {check}")


def say_files(files: Sequence[Path]) -> None:
    """Prints where the files are."""
    say(f"All figures, with reasons: {files[0]}")
    pictures = ", ".join(path.name for path in files if path.suffix == ".png")
    if pictures:
        say(f"Pictures beside it: {pictures}")


def _counts(findings: Sequence[Finding], title: str) -> Table:
    all_places = Counter(each.verdict for each in findings)
    found = [verdict for verdict in Verdict if all_places[verdict]]
    table = Table(title=title, show_footer=True)
    table.add_column("place", footer="all")
    for verdict in found:
        table.add_column(str(verdict), str(all_places[verdict]), justify="right")
    for place in dict.fromkeys(each.place for each in findings):
        count = Counter(each.verdict for each in findings if each.place == place)
        table.add_row(place, *(str(count[verdict] or "") for verdict in found))
    return table


def _details(findings: Sequence[Finding]) -> Table:
    """Lists figures in order; a reason that neighbours share is printed once, below the last of them."""
    table = Table(title="figures that differ or need a remark")
    table.add_column("place: item, reason", ratio=1)
    table.add_column("published", justify="right", max_width=14)
    table.add_column("computed", justify="right", max_width=14)
    table.add_column("verdict", no_wrap=True)
    for place, of_place in groupby(findings, key=lambda each: each.place):
        table.add_section()
        table.add_row(Text(place, style="bold"))
        for reason, alike in groupby(of_place, key=lambda each: each.reason):
            for each in alike:
                within = "" if each.range is None else "\n{} to\n{}".format(*map(_short, each.range))
                table.add_row(
                    Text(each.item), _short(each.published), _short(each.computed) + within, str(each.verdict)
                )
            table.add_row(Padding(Text(reason, style="dim"), (0, 0, 0, 2)))
    return table


def _short(value: Number | None) -> str:
    return "" if value is None else f"{value:.6g}" if isinstance(value, float) else str(value)
