"""The post "Dice Wars game": sums of dice, its two tables, and the game of stacks built on them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, cast

from baselines.graph.game_graph import full_graph
from baselines.head_to_head import head_to_head
from baselines.oracle import Progress
from baselines.published import DICE_WARS, Published, figure, published
from baselines.reproduction.pictures import HeatMap, new_figure
from baselines.reproduction.report import Number, Picture, Report, Row, Verdict, judged
from baselines.reproduction.uniform_play import check_uniform_play
from baselines.results import StateSolution
from baselines.solution import solve
from cardwar_envs.games.dice_wars import DiceWars, battle_outcomes, total_counts

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SIDES = 6
PLOTTED, PRINTED, MOST_DICE = 4, 6, 20
# Winner of a battle, as `battle_outcomes` has it, by the table that it fills.
OUTCOME = {"tie": 0, "win": 1}
# As many stacks and as many dice as 1..6, spread evenly.
EVEN_STACKS = (3, 3, 3, 4, 4, 4)

Odds = Sequence[Sequence[Fraction]]


def reproduce(progress: Progress | None = None) -> Report:
    """Recomputes the post's figures, judges them, and solves the game of stacks.

    Args:
        progress: Called now and then with the number of states explored.
    """
    odds = {name: odds_table(name, MOST_DICE) for name in OUTCOME}
    figures = published(DICE_WARS)
    timing, timed_alike = timing_row()
    stacks, stacks_sound = stack_rows(progress)
    checks = {
        "counts add up to 6^k and read the same from both ends": all(map(_counts_hold, range(1, MOST_DICE + 1))),
        "win, tie and loss add up to 1 for 1..20 v. 1..20 dice": _complete(odds["win"], odds["tie"]),
        "the recursion of the post gives the same tie table, exactly": timed_alike,
        **stacks_sound,
    }
    return Report(
        rows=(*table_rows(figures, odds), *count_rows(), timing, *stacks),
        sound=all(checks.values()),
        pictures=(
            Picture("sums", draw_sums),
            *(Picture(f"{name}_6", lambda n=name: draw_odds(n, odds[n], PRINTED)) for name in OUTCOME),  # type: ignore[misc]
            *(Picture(f"{name}_20", lambda n=name: draw_odds(n, odds[n], MOST_DICE)) for name in OUTCOME),  # type: ignore[misc]
        ),
        tables=dict(csv_tables(odds)),
        checks=checks,
    )


# -- sums and battles ---------------------------------------------------------------------------------


def odds_table(outcome: str, most: int) -> Odds:
    """Exact odds that m dice win or tie against k dice.

    Args:
        outcome: A key of `OUTCOME`.
        most: Of m and of k.

    Returns:
        `[most][most]` probabilities, row m - 1, column k - 1.
    """
    numbers = range(1, most + 1)
    return [[_odds(m, k, OUTCOME[outcome]) for k in numbers] for m in numbers]


def _odds(m: int, k: int, winner: int) -> Fraction:
    return sum((share for share, who in battle_outcomes(m, k, SIDES) if who == winner), Fraction(0))


def _counts_hold(dice: int) -> bool:
    counts = total_counts(dice, SIDES)
    return sum(counts) == SIDES**dice and counts == counts[::-1] and len(counts) == dice * (SIDES - 1) + 1


def _complete(win: Odds, tie: Odds) -> bool:
    """A loss of m against k is a win of k against m."""
    places = range(len(win))
    return all(win[m][k] + tie[m][k] + win[k][m] == 1 for m in places for k in places)


def table_rows(figures: Iterable[Published], odds: dict[str, Odds]) -> Iterator[Row]:
    """One row for each entry of the two printed tables."""
    for each in figures:
        if each.place.endswith(" table"):
            m, k = (int(word) for word in each.item.split() if word.isdigit())
            exact = odds[each.place.removesuffix(" table")][m - 1][k - 1]
            why = (
                "exactly"
                if exact
                else f"exactly 0, not only small: {m} dice show {SIDES * m} at most, {k} at least {k}"
            )
            yield judged(each, float(exact), f"{why} {exact}" if exact else why, f"exactly {exact}")


def count_rows() -> Iterator[Row]:
    """Counts of sums, and where the post's plots begin."""
    counts = {dice: total_counts(dice, SIDES) for dice in range(1, PLOTTED + 1)}
    ways = Fraction(counts[2][7 - 2])
    yield judged(figure(DICE_WARS, "Count of sums", "ways to roll 7 with 2 dice"), ways, "f_2(7)")
    reason = f"f_2(6) + ... + f_2(1) = {sum(counts[2][: 6 - 2 + 1])}, by the post's recursion"
    yield Row("Count of sums", "ways to roll 7 with 3 dice", None, counts[3][7 - 3], None, Verdict.NEW, reason)
    for dice in counts:
        wrong = "its code plots against the place in the list, which begins at 0; the least sum of m dice is m"
        item = f"where the curve of m = {dice} begins on the axis of sums"
        yield judged(figure(DICE_WARS, "Plots", item), Fraction(dice), "", wrong)


