"""Equilibria: equal to brute force at every state, certified, and those of the papers."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from brute_force import DuelTruth, assert_optimal, can_be, card_odds, dice_odds, reachable, sub_hands
from thinning import each_row
from tiny_games import SWITCHES, UNLIKE_HANDS
from toys import paid_start

import baselines
from baselines.oracles.state_graph.backward_induction import EquilibriumTable
from cardwar_envs import DuelState, make_game

TOLERANCE = 1e-9
EQUAL = [((1, 2, 3), (1, 2, 3)), ((1, 2, 3, 4), (1, 2, 3, 4))]


def truth_of(game, odds=card_odds):
    truth = DuelTruth(carry=game.ties == "carry", win=game.payoff == "win", odds=odds)
    truth.value(*game.hands)
    return truth


def assert_right_everywhere(game, truth):
    """Values, and the whole matrix, at every undecided state that the brute force came to."""
    solution = baselines.solve(game)
    assert truth.values, "the brute force has visited nothing"
    for (first, second, score, ties), value in truth.values.items():
        state = DuelState((first, second), score, ties)
        assert solution.value_at(state) == pytest.approx(value, abs=TOLERANCE)
        ours, theirs = solution.payoff_matrix(state), truth.matrix(first, second, score, ties)
        # Ranks held twice are one action and, in the brute force's matrix, several equal rows.
        rows, columns = ([hand.index(rank) for rank in sorted(set(hand))] for hand in (first, second))
        assert ours == pytest.approx(np.array(theirs)[np.ix_(rows, columns)], abs=TOLERANCE)
        assert_optimal(game, state, ours, solution.strategies(state), value, TOLERANCE)


@pytest.mark.thin
@pytest.mark.parametrize(("ties", "payoff"), SWITCHES)
@pytest.mark.parametrize("hands", [*EQUAL, *UNLIKE_HANDS], ids=str)
def test_values_are_those_of_brute_force(hands, ties, payoff):
    game = make_game("jujitsu", hand_0=hands[0], hand_1=hands[1], ties=ties, payoff=payoff)
    assert_right_everywhere(game, truth_of(game))


@pytest.mark.slow
def test_jujitsu_with_five_cards_at_every_state():
    game = make_game("jujitsu", num_cards=5)
    truth = truth_of(game)
    assert_right_everywhere(game, truth)
    assert len(truth.values) > 900


@pytest.mark.thin
@pytest.mark.parametrize(("ties", "payoff"), SWITCHES)
@pytest.mark.parametrize(
    ("first", "second", "sides"), [((1, 2, 3), (1, 2, 3), 2), ((1, 2, 2), (1, 1, 3), 3), ((1, 4), (2, 2), 6)]
)
def test_dice_wars_are_those_of_brute_force_over_all_rolls(first, second, sides, ties, payoff):
    game = make_game("dice_wars", hand_0=first, hand_1=second, sides=sides, ties=ties, payoff=payoff)
    assert_right_everywhere(game, truth_of(game, dice_odds(sides)))


@pytest.mark.thin
@pytest.mark.parametrize(("ties", "payoff"), SWITCHES)
@pytest.mark.parametrize("hands", [((1, 2, 3, 4),) * 2, ((1, 1, 2), (1, 2, 3))], ids=str)
def test_values_off_the_ways_of_the_game(hands, ties, payoff):
    """Also where no course of play leads, as long as the state passes `check`."""
    game = make_game("jujitsu", hand_0=hands[0], hand_1=hands[1], ties=ties, payoff=payoff)
    solution, truth = baselines.solve(game), truth_of(game)
    off = 0
    for size in range(1, len(hands[0]) + 1):
        for first, second in product(*(sub_hands(hand, size) for hand in hands)):
            for score, carried in product(range(-4, 5), range(4)):
                state = DuelState((first, second), score, carried)
                if not can_be(game, state):
                    continue
                off += (first, second, score, carried) not in truth.values
                expected = DuelTruth.value(truth, first, second, score, carried)
                assert solution.value_at(state) == pytest.approx(expected, abs=TOLERANCE)
    assert off > 0


# -- Fetterman 2023 --------------------------------------------------------------------------------


def dominance(first, second):
    """D(A, B) of Fetterman 2023, section 2."""
    return sum((a > b) - (a < b) for a in first for b in second)


def random_hands(count, seed=0, largest=6):
    rng = np.random.default_rng(seed)
    for _ in range(count):
        size, ranks = rng.integers(1, largest), rng.integers(1, 9)
        yield tuple(tuple(sorted(map(int, rng.integers(1, ranks + 1, size)))) for _ in (0, 1))


@each_row("hands", list(random_hands(30)))
def test_the_value_of_dinosaur_war_is_dominance_over_cards(hands):
    """Fetterman 2023, Lemma 3, at the start and, in rationals, at every state."""
    game = make_game("dinosaur_war", hand_0=hands[0], hand_1=hands[1])
    solution = baselines.solve(game, exact=True)
    assert solution.exact == Fraction(dominance(*hands), len(hands[0]))
    assert baselines.solve(game).value == pytest.approx(solution.value, abs=TOLERANCE)
    for state in reachable(game):
        if state.hands[0]:
            expected = dominance(*state.hands) / len(state.hands[0])
            assert solution.value_at(state) == pytest.approx(expected, abs=1e-12)


# -- Sanwal and Drechsler 2002 ------------------------------------------------------------------------


def root_mix(num_cards):
    game = make_game("jujitsu", num_cards=num_cards)
    solution = baselines.solve(game)
    return solution, solution.strategies(game.initial()[0].state)


def test_the_root_mix_of_three_cards():
    """(1/5, 3/5, 1/5), and no other: moving any weight loses."""
    solution, (x, y) = root_mix(3)
    assert x == pytest.approx([0.2, 0.6, 0.2], abs=1e-12)
    assert y == pytest.approx([0.2, 0.6, 0.2], abs=1e-12)
    matrix = solution.payoff_matrix(DuelState(((1, 2, 3),) * 2))
    for direction in product((-1, 0, 1), repeat=3):
        if any(direction) and sum(direction) == 0:
            assert ((x + 1e-3 * np.array(direction)) @ matrix).min() < -1e-6
    exact = baselines.solve(make_game("jujitsu", num_cards=3), exact=True)
    assert exact.exact == 0
    assert exact.strategies(DuelState(((1, 2, 3),) * 2))[0].tolist() == [1 / 5, 3 / 5, 1 / 5]


@each_row(("num_cards", "never"), [(4, 1), (5, 1), (6, 1), (7, 2), (8, 1), (9, 2), (10, 1)])
def test_the_highest_cards_are_never_played_first(num_cards, never):
    """Sanwal and Drechsler 2002, section 4: the top card for 4 to 8 cards; section 5.2: two of 7; 9 and 10 are ours."""
    solution, mixes = root_mix(num_cards)
    assert abs(solution.value) <= 1e-12
    assert solution.gap <= 1e-12
    for mix in mixes:
        assert not mix[-never:].any()
        assert mix[-never - 1] > 1e-3


# -- the solution's door ------------------------------------------------------------------------------


def test_where_the_game_is_settled_the_winner_is_known_and_any_card_will_do():
    game = make_game("jujitsu", num_cards=6)
    solution = baselines.solve(game)
    for score, value in ((4, 1.0), (-4, -1.0)):
        state = DuelState(((1, 2), (5, 6)), score)
        assert solution.value_at(state) == value
        assert [strategy.tolist() for strategy in solution.strategies(state)] == [
            [0.5, 0.5, 0, 0, 0, 0],
            [0, 0, 0, 0, 0.5, 0.5],
        ]
        assert np.all(solution.payoff_matrix(state) == value)
    exact = baselines.solve(game, exact=True)
    assert exact.value_at(DuelState(((1, 2), (5, 6)), 4)) == 1.0


def test_gaps_of_later_games_count(monkeypatch):
    """With every matrix game off by at most g, the root of a game of three tricks is off by at most 3 g."""
    honest = baselines.oracles.state_graph.backward_induction.solve_matrices

    def sloppy(*arguments):
        solutions = honest(*arguments)
        return baselines.MatrixSolutions(
            solutions.values, solutions.row_strategies, solutions.column_strategies, solutions.gaps * 0 + 0.25
        )

    monkeypatch.setattr(baselines.oracles.state_graph.backward_induction, "solve_matrices", sloppy)
    game = make_game("jujitsu", num_cards=3)
    table = EquilibriumTable(game)
    table.solve(game.initial())
    assert table.gap_at(game.initial()[0].state) == 0.75
    assert table.gap_at(DuelState(((), ()), 1)) == 0.0
    assert table.gap_at(DuelState(((1,), (2,)), 2)) == 0.0  # settled
    assert baselines.solve(paid_start()).gap == 0.75 * 0.25
