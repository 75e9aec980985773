"""Linear programs in rationals: written ones, degenerate ones, and scipy's answers to random ones."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from baselines.matrix_game import exact_lp
from baselines.matrix_game.exact_lp import ExactOptimum, maximise


def rationals(rows):
    return [[Fraction(entry) for entry in row] for row in rows]


def solved(objective, matrix, bounds):
    return maximise(rationals([objective])[0], rationals(matrix), rationals([bounds])[0])


def test_a_written_program():
    """3x + 5y with x <= 4, 2y <= 12, 3x + 2y <= 18: (2, 6), worth 36 (Dantzig's classic)."""
    optimum = solved([3, 5], [[1, 0], [0, 2], [3, 2]], [4, 12, 18])
    assert optimum == ExactOptimum(Fraction(36), (Fraction(2), Fraction(6)), (Fraction(0), Fraction(3, 2), Fraction(1)))


def test_fractions_stay_exact():
    optimum = solved(["1/3", "1/7"], [["1/2", "1/5"], ["1/11", 1]], ["1/13", "1/17"])
    x, y = optimum.primal
    assert (x / 2 + y / 5, x / 11 + y) == (Fraction(1, 13), Fraction(1, 17))
    assert optimum.value == x / 3 + y / 7


def test_where_nothing_is_to_gain_nothing_is_done():
    optimum = solved([-1, 0], [[1, 1]], [5])
    assert (optimum.value, optimum.primal, optimum.dual) == (0, (0, 0), (0,))


def test_degenerate_rows_do_not_cycle():
    """Beale's example, on which the largest-coefficient rule goes round in circles."""
    optimum = solved(
        ["3/4", -150, "1/50", -6], [["1/4", -60, "-1/25", 9], ["1/2", -90, "-1/50", 3], [0, 0, 1, 0]], [0, 0, 1]
    )
    assert optimum.value == Fraction(1, 20)
    assert optimum.primal == (Fraction(1, 25), 0, 1, 0)


def test_rows_and_columns_that_say_nothing():
    optimum = solved([1, 0], [[1, 0], [0, 0], [1, 0]], [2, 0, 2])
    assert (optimum.value, optimum.primal[0]) == (2, 2)
    assert solved([], [[], []], [1, 2]).value == 0


def test_what_cannot_be_answered():
    with pytest.raises(ValueError, match="bounds must not be negative"):
        solved([1], [[1]], [-1])
    for matrix, bounds in (([[-1]], [1]), ([], [])):
        with pytest.raises(ValueError, match="the program is unbounded"):
            solved([1], matrix, bounds)


@pytest.mark.parametrize(
    "wrong", [{"value": Fraction(37)}, {"primal": (Fraction(4), Fraction(6))}, {"dual": (Fraction(0),) * 3}]
)
def test_a_wrong_answer_fails_its_certificate(wrong):
    program = rationals([[3, 5]])[0], rationals([[1, 0], [0, 2], [3, 2]]), rationals([[4, 12, 18]])[0]
    optimum = maximise(*program)
    exact_lp._check(*program, optimum)
    with pytest.raises(ArithmeticError, match="fails its own certificate"):
        exact_lp._check(*program, replace(optimum, **wrong))


@settings(deadline=None, max_examples=50, derandomize=True)
@given(data=st.data(), rows=st.integers(1, 5), columns=st.integers(1, 5))
def test_scipy_says_the_same(data, rows, columns):
    entries = st.integers(-4, 4)
    matrix = data.draw(st.lists(st.lists(entries, min_size=columns, max_size=columns), min_size=rows, max_size=rows))
    bounds = data.draw(st.lists(st.integers(0, 5), min_size=rows, max_size=rows))
    objective = data.draw(st.lists(entries, min_size=columns, max_size=columns))
    outcome = linprog([-gain for gain in objective], A_ub=matrix, b_ub=bounds, method="highs-ds")
    if outcome.status in (2, 3, 4):  # as x = 0 is feasible, all of them mean unbounded
        with pytest.raises(ValueError, match="unbounded"):
            solved(objective, matrix, bounds)
        return
    assert outcome.status == 0
    optimum = solved(objective, matrix, bounds)
    assert float(optimum.value) == pytest.approx(-outcome.fun, abs=1e-7)
    assert (np.array(matrix, dtype=float) @ np.array(optimum.primal, dtype=float) <= np.array(bounds) + 1e-12).all()