def csv_tables(odds: dict[str, Odds]) -> Iterator[tuple[str, list[list[Number]]]]:
    """Counts with probabilities, and the odds of all battles as decimals and as fractions."""
    headings: list[Number] = ["dice", "sum", "count", "probability", "fraction"]
    rows: list[list[Number]] = [headings]
    for dice in range(1, MOST_DICE + 1):
        for total, count in enumerate(total_counts(dice, SIDES), start=dice):
            share = Fraction(count, SIDES**dice)
            rows.append([dice, total, count, float(share), str(share)])
    yield "sums", rows
    for name, table in odds.items():
        kinds: dict[str, Callable[[Fraction], Number]] = {name: float, f"{name}_fractions": str}
        for file, shown in kinds.items():
            head: list[Number] = ["dice", *range(1, MOST_DICE + 1)]
            yield file, [head, *([m, *map(shown, row)] for m, row in enumerate(table, start=1))]


# -- time ----------------------------------------------------------------------------------------------


def ways_by_recursion(dice: int, total: int) -> int:
    """f_k(n) as the post defines it: the last die shows each face in turn, nothing is remembered."""
    if total < dice:
        return 0
    if dice == 1:
        return int(total <= SIDES)
    return sum(ways_by_recursion(dice - 1, total - face) for face in range(1, SIDES + 1))


def ties_by_recursion(m: int, k: int) -> Fraction:
    """The chance of a tie as the post adds it up, every count anew."""
    totals = range(max(m, k), SIDES * min(m, k) + 1)
    ways = sum(ways_by_recursion(m, total) * ways_by_recursion(k, total) for total in totals)
    return Fraction(ways, SIDES ** (m + k))


def timing_row() -> tuple[Row, bool]:
    """The 6 x 6 tie table by the post's recursion and by ours, one after the other; and whether they are equal."""
    numbers = range(1, PRINTED + 1)
    start = time.perf_counter()
    slow = [[ties_by_recursion(m, k) for k in numbers] for m in numbers]
    middle = time.perf_counter()
    total_counts.cache_clear()
    battle_outcomes.cache_clear()
    fast = odds_table("tie", PRINTED)
    end = time.perf_counter()
    theirs, ours = middle - start, end - middle
    source = figure(DICE_WARS, "Probability of tie", "seconds for the tie table")
    reason = (
        f"this run: {theirs:.3f} s by plain recursion, {1000 * ours:.2f} ms here, {theirs / ours:.0f} times as fast; "
        f"the post's {float(source.value)} s are another machine's and not compared"
    )
    return Row(source.place, source.item, None, ours, None, Verdict.NEW, reason), slow == fast


# -- the game of stacks -----------------------------------------------------------------------------------


