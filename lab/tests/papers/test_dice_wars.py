"""Dice Wars, recomputed: both tables to all digits, and the game of stacks."""

from dataclasses import replace
from fractions import Fraction
from itertools import product

import pytest
from thinning import each_row

from cardwar_envs.games.dice_wars import DiceWars
from lab.papers.dice_wars import PAPER
from lab.papers.dice_wars import paper as dice_wars
from lab.papers.findings import Verdict


@pytest.fixture(scope="module")
def odds():
    return {name: dice_wars.odds_table(name, 20) for name in ("win", "tie")}


@pytest.fixture
def no_stacks(monkeypatch):
    """Leaves the game of stacks out, which takes most of the time."""
    monkeypatch.setattr(dice_wars, "stack_findings", lambda progress: ([], {}))


def test_both_tables_agree_to_all_digits_and_one_die_never_beats_six(odds):
    rows = {row.item: row for row in dice_wars.table_findings(PAPER.figures.values(), odds)}
    assert len(rows) == 72
    assert {row.verdict for row in rows.values()} == {Verdict.AGREES}
    assert odds["win"][0][5] == 0
    assert rows["1 v. 6 dice, win"].reason.startswith("exactly 0")
    assert rows["1 v. 2 dice, win"].reason == "exactly 5/54"
    # One die shows 6 and six dice six ones: no other tie.
    assert odds["tie"][0][5] == Fraction(1, 6**7)


@each_row("change", [1e-6, -1e-6])
def test_a_changed_digit_is_found_wrong(odds, change):
    first, *others = PAPER.at("win table")
    rows = list(dice_wars.table_findings([replace(first, value=first.value + change), *others], odds))
    assert [row.verdict for row in rows[:2]] == [Verdict.WRONG, Verdict.AGREES]


@each_row(("m", "k"), [(1, 1), (1, 2), (2, 1), (2, 2), (3, 2), (1, 4)])
def test_odds_by_listing_all_rolls(odds, m, k):
    rolls = [(sum(roll[:m]), sum(roll[m:])) for roll in product(range(1, 7), repeat=m + k)]
    assert odds["win"][m - 1][k - 1] == Fraction(sum(a > b for a, b in rolls), len(rolls))
    assert odds["tie"][m - 1][k - 1] == Fraction(sum(a == b for a, b in rolls), len(rolls))


def test_the_plots_of_the_source_begin_in_the_wrong_place():
    rows = [row for row in dice_wars.count_findings() if row.place == "Plots"]
    assert [(row.published, row.computed) for row in rows] == [("0", "1"), ("0", "2"), ("0", "3"), ("0", "4")]
    assert {row.verdict for row in rows} == {Verdict.WRONG}


def test_the_report_is_sound(no_stacks):
    report = dice_wars.reproduce()
    assert report.sound
    assert all(report.checks.values())
    (timing,) = (row for row in report.findings if row.place == "Probability of tie")
    assert "2.29 s" in timing.reason  # the source's own, on its machine
    assert timing.published is None


def test_a_fault_of_our_own_is_not_sound(no_stacks, monkeypatch):
    monkeypatch.setattr(dice_wars, "ties_by_recursion", lambda m, k: Fraction(1, 6))
    assert not dice_wars.reproduce().sound


def test_stacks_of_two_dice_by_hand(monkeypatch):
    # {1, 2} v. {1, 2}: alike, so 0; every card earns 0 against uniform play.
    monkeypatch.setattr(dice_wars, "PRINTED", 2)
    monkeypatch.setattr(dice_wars, "EVEN_STACKS", (2, 2))
    rows, checks = dice_wars.stack_findings(None)
    assert all(checks.values())
    values = {row.item: row.computed for row in rows}
    assert values["1..6 v. 1..6 stacks, margin: value"] == 0
    # One die wins 5/54 against two and ties 5/72, two tie two with 73/648: {1, 2} v. {2, 2}.
    lead = Fraction(5, 54) - (1 - Fraction(5, 54) - Fraction(5, 72))
    assert values["1..6 v. 3,3,3,4,4,4 stacks, margin: value"] == pytest.approx(float(lead))
    assert DiceWars().num_cards == 6


def test_percentages_are_exact_only_where_it_is_so():
    assert dice_wars.per_cent(Fraction(0), 0) == "0"
    assert dice_wars.per_cent(Fraction(1), 2) == "100"
    assert dice_wars.per_cent(Fraction(1, 10**6), 1) == "<0.1"
    assert dice_wars.per_cent(1 - Fraction(1, 10**6), 0) == ">99"
    assert dice_wars.per_cent(Fraction(5, 12), 2) == "41.67"
