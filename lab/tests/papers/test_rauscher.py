"""Rauscher 2017 recomputed: the grid, the equilibrium, and the continuous game."""

from dataclasses import replace
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from thinning import each_row

from baselines import solve
from lab.papers.findings import Verdict
from lab.papers.rauscher import PAPER, many_sides, paper
from lab.papers.rauscher.many_sides import Point, continuous_bluffs, continuous_value, solved_point
from lab.papers.rauscher.plan_grid import draw_grid, grid_table, make_grid


@pytest.fixture(scope="module")
def grid():
    return make_grid(paper.GAME)


@pytest.fixture(scope="module")
def few_dice():
    """Leaves most of the dice out, which take most of the time, and solves the others once."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(many_sides, "SIDES", (2, 3, 6, 10, 20))
        patch.setattr(many_sides, "RAISES", (0.5, 1.0, 2.0))
        patch.setattr(many_sides, "MANY", 20)
        patch.setattr(many_sides, "MOST_SIDES", 300)
        patch.setattr(many_sides, "solved_point", cache(solved_point))
        yield


def winnings(a, b):
    """The source's formula, roll by roll."""
    total = 0
    for i in range(6):
        for j in range(6):
            higher = (i > j) - (i < j)
            total += (1 - a[i]) * higher + a[i] * (2 * b[j] * higher + (1 - b[j]))
    return Fraction(total, 36)


def test_the_grid_is_the_formula(grid):
    assert len(grid.plans) == len(set(grid.plans)) == 64
    assert grid.plans[:3] == ((0,) * 6, (1, 0, 0, 0, 0, 0), (0, 1, 0, 0, 0, 0))
    rng = np.random.default_rng(1)
    for _ in range(200):
        a, b = (grid.plans[k] for k in rng.integers(64, size=2))
        assert grid.worth(a, b) == winnings(a, b)


def test_most_used_strategies_and_their_replies(grid):
    # Rauscher 2017, the output of its code; 49 of 64
    always, two_up = (1,) * 6, (0, 1, 1, 1, 1, 1)
    assert grid.most_used(0) == ((always,), 49)
    assert grid.most_used(1)[0] == (two_up,)
    assert set(grid.replies(1, always)) == {(0, 0, 1, 1, 1, 1), two_up}
    assert set(grid.replies(0, two_up)) == {(0, 0, 0, 0, 1, 1), (0, 0, 0, 1, 1, 1)}
    assert {grid.worth(always, b) for b in grid.replies(1, always)} == {Fraction(-4, 36)}
    assert {grid.worth(a, two_up) for a in grid.replies(0, two_up)} == {Fraction(6, 36)}


def test_every_printed_figure_is_judged_once(grid):
    solution = solve(paper.GAME, exact=True)
    rows = [*paper.grid_findings(grid), *paper.reply_findings(grid), *paper.equilibrium_findings(solution)]
    judged = [(row.place, row.item) for row in rows if row.verdict is not Verdict.NEW]
    assert sorted(judged) == sorted(PAPER.figures)
    wrong = [row.item for row in rows if row.verdict is Verdict.WRONG]
    assert wrong == ["numbers in the tuple for always raising"]
    free = {row.item: (row.published, row.range) for row in rows if row.verdict is Verdict.FREE}
    assert list(free) == ["B, roll 2", "B, roll 3", "B, roll 4"]
    assert free["B, roll 4"][1] == pytest.approx((1 / 3, 1), abs=1e-6)


def test_printed_strategies_are_optimal_in_rationals():
    assert paper.printed_strategy(0) == [Fraction(2, 3), 0, 0, 0, 1, 1]
    assert paper.printed_strategy(1) == [0, Fraction(1, 2), Fraction(5, 6), Fraction(1, 3), 1, 1]
    assert [paper.conceded(seat, paper.printed_strategy(seat)) for seat in (0, 1)] == [Fraction(5, 54)] * 2
    # Any other is not: A must not bluff with 1 always, B must not call with 4 less than that.
    assert paper.conceded(0, [Fraction(1), 0, 0, 0, 1, 1]) < Fraction(5, 54)
    assert paper.conceded(1, [0, Fraction(1, 2), Fraction(5, 6), Fraction(1, 4), 1, 1]) > Fraction(5, 54)


