"""D. Rauscher, "538 Riddler: Dice Poker" (2017): pure strategies, the mixed equilibrium, and what lies beyond.

The grid is summed over all pairs of rolls, the equilibrium comes from one program over behaviour
strategies in rationals, and the source's own program over the 64 pure strategies, in rationals as
well, is the check.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import partial
from typing import cast

from baselines.bayesian import optimal_range
from baselines.matrix_game import solve_matrix_exact
from baselines.oracle import Progress
from baselines.published import RAUSCHER, Published, figure, published
from baselines.reproduction.rauscher import many_sides as dice
from baselines.reproduction.rauscher.plan_grid import Grid, Plan, draw_grid, grid_table, in_words, make_grid
from baselines.reproduction.report import Number, Picture, Report, Row, Verdict, judged, within_digits
from baselines.results import PrivateSolution
from baselines.solution import solve
from cardwar_envs.core.forms import BayesianForm
from cardwar_envs.games.dice_poker import DicePoker
from cardwar_envs.games.dice_poker.rules import CALL, RAISE

GAME = DicePoker()
TEXT, OUTPUT, EQUILIBRIUM, BEYOND = "Text", "Output, replies", "Output, equilibrium", "Beyond"
SEATS = ("A", "B")
# Half a unit of the last digit that `optimal_range` is good for.
RANGE_DIGITS = 1e-6
# How far the value with 1000 sides may be from its limit, points: the difference shrinks with sides squared.
NEAR_LIMIT = 1e-5
REPLY = re.compile(r"reply (\d) of ([AB]) to the other's most used, roll (\d)")


def reproduce(progress: Progress | None = None) -> Report:
    """Recomputes the source's figures, judges them, and goes on to other dice and raises.

    Args:
        progress: Called now and then with the number of information states solved.
    """
    grid, solution = make_grid(GAME), cast(PrivateSolution, solve(GAME, exact=True))
    points, few, many = dice.by_sides(progress), dice.by_raise(dice.FEW), dice.by_raise(dice.MANY)
    limits = [dice.solved_point(dice.MOST_SIDES, float(size)) for size in dice.LIMIT_RAISES]
    checks = {
        "the program over 64 pure strategies has the same value, in rationals": program_of_the_source(grid)
        == solution.exact,
        "no reply gains anything on the equilibrium, in rationals": all(
            conceded(seat, own_strategy(solution, seat)) == solution.exact for seat in (0, 1)
        ),
        "every value beyond is certified to 1e-9": all(p.gap <= 1e-9 for p in (*points, *few, *many, *limits)),
        "with 1000 sides the value is that of the continuous game to 1e-5, for 4 raises": all(map(near_limit, limits)),
    }
    return Report(
        rows=(
            *grid_rows(grid),
            *reply_rows(grid),
            *equilibrium_rows(solution),
            *beyond_rows(points, few, limits),
        ),
        sound=all(checks.values()),
        pictures=(
            Picture("grid", partial(draw_grid, grid)),
            Picture("sides", partial(dice.draw_sides, points)),
            Picture("raises", partial(dice.draw_raises, few, many)),
        ),
        tables={
            "grid": list(grid_table(grid)),
            "sides": list(dice.points_table(points)),
            "raises": list(dice.points_table([*few, *many, *limits])),
        },
        checks=checks,
    )


def program_of_the_source(grid: Grid) -> Fraction:
    """The value by the source's way: a matrix game between pure strategies."""
    whole = [[int(total) for total in row] for row in grid.sums]
    return solve_matrix_exact(whole).value / grid.deals


# -- the grid -----------------------------------------------------------------------------------------


