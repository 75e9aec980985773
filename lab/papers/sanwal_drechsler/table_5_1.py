"""Table 5.1 of Sanwal and Drechsler 2002, judged figure by figure against exact ones."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from baselines.display.figures import new_figure
from lab.papers.findings import STANDARD_ERRORS, Finding, Table, Verdict, compare, judge, new
from lab.papers.pictures import Figure
from lab.papers.printed import Published
from lab.papers.sanwal_drechsler import PAPER
from lab.papers.sanwal_drechsler.exact_figures import COLUMNS, EQUILIBRIUM, RANDOM, Exact, JujitsuFigures

PLACE, DISCUSSION = "Table 5.1", "Section 5.2"
OPPONENTS = (RANDOM, "HighestCard", "LowestCard", EQUILIBRIUM)
# All counts in the table are multiples of 1/20: means of 20 runs of `TABLE_GAMES`.
RUNS = 20
TABLE_GAMES = 100_000
LABELS = {"margin": "games won less games lost (% of games)", "tie": "tied games (% of games)"}
CROSS = {"marker": "x", "linestyle": "", "markersize": 7, "markeredgewidth": 1.8}
MARKS: dict[str, dict[str, Any]] = {
    "range": {"color": "tab:blue", "alpha": 0.35, "linewidth": 9, "solid_capstyle": "butt"},
    "chosen": {"color": "tab:blue", "linewidth": 1.6},
    "possible": {"color": "black", **CROSS},
    "impossible": {"color": "tab:red", **CROSS},
}

printed = PAPER.figure


@dataclass(frozen=True)
class Cell:
    """One printed figure and the exact one."""

    size: int  # cards in each hand
    pairing: tuple[str, str]  # the players
    column: str  # the column of the table
    printed: Published  # a fraction of games
    exact: Exact  # the exact figure or range
    deviation: float  # standard deviation of one game's result, where `exact` comes closest to the printed figure

    @property
    def errors(self) -> float:
        """How many standard errors of `TABLE_GAMES` games the printed figure lies outside the range; 0 inside."""
        outside = abs(float(self.printed.value) - _nearest(self.exact, self.printed))
        standard_error = self.deviation / math.sqrt(self.printed.games or TABLE_GAMES)
        return outside / standard_error if standard_error else math.inf if outside else 0.0

    def believable(self, runs: int = 1) -> bool:
        """Returns whether this many runs of the stated number of games could have produced the printed figure."""
        return self.errors * math.sqrt(runs) <= STANDARD_ERRORS

    def finding(self) -> Finding:
        """Returns the figure and its verdict."""
        chosen = self.pairing[0] == EQUILIBRIUM
        bounds = (_clean(self.exact.low), _clean(self.exact.high)) if chosen else None
        return compare(self.printed, _clean(self.exact.default), *self._judged(), bounds)

    def _judged(self) -> tuple[Verdict, str]:
        off = f"{self.errors:.1f} standard errors off"
        if self.pairing == (EQUILIBRIUM, EQUILIBRIUM) and self.column == "margin" and not self.believable():
            return Verdict.WRONG, f"the game is symmetric, so the margin is 0 in every equilibrium; {off}"
        if not self.believable():
            return Verdict.WRONG, f"{'forced' if self.exact.forced else 'outside the range'}; {off}"
        if self.pairing[0] == RANDOM:
            return Verdict.CONSISTENT, off
        if self.exact.forced:
            return Verdict.CONSISTENT, f"forced: no choice of optimal strategies matters; {off}"
        return Verdict.FREE, f"free: {'inside the range' if self.errors == 0.0 else off}"


def cells(figures: Sequence[JujitsuFigures]) -> list[Cell]:
    """Returns all counts and margins of the table, in its order."""
    found = []
    for each in figures:
        for pairing in sorted(each.outcomes, key=lambda pair: (pair[0] == RANDOM, OPPONENTS.index(pair[1]))):
            outcome = each.outcomes[pairing]
            for column in COLUMNS:
                cell = printed(PLACE, f"{each.size}x{each.size} {' v. '.join(pairing)}, {column}")
                deviation = _deviation(outcome, column, cell)
                found.append(Cell(each.size, pairing, column, cell, outcome[column], deviation))
    return found


def _nearest(exact: Exact, printed: Published) -> float:
    return min(max(float(printed.value), exact.low), exact.high)


def _deviation(outcome: Mapping[str, Exact], column: str, printed: Published) -> float:
    mean = _nearest(outcome[column], printed)
    # A margin is +1, 0 or -1, a share 1 or 0. A margin varies most if ties are rare.
    mean_square = 1.0 - outcome["tie"].low if column == "margin" else mean
    return math.sqrt(max(mean_square - mean**2, 0.0))


def joint_findings(figures: Sequence[JujitsuFigures]) -> Iterator[Finding]:
    """Judges whether one optimal strategy could have won, lost and tied as often as a row says.

    The possible (win, loss) pairs form a convex set; a row outside exceeds its maximum along some direction.
    """
    for each in figures:
        for opponent, support in each.supports.items():
            name = f"{each.size}x{each.size} {EQUILIBRIUM} v. {opponent}"
            win, loss = (float(printed(PLACE, f"{name}, {column}").value) for column in ("win", "loss"))
            along = support[:, 0] * win + support[:, 1] * loss
            squares = support[:, 0] ** 2 * win + support[:, 1] ** 2 * loss
            errors = ((squares - along**2) / TABLE_GAMES) ** 0.5
            worst = float(((along - support[:, 2]) / errors).max())
            outside = "inside" if worst <= 0.0 else f"{worst:.1f} standard errors outside"
            reason = f"{outside} the set that optimal strategies attain, along {len(support)} directions"
            item, fits = f"{name}, win, loss and tie at once", worst <= STANDARD_ERRORS
            verdict = Verdict.FREE if fits else Verdict.WRONG
            yield compare(Published(PLACE, item, True), fits, verdict, reason)


def consistency(sizes: Sequence[int]) -> Finding:
    """Judges whether the table's columns are consistent."""
    names = dict.fromkeys(each.item.partition(",")[0] for each in PAPER.at(PLACE))
    differ = [name for name in names if int(name[0]) in sizes and not _columns_agree(name)]
    claim = Published(PLACE, "counts, win margin, spread % and tie % say the same", True)
    return judge(claim, not differ, "in every row", f"not in {', '.join(differ)}")


