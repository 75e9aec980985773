"""What is said of all optimal strategies of games solved in floats, against rational arithmetic."""

from fractions import Fraction

import numpy as np
import pytest
from thinning import each_row
from tiny_games import SOLVABLE, each_of
from toys import END, Toy

from baselines import solve, solve_matrix, solve_matrix_exact
from baselines.matrix_game.optimal_sets import distances_if_unique, exact_ranges
from baselines.oracles.state_graph.game_graph import full_graph
from cardwar_envs import DuelState, make_game

MOST_STATES = 150
# Payoffs in units of these sizes tie in fractions, but differ in floats.
UNITS = (Fraction(1), Fraction(1, 3), Fraction(1, 10), Fraction(1, 10**9), Fraction(10**9))


def compare(play, exact):
    """Compares each mix with its ranges in fractions; returns how many are determined."""
    for mix, ranges in zip(play.mixes, exact, strict=True):
        if mix.determined:
            assert mix.unique is all(low == high for low, high in ranges)
            for found, bounds in ((mix.low, [low for low, _ in ranges]), (mix.high, [high for _, high in ranges])):
                assert found == pytest.approx([float(bound) for bound in bounds], abs=mix.slack + 1e-15)
            assert mix.slack <= 1e-6
        else:
            assert (mix.unique, mix.free(), mix.low, mix.high, mix.slack) == (None, [], None, None, 1.0)
    return sum(mix.determined for mix in play.mixes)


@each_of({**SOLVABLE, "jujitsu-5": make_game("jujitsu", num_cards=5)})
def test_every_state_of_small_games(game):
    floats, fractions = (solve(game, exact=exact) for exact in (False, True))
    states = full_graph(game).states
    for state in states[:: 1 + len(states) // MOST_STATES]:
        exact = [[(low, high) for low, high in mix.exact or ()] for mix in fractions.at(state).mixes]
        assert compare(floats.at(state), exact) == 2  # determined everywhere


@each_row(("options", "state"), [({"num_cards": 2}, None), ({"payoff": "win"}, DuelState(hands=((1, 2), (1, 2))))])
def test_cards_that_are_worth_the_same_up_to_rounding(options, state):
    play = solve(make_game("dice_wars", **{"num_cards": 3, **options}), exact=False).at(state)
    assert [mix.free() for mix in play.mixes] == [[("1", 0.0, 1.0), ("2", 0.0, 1.0)]] * 2
    assert {mix.unique for mix in play.mixes} == {False}


def ranges_of(matrix):
    value = solve_matrix_exact(matrix).value
    turned = [[-payoff for payoff in column] for column in zip(*matrix, strict=True)]
    return [exact_ranges(matrix, value), exact_ranges(turned, -value)]


def drawn(rng, most):
    """A matrix of few different payoffs, with units mixed in half of all cases."""
    shape = rng.integers(1, most + 1, size=2)
    units = rng.choice(len(UNITS), size=2)[rng.integers(0, 2, size=shape)]
    whole = rng.integers(-2, 3, size=shape)
    return [[int(n) * UNITS[u] for n, u in zip(*row, strict=True)] for row in zip(whole, units, strict=True)]


@each_row("seed", range(60))
def test_games_whose_payoffs_are_rounded(seed):
    """Each payoff is the mean of three, so different sums tie; exact arithmetic refuses rounded rewards."""
    rng = np.random.default_rng(seed)
    matrix = drawn(rng, 3)
    parts = {
        (i, j): [(Fraction(1, 3), END, float(payoff * share)) for share in rng.permutation([0, 1, 2]).tolist()]
        for i, row in enumerate(matrix)
        for j, payoff in enumerate(row)
    }
    play = solve(Toy((((0, 1), parts),)), exact=False).at()
    determined = compare(play, ranges_of(matrix))
    if all(payoff.denominator == 1 for row in matrix for payoff in row):
        assert determined == 2


@each_row("seed", range(300))
def test_a_proof_covers_all_games_within_the_error(seed):
    rng = np.random.default_rng(seed)
    matrix = drawn(rng, 5)
    rounded = np.array(matrix, dtype=float)
    size = np.abs(rounded).max()
    near = rounded + 2.0**-52 * size * rng.integers(-1, 2, size=rounded.shape)
    solved = solve_matrix(near)
    strategies = solved.row_strategy, solved.column_strategy
    distances = distances_if_unique(near, strategies, 2.0**-51 * size)
    for side, ranges in enumerate(ranges_of(matrix) if distances else ()):
        assert all(low == high for low, high in ranges)
        assert strategies[side] == pytest.approx([float(low) for low, _ in ranges], abs=distances[side])


@each_row(
    ("matrix", "proven"),
    [
        ([[2, -1], [-1, 1]], True),
        ([[0, 1], [-1, 5]], True),
        ([[1, 1], [0, 0]], False),  # columns tie
        ([[0, 0], [-1, 1e-13]], False),
        ([[1e9, 0], [0, 1e-9]], False),  # the second payoff is below the error of the first
    ],
)
def test_what_can_be_proven(matrix, proven):
    matrix = np.array(matrix, dtype=float)
    solved = solve_matrix(matrix)
    error = 1e-12 * np.abs(matrix).max()
    assert (distances_if_unique(matrix, (solved.row_strategy, solved.column_strategy), error) is not None) is proven