def stack_rows(progress: Progress | None) -> tuple[list[Row], dict[str, bool]]:
    """Value and equilibrium of the game of stacks, for both payoffs and two pairs of hands."""
    usual = tuple(range(1, PRINTED + 1))
    rows: list[Row] = []
    checks: dict[str, bool] = {}
    for payoff in ("margin", "win"):
        for name, other in (("1..6 v. 1..6", usual), ("1..6 v. 3,3,3,4,4,4", EVEN_STACKS)):
            game = DiceWars(hand_0=usual, hand_1=other, payoff=payoff)
            solution = cast(StateSolution, solve(game, exact=True, progress=progress))
            check = check_uniform_play(solution, full_graph(solution.game).states)
            rows += _stack_values(f"{name} stacks, {payoff}", solution, check.states, check.deviation)
            checks[f"{name}, {payoff}: uniform play is optimal at every state"] = check.optimal
            if payoff == "margin":
                closed = Fraction(sum(_odds(a, b, 1) - _odds(b, a, 1) for a in usual for b in other), len(usual))
                checks[f"{name}: the value is 6 times the mean over all pairs"] = solution.exact == closed
    return rows, checks


def _stack_values(name: str, solution: StateSolution, states: int, deviation: Fraction) -> Iterator[Row]:
    value, place = float(solution.value), "Game of stacks"
    reason = "payoff points to the first; uniform play by either fixes it"
    yield Row(place, f"{name}: value", None, value, None, Verdict.NEW, reason)
    reason = f"{states:,} states, in rationals: 0 means that uniform play is an equilibrium"
    yield Row(place, f"{name}: most a card gains on uniform", None, str(deviation), None, Verdict.NEW, reason)
    if name.endswith("win"):
        result = head_to_head(solution.game, "uniform", "uniform")
        for word in ("win", "loss", "tie"):
            reason = "if either plays uniformly, whatever the other does"
            yield Row(place, f"{name}: P({word})", None, getattr(result, word), None, Verdict.NEW, reason)


# -- pictures ------------------------------------------------------------------------------------------------


def draw_sums() -> Figure:
    """The post's two plots, with the sums themselves on the axis."""
    drawing = new_figure(11.0, 4.5)
    for axes, label in zip(drawing.subplots(1, 2), ("count (rolls)", "probability"), strict=True):
        for dice in range(1, PLOTTED + 1):
            counts = total_counts(dice, SIDES)
            whole = 1 if label.startswith("count") else SIDES**dice
            sums = range(dice, SIDES * dice + 1)
            axes.plot(sums, [count / whole for count in counts], marker="o", markersize=4, label=f"m = {dice}")
        axes.set_xlabel("sum of m dice (pips)")
        axes.set_ylabel(label)
        axes.set_xticks(range(0, SIDES * PLOTTED + 1, 2))
        axes.set_ylim(bottom=0)
        axes.grid(True, alpha=0.25)
        axes.legend(title="dice")
    drawing.suptitle("Sums of m six-sided dice")
    return drawing


def draw_odds(name: str, odds: Odds, most: int) -> Figure:
    """A table of odds as a heat map, in per cent, for 1..most dice."""
    small = most <= PRINTED
    drawing = new_figure(7.0, 6.0) if small else new_figure(11.0, 9.5)
    shown = [row[:most] for row in odds[:most]]
    digits = 2 if small else 0 if name == "win" else 1
    HeatMap(
        title=f"Dice Wars: how likely m dice {'win against' if name == 'win' else 'tie with'} k dice",
        row_label="m, dice of the player",
        column_label="k, dice of the other",
        bar_label=f"P({name}) (%)",
        values=[[100 * float(share) for share in row] for row in shown],
        names=[str(dice) for dice in range(1, most + 1)],
        limits=(0.0, 100.0 if name == "win" else 100 * float(max(map(max, shown)))),
        colours="RdBu" if name == "win" else "viridis",
        cells=[[per_cent(share, digits) for share in row] for row in shown],
    ).draw(drawing.subplots(), text_size=11.0 if small else 7.5)
    return drawing


def per_cent(share: Fraction, digits: int) -> str:
    """In so many digits, but 0 and 100 only where it is exactly that."""
    if share in (0, 1):
        return f"{100 * int(share)}"
    unit = Fraction(1, 10**digits)
    if 100 * share < unit / 2:
        return f"<{float(unit):.{digits}f}"
    if 100 * (1 - share) < unit / 2:
        return f">{float(100 - unit):.{digits}f}"
    return f"{100 * float(share):.{digits}f}"