def _columns_agree(name: str) -> bool:
    row = {column: printed(PLACE, f"{name}, {column}") for column in (*COLUMNS, "spread", "tie share")}
    win, loss, tie = (float(row[column].value) for column in ("win", "loss", "tie"))
    expected = {"margin": abs(win - loss), "spread": win - loss, "tie share": tie}
    close = all(row[column].agrees(figure) for column, figure in expected.items())
    return close and abs(win + loss + tie - 1.0) < 1e-6


def sample_findings(table: Sequence[Cell]) -> Iterator[Finding]:
    """Infers how many games the table really counts, and the consequences."""
    steps = [float(cell.printed.value) * TABLE_GAMES * RUNS for cell in table if cell.column != "margin"]
    whole = all(abs(step - round(step)) < 1e-6 for step in steps)
    reason = "all counts are multiples of 1/20" if whole else "some counts are not multiples of 1/20"
    yield new(PLACE, "runs of 100,000 games behind a figure", RUNS if whole else 1, reason)
    random = [cell for cell in table if cell.pairing[0] == RANDOM]
    spread = math.sqrt(sum(cell.errors**2 for cell in random) / len(random))
    many = f"{1 / math.sqrt(RUNS):.2f} 20 times as many"
    reason = f"root mean square over the Random rows; 1 would be 100,000 games, {many}"
    yield new(PLACE, "Random rows, standard errors off", round(spread, 3), reason)
    weak = [cell for cell in table if cell.pairing[0] == EQUILIBRIUM != cell.pairing[1]]
    kept = f"{sum(cell.believable(RUNS) for cell in weak)} of {len(weak)}"
    item = "Equilibrium rows against weak players, figures that 20 runs could come to"
    yield new(PLACE, item, kept, "within 4 standard errors of 2,000,000 games")


def csv_table(table: Sequence[Cell]) -> Table:
    """Returns all cells with their ranges, for a spreadsheet."""
    headings = ["cards", "first", "second", "figure", "published", "our_choice", "least", "greatest", "errors_100000"]
    rows = []
    for cell in table:
        exact, errors = [f"{_clean(value):.10f}" for value in cell.exact], f"{cell.errors:.2f}"
        printed_share, verdict = float(cell.printed.value), cell.finding().verdict
        rows.append([cell.size, *cell.pairing, cell.column, printed_share, *exact, errors, verdict])
    return [[*headings, "verdict"], *rows]


