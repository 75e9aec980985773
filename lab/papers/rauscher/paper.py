"""D. Rauscher, "538 Riddler: Dice Poker" (2017): pure strategies, the mixed equilibrium, other dice and raises.

The grid of pure strategies is summed over all pairs of rolls. The equilibrium comes from one linear program over
behaviour strategies, in rationals. The source's own linear program over the 64 pure strategies, also solved in
rationals, confirms it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import partial
from typing import cast

import numpy as np

from baselines.matrix_game import solve_matrix_exact
from baselines.oracles.answers.protocol import Progress
from baselines.oracles.answers.results import PrivateSolution
from baselines.oracles.bayesian.solver import optimal_range
from baselines.solving import solve
from cardwar_envs.games.dice_poker import CALL, RAISE, DicePoker
from lab.papers.findings import Finding, Number, Reproduction, Verdict, compare, judge, new
from lab.papers.printed import Published
from lab.papers.rauscher import PAPER
from lab.papers.rauscher import many_sides as dice
from lab.papers.rauscher.plan_grid import Grid, draw_grid, grid_table, in_words, make_grid

GAME = DicePoker()
TEXT, OUTPUT, EQUILIBRIUM, BEYOND = "Text", "Output, replies", "Output, equilibrium", "Beyond"
SEATS = ("A", "B")
# Tolerance between the value with 1000 sides and its limit, points: the difference shrinks with sides squared.
NEAR_LIMIT = 1e-5
REPLY = re.compile(r"reply (\d) of ([AB]) to the other's most used, roll (\d)")

printed = PAPER.figure


def reproduce(progress: Progress | None = None) -> Reproduction:
    """Recomputes and judges the source's figures, and extends them to other dice and raises."""
    grid, solution = make_grid(GAME), cast(PrivateSolution, solve(GAME, exact=True))
    points, few, many = dice.by_sides(progress), dice.by_raise(dice.FEW), dice.by_raise(dice.MANY)
    limits = [dice.solved_point(dice.MOST_SIDES, float(size)) for size in dice.LIMIT_RAISES]
    every = [*points, *few, *many, *limits]
    # The source's way: a matrix game between pure strategies.
    pure_value = solve_matrix_exact([[int(total) for total in row] for row in grid.sums]).value / grid.deals
    return Reproduction(
        findings=(
            *grid_findings(grid),
            *reply_findings(grid),
            *equilibrium_findings(solution),
            *beyond_findings(points, few, limits),
        ),
        checks={
            "the program over 64 pure strategies has the same value, in rationals": pure_value == solution.exact,
            "no reply gains anything on the equilibrium, in rationals": all(
                conceded(seat, own_strategy(solution, seat)) == solution.exact for seat in (0, 1)
            ),
            "every value beyond is certified to 1e-9": all(p.gap <= 1e-9 for p in every),
            "with 1000 sides the value is that of the continuous game to 1e-5, for 4 raises": all(
                abs(p.value - p.limits[0]) <= NEAR_LIMIT for p in limits
            ),
        },
        tables={
            "grid": grid_table(grid),
            "sides": dice.points_table(points),
            "raises": dice.points_table([*few, *many, *limits]),
        },
        pictures={
            "grid": partial(draw_grid, grid),
            "sides": partial(dice.draw_sides, points),
            "raises": partial(dice.draw_raises, few, many),
        },
    )


def grid_findings(grid: Grid) -> Iterator[Finding]:
    """Judges the size of the grid, its saddle points, and the most used strategies."""
    (for_a, columns), (for_b, rows) = (grid.most_used(seat) for seat in (0, 1))
    always, two_up = for_a[0], for_b[0]
    saddles = Fraction(int((grid.best[0] & grid.best[1]).sum()))
    yield judge(printed(TEXT, "pure strategies of each player"), Fraction(len(grid.plans)))
    yield judge(printed("Output", "pure equilibria"), saddles)
    reason = f"best against {columns} of 64, more than any other"
    yield judge(printed("Output", "A's most used strategy is always to raise"), for_a == ((1,) * 6,), reason)
    reason = f"best against {rows} of 64, more than any other"
    claim = printed("Output", "B's most used strategy is to call with 2 or more")
    yield judge(claim, for_b == ((0, 1, 1, 1, 1, 1),), reason)
    yield judge(printed(TEXT, "numbers in the tuple for always raising"), Fraction(len(always)))
    worth = -grid.worth(always, grid.replies(1, always)[0])
    yield judge(printed(TEXT, "worth to B of its reply to always raising"), worth)
    worth = grid.worth(grid.replies(0, two_up)[0], two_up)
    yield judge(printed(TEXT, "worth to A of its reply to calling with 2 or more"), worth)
    reason = "ties counted; the output has it, but does not print it"
    for who, plan, count, other in (("A", always, columns, "B"), ("B", two_up, rows, "A")):
        item = f"how many of {other}'s 64 strategies {in_words(plan)} is best against, for {who}"
        yield new("Output", item, count, reason)


