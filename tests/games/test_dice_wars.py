"""Odds of battles between stacks of dice, exactly."""

from fractions import Fraction
from itertools import product

from brute_force import certain
from thinning import each_row

from cardwar_envs import DuelState, make_game
from cardwar_envs.games.dice_wars import battle_outcomes, total_counts

# "Dice Wars game", the two tables: row m, column k is for m dice against k dice.
PUBLISHED_TIES = """
0.166667 0.069444 0.015432 0.001929 0.000129 0.000004
0.069444 0.112654 0.069444 0.024884 0.005955 0.001017
0.015432 0.069444 0.092850 0.065469 0.029940 0.009822
0.001929 0.024884 0.065469 0.080944 0.061479 0.032624
0.000129 0.005955 0.029940 0.061479 0.072693 0.057935
0.000004 0.001017 0.009822 0.032624 0.057935 0.066539
"""
PUBLISHED_WINS = """
0.416667 0.092593 0.011574 0.000772 0.000021 0.000000
0.837963 0.443673 0.152006 0.035880 0.006105 0.000766
0.972994 0.778549 0.453575 0.191701 0.060713 0.014879
0.997299 0.939236 0.742831 0.459528 0.220442 0.083423
0.999850 0.987940 0.909347 0.718078 0.463654 0.242449
0.999996 0.998217 0.975300 0.883953 0.699616 0.466731
"""


def odds(first, second, sides=6):
    """(win, tie, loss) of the first stack."""
    table = {winner: probability for probability, winner in battle_outcomes(first, second, sides)}
    return tuple(table.get(winner, Fraction(0)) for winner in (1, 0, -1))


def rolled(first, second, sides):
    """The same by listing all rolls."""
    counts = [0, 0, 0]
    for roll in product(range(1, sides + 1), repeat=first + second):
        difference = sum(roll[:first]) - sum(roll[first:])
        counts[0 if difference > 0 else 1 if difference == 0 else 2] += 1
    return tuple(Fraction(count, sides ** (first + second)) for count in counts)


@each_row(("published", "which"), [(PUBLISHED_WINS, 0), (PUBLISHED_TIES, 1)])
def test_the_published_tables_to_all_their_digits(published, which):
    rows = [line.split() for line in published.split("\n") if line]
    ours = [[f"{float(odds(m, k)[which]):.6f}" for k in range(1, 7)] for m in range(1, 7)]
    assert ours == rows


def test_chances_that_the_source_rounds():
    assert odds(1, 2)[0] == Fraction(5, 54)
    assert odds(1, 6)[0] == 0
    assert odds(1, 6)[1] == Fraction(1, 6**7)  # a six against six ones
    assert [winner for _, winner in battle_outcomes(1, 6, 6)] == [0, -1]  # what cannot be is not listed
    assert [winner for _, winner in battle_outcomes(1, 7, 6)] == [-1]


# Stacks and sides whose rolls can be listed.
FEW_ROLLS = [
    (first, second, sides)
    for sides in (1, 2, 3, 4, 6)
    for first, second in product(range(1, 5), repeat=2)
    if sides ** (first + second) <= 5000
]


@each_row(("first", "second", "sides"), FEW_ROLLS)
def test_odds_are_those_of_all_rolls(first, second, sides):
    assert odds(first, second, sides) == rolled(first, second, sides)


@each_row("sides", [1, 2, 20, 1000])
@each_row(("first", "second"), [(1, 1), (1, 2), (3, 2), (6, 6), (2, 5)])
def test_odds_sum_to_exactly_one_and_turn_with_the_seats(first, second, sides):
    outcomes = battle_outcomes(first, second, sides)
    assert certain(probability for probability, _ in outcomes)
    assert all(0 < probability <= 1 for probability, _ in outcomes)
    assert odds(first, second, sides) == odds(second, first, sides)[::-1]


@each_row(("dice", "sides"), [(1, 6), (2, 6), (5, 6), (3, 1), (4, 20)])
def test_totals_count_every_roll_once(dice, sides):
    counts = total_counts(dice, sides)
    assert len(counts) == dice * (sides - 1) + 1
    assert sum(counts) == sides**dice
    assert counts == counts[::-1]


def test_a_battle_moves_the_score_by_who_won():
    game = make_game("dice_wars", hand_0=(1, 2), hand_1=(1, 2))
    outcomes = game.transitions(DuelState(((1, 2), (1, 2))), {0: 0, 1: 1})  # one die against two
    assert [tuple(t) for t in outcomes] == [
        (Fraction(5, 54), DuelState(((2,), (1,)), 1), (1.0, -1.0)),
        (Fraction(5, 72), DuelState(((2,), (1,)), 0), (0.0, -0.0)),  # printed as 0.069444
        (Fraction(181, 216), DuelState(((2,), (1,)), -1), (-1.0, 1.0)),  # printed as 0.837963
    ]


def test_tied_battles_can_be_carried():
    game = make_game("dice_wars", num_cards=2, ties="carry", sides=2)
    outcomes = game.transitions(DuelState(((1, 2), (1, 2))), {0: 0, 1: 0})
    tie = next(t for t in outcomes if t.state.ties)
    assert tie == (Fraction(1, 2), DuelState(((2,), (2,)), 0, 1), (0.0, 0.0))
    after = game.transitions(tie.state, {0: 1, 1: 1})
    assert {(t.state.score, t.state.ties, t.rewards[0]) for t in after} == {(2, 0, 2), (0, 2, 0), (-2, 0, -2)}
