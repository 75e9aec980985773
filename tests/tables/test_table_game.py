"""Games made from payoffs: exact numbers, shapes and names, and refusals of anything else."""

import pickle
from fractions import Fraction

import numpy as np
import pytest

import baselines
from cardwar_envs import TableGame, TableState, check_game, make_game, table_game
from cardwar_envs.core.constant_sum import is_constant_sum

SHAPLEY = [[[0, 0, 1], [1, 0, 0], [0, 1, 0]], [[0, 1, 0], [0, 0, 1], [1, 0, 0]]]
TABLES = {
    "a matrix is zero-sum": [["1/3", -1], ["-0.5", 2]],
    # Shapley, "Some topics in two-person games" (1964), in which fictitious play does not converge.
    "two matrices": SHAPLEY,
    "three players": np.arange(3 * 2 * 3 * 4).reshape(3, 2, 3, 4),
    "rounded floats": np.array([[0.1, 0.2], [1 / 3, -1e-7]]),
    "a player without a choice": [[[1, 2]], [[3, 4]]],
    "huge payoffs": [[1e99, -1e98], [-3e99, 2e99]],
}


@pytest.mark.parametrize("payoffs", TABLES.values(), ids=TABLES)
def test_the_rules_tell_the_truth(payoffs):
    game = table_game(payoffs)
    report = check_game(game)
    assert report.passed, str(report)
    assert report.complete
    assert pickle.loads(pickle.dumps(game)) == game
    assert TableGame(**game.parameters()) == game


def test_one_player_alone():
    game = table_game([["1/3", 2, 2]], players=["me"], actions=[["a", "b", "c"]])
    assert check_game(game).passed
    assert [list(each.labelled()[0].values()) for each in baselines.equilibria(game)] == [[0, 1, 0], [0, 0, 1]]
    assert baselines.nash_conv(game, "uniform", exact=True).exact == Fraction(5, 9)


def test_payoffs_are_those_of_the_array():
    payoffs = np.arange(3 * 2 * 3 * 4).reshape(3, 2, 3, 4)
    game = table_game(payoffs, actions=[["up", "down"], list("abc"), list("wxyz")])
    for played in np.ndindex(2, 3, 4):
        (outcome,) = game.transitions(TableState(), dict(enumerate(played)))
        assert outcome.rewards == tuple(payoffs[(slice(None), *played)])
        assert game.acting_players(outcome.state) == ()
    assert game.describe(TableState((1, 2, 0))) == "down, c, w: 20, 44, 68"


def test_rational_payoffs_stay_exact():
    game = table_game([["1/3", "0.1"], [Fraction(1, 7), 0.5]])
    assert game.table.exact[0].tolist() == [[Fraction(1, 3), Fraction(1, 10)], [Fraction(1, 7), Fraction(1, 2)]]
    assert (game.table.exact[1] == -game.table.exact[0]).all()
    assert game.facts.zero_sum
    assert game.transitions(TableState(), {0: 0, 1: 0})[0].rewards == (Fraction(1, 3), Fraction(-1, 3))
    # (1/3 * 1/2 - 1/10 * 1/7) / (1/3 + 1/2 - 1/10 - 1/7), as no row or column dominates
    assert baselines.solve(game, exact=True).exact == Fraction(8, 31)


def test_a_float_that_is_not_what_it_is_printed_as_makes_the_table_rounded():
    game = table_game(np.array([[0.1, 1.0], [0.0, 2.0]]))
    assert game.table.exact is None
    assert game.table.payoffs[0].tolist() == [[0.1, 1.0], [0.0, 2.0]]
    with pytest.raises(ValueError, match="rounded float"):
        baselines.solve(game, exact=True)


def test_a_file_that_has_changed_is_another_game(tmp_path):
    (tmp_path / "a.csv").write_text("1,2\n3,4\n")
    game = make_game(f"table:{tmp_path}/a.csv")
    assert make_game(game.facts.name, **game.parameters()) == game
    (tmp_path / "a.csv").write_text("1,2\n3,5\n")
    with pytest.raises(ValueError, match="it has changed"):
        make_game(game.facts.name, **game.parameters())


@pytest.mark.parametrize(
    ("payoffs", "reason"),
    [
        ([1, 2], r"shape \(2,\)"),
        ([[1, 2], [3]], "rows of the same length"),
        (np.zeros((2, 2, 2, 2)), r"shape \(2, 2, 2, 2\)"),
        (np.zeros((2, 0, 2)), "1..500,000 numbers"),
        (np.zeros((2, 501, 500)), "1..500,000 numbers"),
        ([[True]], "True must be a finite number"),
        ([[1j]], "1j must be a finite number"),
        ([[float("nan")]], "nan must be a finite number"),
        ([[float("inf")]], "inf must be a finite number"),
        ([["1/0"]], "'1/0' must be a finite number"),
        ([["1e999999"]], "must be a finite number"),
        ([["9" * 5000]], "must be a finite number"),
        ([[1e200]], "must be a finite number up to 1e100"),
        ("payoffs", r"payoffs"),
        (None, r"payoffs"),
    ],
)
def test_what_is_not_a_table_is_refused(payoffs, reason):
    with pytest.raises(ValueError, match=reason):
        table_game(payoffs)


@pytest.mark.parametrize(
    ("names", "reason"),
    [
        ({"players": ["Row"]}, "must be 2 different names"),
        ({"players": ["Row", "Row"]}, "must be 2 different names"),
        ({"players": ["Row", "a\x00b"]}, "printable"),
        ({"actions": [["a", "b"]]}, "each of the 2 players"),
        ({"actions": [["a", "b"], ["a"]]}, "must be 2 different names"),
        ({"actions": [["a", " "], ["a", "b"]]}, "printable"),
    ],
)
def test_names_are_checked(names, reason):
    with pytest.raises(ValueError, match=reason):
        table_game([[1, 2], [3, 4]], **names)


def test_floats_of_which_some_are_exact_are_one_table():
    game = table_game([[0.1, 0.5], [0.25, 1.0]])
    assert game.table.payoffs.tolist() == [[[0.1, 0.5], [0.25, 1.0]], [[-0.1, -0.5], [-0.25, -1.0]]]
    assert TableGame(**game.parameters()) == game


def test_small_payoffs_are_not_taken_for_rounding_errors():
    prisoners = np.array([[[-1, -3], [0, -2]], [[-1, 0], [-3, -2]]]) * 1e-10
    assert not table_game(prisoners).facts.zero_sum
    assert not is_constant_sum(table_game(prisoners))