def draw_column(table: Sequence[Cell], column: str) -> Figure:
    """Draws one column of the Equilibrium rows: printed figures over the exact ranges, a panel per opponent."""
    drawing = new_figure(11.0, 4.8)
    grid = drawing.subplots(1, len(OPPONENTS), sharey=True)
    for axes, opponent in zip(grid, OPPONENTS, strict=True):
        axes.axhline(0.0, color="0.7", linewidth=0.8)
        shown = [cell for cell in table if cell.pairing == (EQUILIBRIUM, opponent) and cell.column == column]
        for cell in shown:
            chosen, *ends = (100 * share for share in cell.exact)
            possible = cell.finding().verdict is not Verdict.WRONG
            axes.plot([cell.size] * 2, ends, **MARKS["range"])
            axes.plot([cell.size - 0.22, cell.size + 0.22], [chosen] * 2, **MARKS["chosen"])
            axes.plot(cell.size, 100 * float(cell.printed.value), **MARKS["possible" if possible else "impossible"])
        sizes = [cell.size for cell in shown]
        axes.set_xticks(sizes)
        axes.set_xlim(min(sizes) - 0.6, max(sizes) + 0.6)
        axes.set_title(f"against {opponent}", fontsize=10)
        axes.set_xlabel("cards in each hand")
    grid[0].set_ylabel(LABELS[column])
    drawing.suptitle("Optimal Jujitsu: all it can come to, and what Table 5.1 of Sanwal and Drechsler prints")
    _legend(drawing)
    return drawing


def _legend(drawing: Figure) -> None:
    from matplotlib.lines import Line2D

    words = ("exact range over optimal play", "our documented choice", "printed, possible", "printed, impossible")
    marks = [Line2D([], [], **mark, label=label) for mark, label in zip(MARKS.values(), words, strict=True)]
    drawing.legend(handles=marks, loc="outside lower center", ncols=4, frameon=False)


def discussion_findings(figures: Sequence[JujitsuFigures]) -> Iterator[Finding]:
    """Judges the conclusions of section 5.2 against the exact ranges."""
    odd, even = ([each for each in figures if each.size % 2 == parity] for parity in (1, 0))
    yield _fewer_ties(odd, even)
    yield _better_in_odd(odd, even)
    against = {
        each.size: {name: each.outcomes[EQUILIBRIUM, name]["margin"] for name in each.supports} for each in figures
    }
    yield _ranked("LowestCard loses less to Equilibrium than Random", against, "LowestCard", RANDOM)
    yield _ranked("LowestCard loses less to Equilibrium than HighestCard", against, "LowestCard", "HighestCard")
    yield _ranked("HighestCard loses more to Equilibrium than Random", against, RANDOM, "HighestCard")
    claim = printed(DISCUSSION, "Equilibrium beats LowestCard on average")
    if idle := [size for size, margins in against.items() if margins["LowestCard"].low < 1e-9]:
        reason = f"not for every choice: as little as 0 at {_listed(idle)} cards"
        yield compare(claim, "depends", Verdict.FREE, reason)
    else:
        yield judge(claim, True, "least margin above 0 at every size")


def _fewer_ties(odd: Sequence[JujitsuFigures], even: Sequence[JujitsuFigures]) -> Finding:
    most = {pairing: max(each.outcomes[pairing]["tie"].high for each in odd) for pairing in odd[0].outcomes}
    least = {pairing: min(each.outcomes[pairing]["tie"].low for each in even) for pairing in most}
    against = [" v. ".join(pairing) for pairing in most if most[pairing] >= least[pairing]]
    claim = printed(DISCUSSION, "fewer ties in odd games than in even ones")
    return judge(claim, not against, "in each pairing and for every choice", f"not in {', '.join(against)}")


def _better_in_odd(odd: Sequence[JujitsuFigures], even: Sequence[JujitsuFigures]) -> Finding:
    against = [
        f"more at {e.size} than at {o.size} cards against {name}, in every equilibrium"
        for name in odd[0].supports
        for e in even
        for o in odd
        if e.outcomes[EQUILIBRIUM, name]["margin"].low > o.outcomes[EQUILIBRIUM, name]["margin"].high
    ]
    claim = printed(DISCUSSION, "Equilibrium does better in odd games")
    return judge(claim, not against, "no choice contradicts it", "".join(against[:1]))


def _ranked(item: str, against: Mapping[int, Mapping[str, Exact]], less: str, more: str) -> Finding:
    """Judges whether the margin against `less` is below that against `more`, at every size and for every choice."""
    surely = [size for size, margins in against.items() if margins[less].high < margins[more].low]
    never = [size for size, margins in against.items() if margins[less].low > margins[more].high]
    reason = f"for every choice at {_listed(surely)} cards"
    claim = printed(DISCUSSION, item)
    if never:
        return judge(claim, False, "", f"{reason}, for none at {_listed(never)}")
    if len(surely) == len(against):
        return judge(claim, True, reason)
    return compare(claim, "depends", Verdict.FREE, f"{reason}, for some at the others")


def _listed(sizes: Sequence[int]) -> str:
    return ", ".join(map(str, sizes)) or "no number of"


def _clean(value: float) -> float:
    """Rounds tiny values to 0 and removes the sign of -0."""
    return round(value, 12) + 0.0
