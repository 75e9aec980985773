"""Table 5.1 of Sanwal and Drechsler 2002, judged figure by figure against what is exact."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from baselines.published import SANWAL_DRECHSLER, TABLE_GAMES, Published, figure
from baselines.reproduction.report import STANDARD_ERRORS, Number, Row, Verdict, within_sampling
from baselines.reproduction.sanwal_drechsler.exact_figures import (
    COLUMNS,
    EQUILIBRIUM,
    RANDOM,
    Exact,
    JujitsuFigures,
    Pairing,
)

PLACE = "Table 5.1"
# All counts in the table are multiples of 1/20: means of 20 runs of `TABLE_GAMES`.
RUNS = 20


@dataclass(frozen=True)
class Cell:
    """One printed figure and the exact one.

    Attributes:
        size: Cards in each hand.
        pairing: Who plays.
        column: What is counted.
        printed: The figure, a share of games.
        exact: What it should be, or may be.
        deviation: Standard deviation of one game's result, where `exact` comes closest to the
            printed figure.
    """

    size: int
    pairing: Pairing
    column: str
    printed: Published
    exact: Exact
    deviation: float

    @property
    def errors(self) -> float:
        """How many standard errors of `TABLE_GAMES` games the printed figure lies outside the range; 0 inside."""
        outside = abs(float(self.printed.value) - _nearest(self.exact, self.printed))
        return outside / self._standard_error if self._standard_error else math.inf if outside else 0.0

    @property
    def _standard_error(self) -> float:
        return self.deviation / math.sqrt(self.printed.games or TABLE_GAMES)

    def believable(self, runs: int = 1) -> bool:
        """Whether so many runs of the stated number of games can have come to the printed figure."""
        games = runs * (self.printed.games or TABLE_GAMES)
        return within_sampling(float(self.printed.value), self.exact.low, self.exact.high, self.deviation, games)

    def row(self) -> Row:
        """The figure and its verdict."""
        chosen = self.pairing[0] == EQUILIBRIUM
        bounds = (_clean(self.exact.low), _clean(self.exact.high)) if chosen else None
        verdict, reason = self._judged()
        published, computed = float(self.printed.value), _clean(self.exact.default)
        return Row(PLACE, self.printed.item, published, computed, bounds, verdict, reason)

    def _judged(self) -> tuple[Verdict, str]:
        off = f"{self.errors:.1f} standard errors off"
        if self.pairing == (EQUILIBRIUM, EQUILIBRIUM) and self.column == "margin" and not self.believable():
            return Verdict.WRONG, f"the game is symmetric, so the margin is 0 whatever is chosen; {off}"
        if not self.believable():
            return Verdict.WRONG, f"{'forced' if self.exact.forced else 'no choice comes near'}; {off}"
        if self.pairing[0] == RANDOM:
            return Verdict.CONSISTENT, off
        if self.exact.forced:
            return Verdict.CONSISTENT, f"forced: no choice of optimal strategies matters; {off}"
        return Verdict.FREE, f"free: {'inside the range' if self.errors == 0.0 else off}"


def cells(figures: Sequence[JujitsuFigures]) -> list[Cell]:
    """All counts and margins of the table, in its order."""
    found = []
    for each in figures:
        for pairing in sorted(each.outcomes, key=_table_order):
            outcome = each.outcomes[pairing]
            for column in COLUMNS:
                name = f"{each.size}x{each.size} {pairing[0]} v. {pairing[1]}, {column}"
                printed = figure(SANWAL_DRECHSLER, PLACE, name)
                deviation = _deviation(outcome, column, printed)
                found.append(Cell(each.size, pairing, column, printed, outcome[column], deviation))
    return found


def _table_order(pairing: Pairing) -> tuple[bool, int]:
    return pairing[0] == RANDOM, (RANDOM, "HighestCard", "LowestCard", EQUILIBRIUM).index(pairing[1])


def _nearest(exact: Exact, printed: Published) -> float:
    return min(max(float(printed.value), exact.low), exact.high)


def _deviation(outcome: Mapping[str, Exact], column: str, printed: Published) -> float:
    mean = _nearest(outcome[column], printed)
    # A margin is +1, 0 or -1, a share 1 or 0. With few ties a margin varies most.
    mean_square = 1.0 - outcome["tie"].low if column == "margin" else mean
    return math.sqrt(max(mean_square - mean**2, 0.0))


def joint_rows(figures: Sequence[JujitsuFigures]) -> Iterator[Row]:
    """Whether one choice of optimal strategies can have won, lost and tied as often as a row says.

    What can be had is a convex set of (win, loss); a row outside it lies beyond its most along
    some direction.
    """
    for each in figures:
        for opponent, support in each.supports.items():
            name = f"{each.size}x{each.size} {EQUILIBRIUM} v. {opponent}"
            win, loss = (float(figure(SANWAL_DRECHSLER, PLACE, f"{name}, {c}").value) for c in ("win", "loss"))
            along = support[:, 0] * win + support[:, 1] * loss
            squares = support[:, 0] ** 2 * win + support[:, 1] ** 2 * loss
            errors = ((squares - along**2) / TABLE_GAMES) ** 0.5
            worst = float(((along - support[:, 2]) / errors).max())
            fits = worst <= STANDARD_ERRORS
            outside = "inside" if worst <= 0.0 else f"{worst:.1f} standard errors outside"
            yield Row(
                PLACE,
                f"{name}, win, loss and tie at once",
                "yes",
                "yes" if fits else "no",
                None,
                Verdict.FREE if fits else Verdict.WRONG,
                f"{outside} what one choice can come to, along {len(support)} directions",
            )


def consistency_rows(sizes: Sequence[int]) -> Iterator[Row]:
    """Whether the table's columns say the same, and how many games they count."""
    names = [
        f"{size}x{size} {first} v. {second}"
        for size in sizes
        for first, seconds in (
            (EQUILIBRIUM, (RANDOM, "HighestCard", "LowestCard", EQUILIBRIUM)),
            (RANDOM, (RANDOM, "HighestCard", "LowestCard")),
        )
        for second in seconds
    ]
    differ = [name for name in names if not _columns_agree(name)]
    wrong = f"not in {', '.join(differ)}"
    yield _claim(PLACE, "counts, win margin, spread % and tie % say the same", not differ, "in every row", wrong)


