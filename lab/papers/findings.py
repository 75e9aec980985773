"""Findings of a reproduction: each published figure beside the computed one, with a verdict and a reason.

A paper's module names the printed figure and computes its own; `judge` gives the verdict. The reason stands beside the
printed figure in its file, or is passed if it contains computed figures:

    judge(PAPER.figure("Figure 3", "D({2,3,6}, {1,3,5})"), Fraction(2))
    # place "Figure 3", published 2, computed 2: agrees, "5 pairs won, 3 lost, 1 tied"
"""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from fractions import Fraction
from pathlib import Path

from baselines.system.files import csv_bytes, write_atomically
from lab.papers.pictures import Figure
from lab.papers.printed import Published

# A sampled figure is accepted within this many standard errors of the exact one.
STANDARD_ERRORS = 4.0
DOTS_PER_INCH = 120

Number = float | str
Value = Number | Fraction | bool  # a number, a fraction, text, or whether a claim holds
Bounds = tuple[float, float] | None
ROWS = "rows"  # the table of all findings
Table = Sequence[Sequence[object]]  # a heading row, then rows of numbers and text


class Verdict(StrEnum):
    """The result of comparing a published figure with the computed one.

    Each comparison could have come out differently.
    """

    AGREES = "agrees"  # equal in all printed digits
    CONSISTENT = "consistent"  # sampled, and within STANDARD_ERRORS of its games of the exact figure or range
    FREE = "free"  # depends on the selected equilibrium; the published figure is in the range
    WRONG = "wrong"  # impossible by the source's own rules
    NEW = "new"  # the source gives no figure


@dataclass(frozen=True)
class Finding:
    """One figure with its verdict."""

    place: str  # where it is in the source, e.g. "Table 5.1"
    item: str  # its name, e.g. "6x6 Equilibrium v. Equilibrium, margin"
    published: Number | None  # as printed; None if the source gives none
    computed: Number  # by this suite
    range: Bounds  # lowest and highest value over all equilibria, if the figure depends on the equilibrium
    verdict: Verdict
    reason: str


@dataclass(frozen=True)
class Reproduction:
    """All findings on one source, with further tables and plots by file name (without the suffix)."""

    findings: Sequence[Finding]
    checks: Mapping[str, bool]  # checks of the computed figures -> whether they hold
    tables: Mapping[str, Table] = field(default_factory=dict)
    pictures: Mapping[str, Callable[[], Figure]] = field(default_factory=dict)

    @property
    def sound(self) -> bool:
        """True if the computed figures pass all checks, regardless of the verdicts on the source."""
        return all(self.checks.values())

    @property
    def files(self) -> list[str]:
        """The names of the files that `write` writes."""
        return [*(f"{name}.csv" for name in (ROWS, *self.tables)), *(f"{name}.png" for name in self.pictures)]


def judge(
    printed: Published, computed: float | Fraction | bool, right: str | None = None, wrong: str | None = None
) -> Finding:
    """Compares a published figure with an exact one: they agree in all printed digits, or it is wrong.

    The reason is `right` if they agree, else `wrong`; if only `right` is given, it is the reason in both cases. Reasons
    given here replace those beside the printed figure.
    """
    if right is None and wrong is None:
        right, wrong = printed.right, printed.wrong
    agrees = printed.agrees(float(computed))
    reason = right if agrees or wrong is None else wrong
    return compare(printed, computed, Verdict.AGREES if agrees else Verdict.WRONG, reason or "")


def compare(printed: Published, computed: Value, verdict: Verdict, reason: str, bounds: Bounds = None) -> Finding:
    """Makes a finding about a published figure with a verdict determined by the caller."""
    return Finding(printed.place, printed.item, number(printed.value), number(computed), bounds, verdict, reason)


def new(place: str, item: str, computed: Value, reason: str, bounds: Bounds = None) -> Finding:
    """Makes a finding for a figure that the source does not give."""
    return Finding(place, item, None, number(computed), bounds, Verdict.NEW, reason)


def number(value: Value) -> Number:
    """Formats a figure for a finding: fractions as text, claims as yes or no."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value) if isinstance(value, Fraction) else value


def write(reproduction: Reproduction, folder: Path) -> list[Path]:
    """Writes the findings as `rows.csv`, the further tables as CSV and the pictures as PNG.

    Returns:
        The files written.

    Raises:
        OSError: If the folder cannot be made or written to.
    """
    folder.mkdir(parents=True, exist_ok=True)
    rows = [[_cell(value) for value in asdict(each).values()] for each in reproduction.findings]
    tables = {ROWS: [list(Finding.__annotations__), *rows], **reproduction.tables}
    contents = {folder / f"{name}.csv": csv_bytes(table) for name, table in tables.items()}
    for name, draw in reproduction.pictures.items():
        from matplotlib.backends.backend_agg import FigureCanvasAgg

        image = io.BytesIO()
        FigureCanvasAgg(draw()).print_figure(image, dpi=DOTS_PER_INCH, format="png")
        contents[folder / f"{name}.png"] = image.getvalue()
    for path, content in contents.items():
        write_atomically(path, content)
    return list(contents)


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, tuple):
        return " to ".join(f"{bound:.6g}" for bound in value)
    return f"{value:.10g}" if isinstance(value, float) else str(value)