def grid_rows(grid: Grid) -> Iterator[Row]:
    """The size of the grid, its saddle points, and the most used strategies."""
    (always, *more_a), columns = grid.most_used_by_a()
    (two_up, *more_b), rows = grid.most_used_by_b()
    saddles = Fraction(int((grid.best_for_a & grid.best_for_b).sum()))
    yield judged(figure(RAUSCHER, TEXT, "pure strategies of each player"), Fraction(len(grid.plans)), "2^6")
    yield judged(
        figure(RAUSCHER, "Output", "pure equilibria"), saddles, "no cell is greatest of its column and least of its row"
    )
    yield _claim("A's most used strategy is always to raise", (always, *more_a), ((1,) * 6,), columns)
    yield _claim("B's most used strategy is to call with 2 or more", (two_up, *more_b), ((0, 1, 1, 1, 1, 1),), rows)
    numbers = figure(RAUSCHER, TEXT, "numbers in the tuple for always raising")
    yield judged(numbers, Fraction(len(always)), "", "a slip of the text; its output has all six")
    worth_a, worth_b = _worth_of_replies(grid)
    reason = "of 36 equally likely pairs of rolls"
    yield judged(figure(RAUSCHER, TEXT, "worth to B of its reply to always raising"), worth_b, f"4/36, {reason}")
    yield judged(
        figure(RAUSCHER, TEXT, "worth to A of its reply to calling with 2 or more"), worth_a, f"6/36, {reason}"
    )
    for who, plan, count, other in (("A", always, columns, "B"), ("B", two_up, rows, "A")):
        item = f"how many of {other}'s 64 strategies {in_words(plan)} is best against, for {who}"
        yield Row(
            "Output", item, None, count, None, Verdict.NEW, "ties counted; the output has it, but does not print it"
        )


def _claim(item: str, found: tuple[Plan, ...], said: tuple[Plan, ...], count: int) -> Row:
    return judged(figure(RAUSCHER, "Output", item), found == said, f"best against {count} of 64, more than any other")


def _worth_of_replies(grid: Grid) -> tuple[Fraction, Fraction]:
    """To A of its replies to B's most used strategy; to B of its replies to A's."""
    a, b = grid.most_used_by_a()[0][0], grid.most_used_by_b()[0][0]
    return grid.worth(grid.replies_of_a(b)[0], b), -grid.worth(a, grid.replies_of_b(a)[0])


def reply_rows(grid: Grid) -> Iterator[Row]:
    """The two best replies to each of the two most used strategies, roll by roll as they are printed."""
    a, b = grid.most_used_by_a()[0][0], grid.most_used_by_b()[0][0]
    replies = {"A": sorted(grid.replies_of_a(b)), "B": sorted(grid.replies_of_b(a))}
    for each in published(RAUSCHER, OUTPUT):
        found = REPLY.fullmatch(each.item)
        if found is None:
            count = Fraction(len(replies[each.item[-1]]))
            yield judged(each, count, "and no other pure reply is as good")
            continue
        number, who, roll = int(found[1]), found[2], int(found[3])
        yield judged(each, Fraction(replies[who][number - 1][roll - 1]), "1: raise or call, 0: check or fold")


# -- the equilibrium --------------------------------------------------------------------------------------


def printed_strategy(seat: int) -> list[Fraction]:
    """How often A (0) raises or B (1) calls with each roll, as printed; 7 digits stand for sixths here."""
    figures = [figure(RAUSCHER, EQUILIBRIUM, f"{SEATS[seat]}, roll {roll}") for roll in range(1, 7)]
    return [Fraction(float(each.value)).limit_denominator(6) for each in figures]


def own_strategy(solution: PrivateSolution, seat: int) -> list[Fraction]:
    """How often A (0) raises or B (1) calls with each roll in our equilibrium, whose floats are rounded sixths."""
    return [Fraction(float(row[1])).limit_denominator(1000) for row in solution.behaviour[seat]]


def conceded(seat: int, chances: Sequence[Fraction]) -> Fraction:
    """What A wins if the player in `seat` raises or calls that often and the other replies as well as can be."""
    form = GAME.bayesian_form()
    total = Fraction(0)
    for own in range(GAME.sides):
        worth = [
            sum(
                (share * Fraction(float(paid)) for share, paid in _met(form, seat, own, action, chances)),
                Fraction(0),
            )
            for action in (0, 1)
        ]
        total += (min if seat == 0 else max)(worth)
    return total / GAME.sides**2


def _met(
    form: BayesianForm, seat: int, own: int, action: int, chances: Sequence[Fraction]
) -> Iterator[tuple[Fraction, float]]:
    """What meets the replying player's roll and action: how often, and what A is paid."""
    for other, chance in enumerate(chances):
        for does, share in ((0, 1 - chance), (1, chance)):
            place = (other, own, does, action) if seat == 0 else (own, other, action, does)
            yield share, form.payoffs[place]