def _columns_agree(name: str) -> bool:
    row = {column: figure(SANWAL_DRECHSLER, PLACE, f"{name}, {column}") for column in (*COLUMNS, "spread", "tie share")}
    win, loss, tie = (float(row[column].value) for column in ("win", "loss", "tie"))
    expected = {"margin": abs(win - loss), "spread": win - loss, "tie share": tie}
    close = all(abs(float(row[c].value) - e) <= row[c].tolerance * (1 + 1e-6) for c, e in expected.items())
    return close and abs(win + loss + tie - 1.0) < 1e-6


def sample_rows(table: Sequence[Cell]) -> Iterator[Row]:
    """How many games the table really counts, and what that makes of it."""
    counts = [cell for cell in table if cell.column != "margin"]
    steps = [float(cell.printed.value) * TABLE_GAMES * RUNS for cell in counts]
    whole = all(abs(step - round(step)) < 1e-6 for step in steps)
    rest = "all counts are multiples of 1/20" if whole else "counts are of other fractions than 1/20"
    random = [cell for cell in table if cell.pairing[0] == RANDOM]
    spread = math.sqrt(sum(cell.errors**2 for cell in random) / len(random))
    reason = (
        f"root mean square over the Random rows; 1 would be 100,000 games, {1 / math.sqrt(RUNS):.2f} 20 times as many"
    )
    yield Row(PLACE, "runs of 100,000 games behind a figure", None, RUNS if whole else 1, None, Verdict.NEW, rest)
    yield Row(PLACE, "Random rows, standard errors off", None, round(spread, 3), None, Verdict.NEW, reason)
    weak = [cell for cell in table if cell.pairing[0] == EQUILIBRIUM != cell.pairing[1]]
    kept = sum(cell.believable(RUNS) for cell in weak)
    item = "Equilibrium rows against weak players, figures that 20 runs could come to"
    yield Row(
        PLACE, item, None, f"{kept} of {len(weak)}", None, Verdict.NEW, "within 4 standard errors of 2,000,000 games"
    )