def reply_findings(grid: Grid) -> Iterator[Finding]:
    """Judges the two best replies to each of the two most used strategies, roll by roll."""
    replies = {who: sorted(grid.replies(seat, grid.most_used(1 - seat)[0][0])) for seat, who in enumerate(SEATS)}
    for each in PAPER.at(OUTPUT):
        if found := REPLY.fullmatch(each.item):
            reply = replies[found[2]][int(found[1]) - 1]
            yield judge(each, Fraction(reply[int(found[3]) - 1]), "1: raise or call, 0: check or fold")
        else:
            yield judge(each, Fraction(len(replies[each.item[-1]])), "and no other pure reply is as good")


def printed_strategy(seat: int) -> list[Fraction]:
    """Returns the printed probabilities that A (0) raises or B (1) calls, by roll, as the sixths that they round."""
    figures = [printed(EQUILIBRIUM, f"{SEATS[seat]}, roll {roll}") for roll in range(1, 7)]
    return [Fraction(float(each.value)).limit_denominator(6) for each in figures]


def own_strategy(solution: PrivateSolution, seat: int) -> list[Fraction]:
    """Returns the probabilities with which A (0) raises or B (1) calls in our equilibrium, by roll."""
    assert solution.exact_behaviour is not None  # the game is small
    return [often for _, often in solution.exact_behaviour[seat]]


def conceded(seat: int, chances: Sequence[Fraction]) -> Fraction:
    """Returns A's payoff against a best response if the player in `seat` raises or calls with these probabilities."""
    payoffs = GAME.bayesian_form().payoffs.astype(np.int64).astype(object)  # integers, so sums are exact
    mixed = np.array([[1 - chance, chance] for chance in chances], dtype=object)
    worth = np.tensordot(mixed, payoffs, axes=((0, 1), (seat, 2 + seat)))  # [roll of the other, its action]
    replied = worth.min(axis=1) if seat == 0 else worth.max(axis=1)
    return Fraction(replied.sum()) / GAME.sides**2


def equilibrium_findings(solution: PrivateSolution) -> Iterator[Finding]:
    """Judges the value and both printed strategies: their range over optimal play, and what they concede."""
    assert solution.exact is not None  # requested
    for place in (TEXT, "Output"):
        claim = printed(place, "worth of the equilibrium to A")
        yield judge(claim, float(solution.exact), f"exactly {solution.exact}")
    for seat, who in enumerate(SEATS):
        least, greatest = (bound[:, RAISE if seat == 0 else CALL] for bound in optimal_range(GAME, seat))
        for roll, ours in enumerate(solution.behaviour[seat][:, 1]):
            span = (least[roll], greatest[roll])
            yield probability(printed(EQUILIBRIUM, f"{who}, roll {roll + 1}"), float(ours), span)
    for seat, who in enumerate(SEATS):
        gain = abs(conceded(seat, printed_strategy(seat)) - solution.exact)
        words = ", ".join(map(str, printed_strategy(seat)))
        reason = f"({words}) is optimal: 0, in rationals" if gain == 0 else f"({words}) is not optimal"
        yield new(EQUILIBRIUM, f"what the best reply gains on {who}'s printed strategy", gain, reason)


def probability(chance: Published, ours: float, span: tuple[Fraction, Fraction]) -> Finding:
    """Judges one printed probability: forced, free, or impossible."""
    least, greatest = span
    if least == greatest:
        verdict = Verdict.AGREES if chance.agrees(ours) else Verdict.WRONG
        return compare(chance, ours, verdict, "all optimal strategies have this")
    verdict = Verdict.FREE if least - chance.tolerance <= chance.value <= greatest + chance.tolerance else Verdict.WRONG
    reason = "one of many optimal strategies; the range is over all of them"
    return compare(chance, ours, verdict, reason, (float(least), float(greatest)))


def beyond_findings(
    points: Sequence[dice.Point], few: Sequence[dice.Point], limits: Sequence[dice.Point]
) -> Iterator[Finding]:
    """Values for other dice and raises, and their limits."""
    for point in points:
        if point.sides in (2, 3, 4, 10, dice.MANY, dice.MOST_SIDES):
            shown: Number | Fraction = point.value if point.exact is None else point.exact
            reason = f"points to A, ante 1, raise 1; bluffs {point.bluffs:.4f}"
            yield new(BEYOND, f"{point.sides} sides: value", shown, reason)
    most = max(point.value for point in points)
    tenth = all((abs(p.value - most) <= 1e-9) == (p.sides % 10 == 0) for p in points)
    reason = "of all dice solved, 2..1000 sides; reached by multiples of 10" + (" and by no others" if tenth else "")
    yield new(BEYOND, "greatest value for any dice, raise 1", most, reason)
    for point in limits:
        size = Fraction(point.raise_size)
        value, bluffs = dice.continuous_value(size), dice.continuous_bluffs(size)
        reason = f"1000 sides: {point.value:.7f}; A bluffs {bluffs} of the time, 1000 sides: {point.bluffs:.4f}"
        yield new(BEYOND, f"continuous game, raise {size}: value", value, reason)
    best = max(few, key=lambda point: point.value)
    reason = f"of those plotted, with 6 sides: {best.value:.4f}; the continuous game's best is 2, the pot: 1/9"
    yield new(BEYOND, "raise that is worth most to A", best.raise_size, reason)
