"""What a reproduction says: rows that set a published figure beside the computed one, and judge it."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from baselines.atomic_files import write_atomically
from baselines.published import Published

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# A sampled figure is believed if it is within so many standard errors of the exact one.
STANDARD_ERRORS = 4.0

Number = float | str


class Verdict(StrEnum):
    """How a published figure stands to the computed one.

    Each is falsifiable: it is given by `judge` or by a comparison that could have gone the other way.
    """

    AGREES = "agrees"  # equal to all printed digits
    CONSISTENT = "consistent"  # sampled, and within STANDARD_ERRORS of its games of the exact figure or range
    FREE = "free"  # depends on the choice among equilibria; the published figure is in the range
    WRONG = "wrong"  # cannot be, by the source's own rules
    NEW = "new"  # the source gives no figure


@dataclass(frozen=True)
class Row:
    """One figure.

    Attributes:
        figure: Where it stands, e.g. "Table 5.1".
        item: What it is, e.g. "6x6 Equilibrium v. Equilibrium, margin".
        published: As printed, or None if the source leaves it open.
        computed: By this suite.
        range: Least and greatest value over all choices among equilibria, where there is a choice.
        verdict: The judgement.
        reason: Why.
    """

    figure: str
    item: str
    published: Number | None
    computed: Number
    range: tuple[float, float] | None
    verdict: Verdict
    reason: str


@dataclass(frozen=True)
class Picture:
    """A plot that goes with a report, drawn when it is written."""

    name: str
    draw: Callable[[], Figure]


@dataclass(frozen=True)
class Report:
    """All that a reproduction found.

    Attributes:
        rows: The figures.
        sound: Whether every computed figure is what the source's own rules give, by the checks
            that the reproduction makes of itself.
        pictures: Plots to write beside the rows.
        tables: Further tables by file name (without ending): a heading row, then rows.
        checks: Those checks, in words, and whether they hold.
    """

    rows: tuple[Row, ...]
    sound: bool
    pictures: tuple[Picture, ...] = ()
    tables: Mapping[str, Sequence[Sequence[Number]]] = field(default_factory=dict)
    checks: Mapping[str, bool] = field(default_factory=dict)


def within_digits(published: float, computed: float, tolerance: float) -> bool:
    """Whether two figures agree to the digits printed (`tolerance`: half a unit of the last one)."""
    return abs(published - computed) <= tolerance * (1 + 1e-9)


def judged(figure: Published, computed: float | Fraction | bool, right: str, wrong: str | None = None) -> Row:
    """A row for a figure that was computed and leaves no choice: it agrees or it is wrong.

    Args:
        figure: As published.
        computed: The exact figure, or whether the claim holds.
        right: The reason, if they agree to the printed digits.
        wrong: The reason, if they do not; `right` if it says what the figure is either way.
    """
    agrees = within_digits(float(figure.value), float(computed), figure.tolerance)
    verdict = Verdict.AGREES if agrees else Verdict.WRONG
    reason = right if agrees or wrong is None else wrong
    return Row(figure.place, figure.item, number(figure.value), number(computed), None, verdict, reason)


def number(value: float | Fraction | bool) -> Number:
    """A figure as a row shows it: fractions in words, claims as yes or no."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value) if isinstance(value, Fraction) else value


def within_sampling(published: float, low: float, high: float, standard_deviation: float, games: int) -> bool:
    """Whether a mean over `games` is believable, the exact figure being somewhere in [low, high]."""
    slack = STANDARD_ERRORS * standard_deviation / math.sqrt(games)
    return low - slack <= published <= high + slack


def write_report(report: Report, folder: Path) -> list[Path]:
    """Writes `rows.csv`, the further tables as CSV and the pictures as PNG.

    Returns:
        What was written.

    Raises:
        OSError: If the folder cannot be made or written to.
    """
    folder.mkdir(parents=True, exist_ok=True)
    headings = ["figure", "item", "published", "computed", "range", "verdict", "reason"]
    tables = {"rows": [headings, *([_cell(asdict(row)[h]) for h in headings] for row in report.rows)], **report.tables}
    written = []
    for name, table in tables.items():
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows(table)
        written.append(folder / f"{name}.csv")
        write_atomically(written[-1], text.getvalue().encode())
    for picture in report.pictures:
        from matplotlib.backends.backend_agg import FigureCanvasAgg

        written.append(folder / f"{picture.name}.png")
        image = io.BytesIO()
        FigureCanvasAgg(picture.draw()).print_figure(image, format="png")
        write_atomically(written[-1], image.getvalue())
    return written


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, tuple):
        return " to ".join(f"{bound:.6g}" for bound in value)
    return f"{value:.10g}" if isinstance(value, float) else str(value)