def csv_table(table: Sequence[Cell]) -> list[list[Number]]:
    """All cells with their ranges, for a spreadsheet."""
    lines: list[list[Number]] = [
        [
            "cards",
            "first",
            "second",
            "figure",
            "published",
            "our_choice",
            "least",
            "greatest",
            "errors_100000",
            "verdict",
        ]
    ]
    for cell in table:
        exact = [f"{_clean(value):.10f}" for value in cell.exact]
        judgement: list[Number] = [f"{cell.errors:.2f}", cell.row().verdict.value]
        lines.append([cell.size, *cell.pairing, cell.column, float(cell.printed.value), *exact, *judgement])
    return lines


# -- section 5.2 ------------------------------------------------------------------------------------


def discussion_rows(figures: Sequence[JujitsuFigures]) -> Iterator[Row]:
    """What section 5.2 reads from the table, against the exact ranges."""
    place = "Section 5.2"
    odd, even = ([each for each in figures if each.size % 2 == parity] for parity in (1, 0))
    yield _claim(place, "fewer ties in odd games than in even ones", *_fewer_ties(odd, even))
    yield _claim(place, "Equilibrium does better in odd games", *_better_in_odd(odd, even))
    against = [(each.size, {o: each.outcomes[EQUILIBRIUM, o]["margin"] for o in each.supports}) for each in figures]
    yield _ranked(place, "LowestCard loses less to Equilibrium than Random", against, "LowestCard", RANDOM)
    yield _ranked(place, "LowestCard loses less to Equilibrium than HighestCard", against, "LowestCard", "HighestCard")
    yield _ranked(place, "HighestCard loses more to Equilibrium than Random", against, RANDOM, "HighestCard")
    idle = [size for size, margins in against if margins["LowestCard"].low < 1e-9]
    where = (
        f"not for every choice: as little as 0 at {_listed(idle)} cards"
        if idle
        else "least margin above 0 at every size"
    )
    item = "Equilibrium beats LowestCard on average"
    yield Row(place, item, "yes", "depends" if idle else "yes", None, Verdict.FREE if idle else Verdict.AGREES, where)


def _fewer_ties(odd: Sequence[JujitsuFigures], even: Sequence[JujitsuFigures]) -> tuple[bool, str, str]:
    most = {pairing: max(each.outcomes[pairing]["tie"].high for each in odd) for pairing in odd[0].outcomes}
    least = {pairing: min(each.outcomes[pairing]["tie"].low for each in even) for pairing in odd[0].outcomes}
    against = [" v. ".join(pairing) for pairing in most if most[pairing] >= least[pairing]]
    return not against, "in each pairing and for every choice", f"not in {', '.join(against)}"


def _better_in_odd(odd: Sequence[JujitsuFigures], even: Sequence[JujitsuFigures]) -> tuple[bool, str, str]:
    against = [
        (e.size, o.size, name)
        for name in odd[0].supports
        for e in even
        for o in odd
        if e.outcomes[EQUILIBRIUM, name]["margin"].low > o.outcomes[EQUILIBRIUM, name]["margin"].high
    ]
    wrong = "; ".join(f"more at {e} than at {o} cards against {name}, whatever is chosen" for e, o, name in against[:1])
    return not against, "no choice contradicts it", wrong


def _ranked(place: str, item: str, against: Sequence[tuple[int, Mapping[str, Exact]]], less: str, more: str) -> Row:
    """Whether the margin against `less` is below that against `more`, at every size and for every choice."""
    surely = [size for size, margins in against if margins[less].high < margins[more].low]
    never = [size for size, margins in against if margins[less].low > margins[more].high]
    verdict = Verdict.WRONG if never else Verdict.AGREES if len(surely) == len(against) else Verdict.FREE
    names = f"for every choice at {_listed(surely)} cards"
    names += (
        f", for none at {_listed(never)}" if never else ", for some at the others" if verdict is Verdict.FREE else ""
    )
    return Row(
        place, item, "yes", {Verdict.WRONG: "no", Verdict.AGREES: "yes"}.get(verdict, "depends"), None, verdict, names
    )


def _listed(sizes: Sequence[int]) -> str:
    return ", ".join(map(str, sizes)) or "no number of"


def _claim(place: str, item: str, holds: bool, right: str, wrong: str | None = None) -> Row:
    reason = right if holds or wrong is None else wrong
    return Row(place, item, "yes", "yes" if holds else "no", None, Verdict.AGREES if holds else Verdict.WRONG, reason)


def _clean(value: float) -> float:
    """Without the sign and the dust that rounding leaves on a 0."""
    return round(value, 12) + 0.0