def equilibrium_rows(solution: PrivateSolution) -> Iterator[Row]:
    """The value, both printed strategies against the range of all optimal ones, and what they concede."""
    assert solution.exact is not None  # asked for
    for place in (TEXT, "Output"):
        printed = figure(RAUSCHER, place, "worth of the equilibrium to A")
        yield judged(printed, float(solution.exact), f"exactly {solution.exact}")
    for seat, who in enumerate(SEATS):
        least, greatest = (bound[:, RAISE if seat == 0 else CALL] for bound in optimal_range(GAME, seat))
        for roll in range(1, GAME.sides + 1):
            printed = figure(RAUSCHER, EQUILIBRIUM, f"{who}, roll {roll}")
            ours = float(solution.behaviour[seat][roll - 1, 1])
            yield probability_row(printed, ours, (float(least[roll - 1]), float(greatest[roll - 1])))
    for seat, who in enumerate(SEATS):
        worth = conceded(seat, printed_strategy(seat))
        gain = abs(worth - solution.exact)
        words = ", ".join(map(str, printed_strategy(seat)))
        reason = f"({words}) is optimal: 0, in rationals" if gain == 0 else f"({words}) is not optimal"
        item = f"what the best reply gains on {who}'s printed strategy"
        yield Row(EQUILIBRIUM, item, None, str(gain), None, Verdict.NEW, reason)


def probability_row(printed: Published, ours: float, span: tuple[float, float]) -> Row:
    """One printed probability: forced, free, or impossible."""
    value, slack = float(printed.value), printed.tolerance + RANGE_DIGITS
    least, greatest = (round(bound, 6) + 0.0 for bound in span)
    if greatest - least <= RANGE_DIGITS:
        verdict = Verdict.AGREES if within_digits(value, ours, slack) else Verdict.WRONG
        return Row(printed.place, printed.item, value, ours, None, verdict, "all optimal strategies have this")
    verdict = Verdict.FREE if least - slack <= value <= greatest + slack else Verdict.WRONG
    reason = "one of many optimal strategies; the range is over all of them"
    return Row(printed.place, printed.item, value, ours, (least, greatest), verdict, reason)


# -- other dice and raises ---------------------------------------------------------------------------------


def near_limit(point: dice.Point) -> bool:
    """Whether the value with many sides is that of the continuous game."""
    return abs(point.value - float(dice.continuous_value(Fraction(point.raise_size)))) <= NEAR_LIMIT


def beyond_rows(points: Sequence[dice.Point], few: Sequence[dice.Point], limits: Sequence[dice.Point]) -> Iterator[Row]:
    """Values for other dice and raises, and their limits."""

    def row(item: str, computed: Number, reason: str) -> Row:
        return Row(BEYOND, item, None, computed, None, Verdict.NEW, reason)

    for point in points:
        if point.sides in (2, 3, 4, 10, dice.MANY, dice.MOST_SIDES):
            shown: Number = point.value if point.exact is None else str(point.exact)
            yield row(f"{point.sides} sides: value", shown, f"points to A, ante 1, raise 1; bluffs {point.bluffs:.4f}")
    most = max(point.value for point in points)
    tenth = all((abs(p.value - most) <= 1e-9) == (p.sides % 10 == 0) for p in points)
    reason = "of all dice solved, 2..1000 sides; reached by multiples of 10" + (" and by no others" if tenth else "")
    yield row("greatest value for any dice, raise 1", most, reason)
    for point in limits:
        size = Fraction(point.raise_size)
        value, bluffs = dice.continuous_value(size), dice.continuous_bluffs(size)
        reason = f"1000 sides: {point.value:.7f}; A bluffs {bluffs} of the time, 1000 sides: {point.bluffs:.4f}"
        yield row(f"continuous game, raise {size}: value", str(value), reason)
    best = max(few, key=lambda point: point.value)
    reason = f"of those plotted, with 6 sides: {best.value:.4f}; the continuous game's best is 2, the pot: 1/9"
    yield row("raise that is worth most to A", best.raise_size, reason)