@pytest.mark.parametrize(
    ("place", "item", "change"),
    [
        ("Output, equilibrium", "A, roll 1", 1e-5),
        ("Output, equilibrium", "B, roll 4", -0.01),
        ("Output", "worth of the equilibrium to A", 1e-8),
    ],
)
def test_a_changed_digit_is_found_wrong(monkeypatch, place, item, change):
    def changed(*asked):
        found = PAPER.figure(*asked)
        return replace(found, value=found.value + change) if asked == (place, item) else found

    monkeypatch.setattr(paper, "printed", changed)
    rows = {(row.place, row.item): row.verdict for row in paper.equilibrium_findings(solve(paper.GAME, exact=True))}
    assert [key for key, verdict in rows.items() if verdict is Verdict.WRONG] == [(place, item)]


def test_von_neumann_s_figures():
    # von Neumann and Morgenstern 1944, chapter 19; ante 1, raise 1: bluff below 1/10, value 1/10
    assert (continuous_value(Fraction(1)), continuous_bluffs(Fraction(1))) == (Fraction(1, 10), Fraction(1, 10))
    for size in (Fraction(1, 4), Fraction(2), Fraction(16), Fraction(7, 3)):
        assert continuous_value(size) == continuous_bluffs(size)
        assert continuous_value(size) <= continuous_value(Fraction(2)) == Fraction(1, 9)
        assert continuous_value(4 / size) == continuous_value(size)  # b and 4/b are worth the same


@each_row("size", [0.25, 1.0, 2.0, 8.0])
def test_dice_of_many_sides_come_near(size):
    point = solved_point(400, size)
    assert point.gap <= 1e-12 * (1 + size)  # the largest payoff
    assert point.value == pytest.approx(float(continuous_value(Fraction(size))), abs=3e-5)
    assert point.bluffs == pytest.approx(float(continuous_bluffs(Fraction(size))), abs=2e-3)


def test_the_report_is_sound(few_dice):
    calls = []
    report = paper.reproduce(calls.append)
    assert report.sound
    assert len(report.checks) == 4
    assert len(calls) == 5
    assert set(report.tables) == {"grid", "sides", "raises"}
    assert report.tables["sides"][3][:4] == [6, 1.0, pytest.approx(5 / 54), "5/54"]
    new = {row.item: row.computed for row in report.findings if row.place == "Beyond"}
    assert (new["3 sides: value"], new["2 sides: value"], new["10 sides: value"]) == ("2/27", "0", "1/10")
    assert new["continuous game, raise 1: value"] == "1/10"


def test_a_fault_of_our_own_is_not_sound(few_dice, monkeypatch):
    monkeypatch.setattr(many_sides, "continuous_value", lambda size: size / 10)
    assert not paper.reproduce().sound


def test_tables_hold_fractions(grid):
    heading, *lines = grid_table(grid)
    assert heading[:3] == ["A \\ B", "000000", "100000"]
    assert len(lines) == 64
    assert lines[-1][0] == "111111"
    assert lines[-1][-1] == "0"  # both always: the higher roll wins two either way
    assert lines[-1][1] == "1"  # always raise against never call


def test_pictures_can_be_read(grid):
    drawing = draw_grid(grid)
    axes, bar = drawing.axes
    assert bar.get_ylabel() == "winnings of A (payoff points)"
    assert [text.get_text() for text in drawing.legends[0].get_texts()][-1] == "saddle point (0 cells)"
    assert len(axes.get_xticklabels()) == len(axes.get_yticklabels()) == 64
    points = [Point(2, 1.0, 0.0, Fraction(0), 0.0, 0.5, 1.0), Point(6, 1.0, 5 / 54, None, 0.0, 1 / 9, 4 / 9)]
    values, bluffs = many_sides.draw_sides(points).axes
    assert values.lines[0].get_ydata()[0] == 0.0
    assert np.isnan(bluffs.lines[0].get_ydata()[0])  # worth nothing: A need not bluff
    assert bluffs.lines[1].get_ydata()[0] == 0.1
    for axes in many_sides.draw_raises(points, points).axes:
        assert [line.get_label() for line in axes.lines] == ["2 sides", "2 sides", "continuous game"]
        assert axes.get_xlabel() == "raise (antes)"
