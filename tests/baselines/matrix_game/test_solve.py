"""Zero-sum matrix games: every kind, every fallback, three solvers that agree."""

from fractions import Fraction

import numpy as np
import pytest
from brute_force import minimax
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from matrix_kinds import BATCHES, KINDS
from scipy import optimize
from thinning import each_row

from baselines import solve_matrices, solve_matrix, solve_matrix_exact
from baselines.matrix_game import solve as matrix_game
from baselines.matrix_game.batch_kernel import solve_batch_kernel
from baselines.matrix_game.kernel import (
    certify,
    solve_kernel,
    solve_with,
    workspace,
)

SCALE_TOLERANCE = 1e-12


def games_of(kind, count=60):
    rng = np.random.default_rng(sum(map(ord, kind)))
    for _ in range(count):
        m, n = rng.integers(1, 9, size=2)
        yield KINDS[kind](rng, 1, m, n)[0]


def certify_solution(matrix, solution, tolerance):
    """Checks the certificate by hand: nobody gains more than the gap, which is small."""
    x, y = solution.row_strategy, solution.column_strategy
    for strategy, size in ((x, matrix.shape[0]), (y, matrix.shape[1])):
        assert strategy.shape == (size,)
        assert strategy.dtype == np.float64
        assert strategy.min() >= 0.0
        assert abs(strategy.sum() - 1.0) <= 1e-14
    rounding = 1e-15 * np.abs(matrix).max()
    lower, upper = (x @ matrix).min(), (matrix @ y).max()
    assert upper - lower <= solution.gap + 2 * rounding
    assert solution.gap <= tolerance
    assert lower - rounding <= solution.value <= upper + rounding


@each_row("kind", KINDS)
def test_every_kind_of_game_is_solved_with_a_small_gap(kind):
    for matrix in games_of(kind):
        certify_solution(matrix, solve_matrix(matrix), SCALE_TOLERANCE * max(1.0, np.abs(matrix).max()))


@each_row("kind", ["gaussian", "signs", "repeated", "rank one", "rank two", "skew", "tiny", "huge"])
def test_the_gap_is_small_for_the_size_of_the_payoffs_however_small_they_are(kind):
    for matrix in games_of(kind):
        assert solve_matrix(matrix).gap <= 1e-11 * np.abs(matrix).max()


@each_row("kind", [kind for kind in KINDS if kind not in ("huge", "badly scaled rows", "badly scaled entries")])
def test_the_value_is_that_of_an_independent_program(kind):
    for matrix in games_of(kind, 20):
        assert solve_matrix(matrix).value == pytest.approx(minimax(matrix), abs=1e-8 * max(1.0, np.abs(matrix).max()))


@pytest.mark.plain_kernels
@each_row("kind", ["signs", "small integers", "skew", "constant", "one row", "one column"])
def test_floats_and_rationals_agree(kind):
    for matrix in games_of(kind, 30):
        exact = solve_matrix_exact([[Fraction(entry) for entry in row] for row in matrix.tolist()])
        assert solve_matrix(matrix).value == pytest.approx(float(exact.value), abs=1e-12)
        for strategy in (exact.row_strategy, exact.column_strategy):
            assert sum(strategy) == 1
            assert min(strategy) >= 0


@each_row("size", [30, 60])
@each_row("kind", ["gaussian", "signs", "rank two", "skew"])
def test_larger_games(kind, size):
    matrix = KINDS[kind](np.random.default_rng(size), 1, size, size)[0]
    certify_solution(matrix, solve_matrix(matrix), SCALE_TOLERANCE * max(1.0, np.abs(matrix).max()))


def test_the_kernel_alone_solves_a_large_game():
    """It takes hundreds of pivots; Bland's rule would stop far from the optimum."""
    matrix = np.random.default_rng(0).normal(size=(120, 120))
    lower, upper = solve_kernel(matrix, np.empty(120), np.empty(120))
    assert upper - lower <= SCALE_TOLERANCE


# -- games whose solution is known -----------------------------------------------------------------

ROCK_PAPER_SCISSORS = [[0, -1, 1], [1, 0, -1], [-1, 1, 0]]
KNOWN = [
    # (matrix, value, row strategy, column strategy)
    (ROCK_PAPER_SCISSORS, 0, ("1/3",) * 3, ("1/3",) * 3),
    ([[1, -1], [-1, 1]], 0, ("1/2", "1/2"), ("1/2", "1/2")),
    ([[3, -1], [-2, 1]], "1/7", ("3/7", "4/7"), ("2/7", "5/7")),
    ([[0, 5], [-1, 9]], 0, (1, 0), (1, 0)),
    ([[4]], 4, (1,), (1,)),
    ([[1, 2], [3, 4]], 3, (0, 1), (1, 0)),
    ([[2, 0, 1], [0, 2, 1]], 1, ("1/2", "1/2"), None),
    ([[2, 2], [2, 2]], 2, (1, 0), (1, 0)),  # the lowest row, then column
    ([[0, 1, 0], [0, 0, 0], [0, 2, 0]], 0, (1, 0, 0), (1, 0, 0)),
    ([[0, 5, 5, 0], [1, 1, 2, 1], [1, 1, 9, 1]], 1, (0, 1, 0), (1, 0, 0, 0)),
    ([["1/3", "-1/7"], ["-1/2", "1/5"]], "-1/247", None, None),
]


@pytest.mark.plain_kernels
@each_row(("matrix", "value", "row", "column"), KNOWN)
def test_known_games(matrix, value, row, column):
    exact = [[Fraction(entry) for entry in line] for line in matrix]
    rational, single = solve_matrix_exact(exact), solve_matrix([[float(entry) for entry in line] for line in exact])
    assert rational.value == Fraction(value)
    assert single.value == pytest.approx(float(Fraction(value)), abs=1e-15)
    for expected, of_rational, of_single in (
        (row, rational.row_strategy, single.row_strategy),
        (column, rational.column_strategy, single.column_strategy),
    ):
        if expected is not None:
            assert of_rational == tuple(map(Fraction, expected))
            assert of_single == pytest.approx([float(Fraction(p)) for p in expected], abs=1e-15)


def test_both_players_of_a_skew_symmetric_game_play_alike():
    for matrix in games_of("skew"):
        solution = solve_matrix(matrix)
        assert np.array_equal(solution.row_strategy, solution.column_strategy)
        exact = solve_matrix_exact([[int(entry) for entry in row] for row in matrix])
        assert exact.value == 0
        assert exact.row_strategy == exact.column_strategy


@pytest.mark.plain_kernels
def test_equal_games_give_equal_answers():
    for matrix in games_of("repeated"):
        first, second = solve_matrix(matrix), solve_matrix(matrix.copy(order="F"))
        assert np.array_equal(first.row_strategy, second.row_strategy)
        assert np.array_equal(first.column_strategy, second.column_strategy)
        assert (first.value, first.gap) == (second.value, second.gap)


# -- properties --------------------------------------------------------------------------------------

entries = st.integers(-50, 50).map(lambda n: n / 8)
matrices = arrays(np.float64, array_shapes(min_dims=2, max_dims=2, max_side=6), elements=entries)
examples = settings(max_examples=75, deadline=None, derandomize=True)


@examples
@given(matrices, st.integers(-3, 3), st.integers(-20, 20), st.randoms(use_true_random=False))
def test_how_the_value_follows_the_matrix(matrix, power, shift, random):
    value, scale = solve_matrix(matrix).value, 2.0**power
    assert matrix.min() - 1e-12 <= value <= matrix.max() + 1e-12
    assert solve_matrix(matrix * scale + shift).value == pytest.approx(value * scale + shift, abs=1e-10)
    assert solve_matrix(-matrix.T).value == pytest.approx(-value, abs=1e-11), "the other side of the table"
    rows, columns = list(range(matrix.shape[0])), list(range(matrix.shape[1]))
    random.shuffle(rows)
    random.shuffle(columns)
    assert solve_matrix(matrix[rows][:, columns]).value == pytest.approx(value, abs=1e-11)
    if len(rows) > 1:
        assert solve_matrix(matrix[:-1]).value <= value + 1e-11, "more actions never hurt"
    if len(columns) > 1:
        assert solve_matrix(matrix[:, :-1]).value >= value - 1e-11


@examples
@given(matrices)
def test_the_exact_solution_is_an_equilibrium(matrix):
    rows = [[Fraction(entry) for entry in row] for row in matrix.tolist()]
    exact = solve_matrix_exact(rows)
    guarantees = [sum(p * row[j] for p, row in zip(exact.row_strategy, rows, strict=True)) for j in range(len(rows[0]))]
    concedes = [sum(q * entry for q, entry in zip(exact.column_strategy, row, strict=True)) for row in rows]
    assert min(guarantees) == exact.value == max(concedes)


# -- batches -------------------------------------------------------------------------------------------


def masked_batch(rng, count=40, rows=6, columns=5):
    """Games with random legal actions, and rubbish where nothing can be played."""
    row_masks, column_masks = rng.random((count, rows)) < 0.6, rng.random((count, columns)) < 0.6
    row_masks[:, 2] = column_masks[:, 1] = True
    games = rng.integers(-4, 5, size=(count, rows, columns)).astype(float)
    played = row_masks[:, :, None] & column_masks[:, None, :]
    return np.where(played, games, 1e100), row_masks, column_masks


@each_row("dtype", [bool, np.int8, np.int64])
def test_a_batch_with_masks_is_the_games_one_by_one(dtype):
    games, row_masks, column_masks = masked_batch(np.random.default_rng(1))
    batch = solve_matrices(games, row_masks.astype(dtype), column_masks.astype(dtype))
    assert batch.row_strategies[~row_masks].max() == 0.0
    assert batch.column_strategies[~column_masks].max() == 0.0
    for g, matrix in enumerate(games):
        alone = solve_matrix(matrix[row_masks[g]][:, column_masks[g]])
        assert (batch.values[g], batch.gaps[g]) == (alone.value, alone.gap)
        assert np.array_equal(batch.row_strategies[g, row_masks[g]], alone.row_strategy)
        assert np.array_equal(batch.column_strategies[g, column_masks[g]], alone.column_strategy)


def test_what_cannot_be_played_does_not_loosen_the_tolerance(monkeypatch):
    """The kernel gives rubbish; only games whose own payoffs are small show that it is not good enough."""
    monkeypatch.setattr(matrix_game, "_kernel", lambda _: Kernel(unit_vectors))
    games = np.full((1, 4, 4), 1e100)
    games[0, :3, :3] = ROCK_PAPER_SCISSORS
    mask = np.array([[True, True, True, False]])
    solution = solve_matrices(games, mask, mask)
    assert solution.gaps[0] <= SCALE_TOLERANCE
    assert solution.row_strategies[0] == pytest.approx([1 / 3, 1 / 3, 1 / 3, 0])


def test_a_batch_without_masks_and_an_empty_batch():
    games = np.random.default_rng(2).normal(size=(10, 3, 4))
    assert solve_matrices(games).values.tolist() == [solve_matrix(game).value for game in games]
    empty = solve_matrices(np.zeros((0, 3, 4)))
    assert empty.values.shape == (0,)
    assert empty.row_strategies.shape == (0, 3)
    assert empty.column_strategies.shape == (0, 4)


def test_results_do_not_depend_on_the_number_of_threads(monkeypatch):
    monkeypatch.setattr(matrix_game, "GAMES_AT_A_TIME", 7)
    games = np.concatenate(
        [games[:, :4, :4] for games in stage_games("nearly equal rows", 1) if min(games.shape[1:]) > 3]
    )
    one = solve_matrices(games, threads=1)
    for threads in (2, 5, None):
        other = solve_matrices(games, threads=threads)
        for field in ("values", "row_strategies", "column_strategies", "gaps"):
            assert np.array_equal(getattr(one, field), getattr(other, field))


# -- many games of each kind -------------------------------------------------------------------------------


def stage_games(kind, count):
    """`count` games of each of the 144 shapes from 2 x 2 to 13 x 13."""
    rng = np.random.default_rng(sum(map(ord, kind)))
    for rows in range(2, 14):
        for columns in range(2, 14):
            yield BATCHES[kind](rng, count, rows, columns)


def worst_gap(kind, count):
    """In units of the payoffs' size, at least 1."""
    worst = 0.0
    for games in stage_games(kind, count):
        gaps = solve_matrices(games).gaps
        worst = max(worst, (gaps / np.maximum(1.0, np.abs(games).max(axis=(1, 2)))).max())
    return worst


@each_row("kind", BATCHES)
def test_thousands_of_each_kind_have_small_gaps(kind):
    assert worst_gap(kind, 20) <= SCALE_TOLERANCE


@pytest.mark.slow
@pytest.mark.parametrize("kind", BATCHES)
def test_a_million_of_each_kind_have_small_gaps(kind):
    assert worst_gap(kind, 6945) <= SCALE_TOLERANCE


# -- bad input -------------------------------------------------------------------------------------------

GAMES = np.zeros((2, 3, 4))


@each_row(
    ("call", "message"),
    [
        (lambda: solve_matrix([1.0, 2.0]), r"payoffs of shape \(2,\) must have 2 dimensions"),
        (lambda: solve_matrix(GAMES), r"payoffs of shape \(2, 3, 4\) must have 2 dimensions"),
        (lambda: solve_matrix(np.zeros((0, 3))), r"shape \(0, 3\) must have 2 dimensions and no axis of length 0"),
        (lambda: solve_matrix(np.zeros((3, 0))), r"shape \(3, 0\) must have 2 dimensions and no axis of length 0"),
        (lambda: solve_matrix([[1.0, np.nan]]), "payoffs must be finite"),
        (lambda: solve_matrix([[1.0, np.inf]]), "payoffs must be finite"),
        (lambda: solve_matrix([[1e308, -1e308], [-1e308, 1e308]]), "payoffs must be finite, at most 1e[+]300"),
        (lambda: solve_matrix([[1, 2], [3]]), "inhomogeneous"),
        (lambda: solve_matrices(np.zeros((3, 4))), r"payoffs of shape \(3, 4\) must have 3 dimensions"),
        (lambda: solve_matrices(np.zeros((2, 0, 4))), "no axis of length 0"),
        (lambda: solve_matrices(np.full((1, 2, 2), np.nan), [[1, 0]], [[1, 0]]), "payoffs must be finite"),
        (lambda: solve_matrices(GAMES, threads=0), r"threads \(0\) must be at least 1"),
        (lambda: solve_matrices(GAMES, np.ones((2, 4))), r"row_masks of shape \(2, 4\) must have shape \(2, 3\)"),
        (lambda: solve_matrices(GAMES, np.ones(3)), r"row_masks of shape \(3,\) must have shape \(2, 3\)"),
        (lambda: solve_matrices(GAMES, None, np.ones((1, 4))), r"column_masks of shape \(1, 4\) must have shape"),
        (lambda: solve_matrices(GAMES, [[1, 1, 1], [0, 0, 0]]), "row_masks must leave at least one action"),
        (lambda: solve_matrices(GAMES, None, [[0] * 4, [1] * 4]), "column_masks must leave at least one action"),
        (lambda: solve_matrix_exact([]), "at least one row and one column"),
        (lambda: solve_matrix_exact([[]]), "at least one row and one column"),
        (lambda: solve_matrix_exact([[1, 2], [3]]), "all rows of equal length"),
    ],
)
def test_bad_input_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


# -- fallbacks -------------------------------------------------------------------------------------------


class Kernel:
    """The kernel with its solver replaced by one that gives rubbish; `certify` stays honest."""

    certify = staticmethod(certify)

    def __init__(self, fill):
        self.fill = fill

    def solve_batch_kernel(self, games, row_masks, column_masks, lower, upper, x, y):
        self.fill(x, y)
        for g in range(len(games)):
            rows, columns = np.flatnonzero(row_masks[g]), np.flatnonzero(column_masks[g])
            lower[g], upper[g] = certify(games[g][np.ix_(rows, columns)], x[g, rows], y[g, columns])
        return True


def break_kernel(monkeypatch, fill):
    """The compiled simplex gives rubbish, and pairs of floats are not tried."""
    monkeypatch.setattr(matrix_game, "_solve_by_pairs", lambda matrix: None)
    monkeypatch.setattr(matrix_game, "_kernel", lambda _: Kernel(fill))


def unit_vectors(x, y):
    x[:], y[:] = 0.0, 0.0
    x[:, 0], y[:, 0] = 1.0, 1.0


def not_numbers(x, y):
    x[:], y[:] = np.nan, np.nan


def counted(monkeypatch, name):
    """Replaces a function of the module by itself and counts the calls."""
    calls, original = [], getattr(matrix_game, name)

    def call(matrix):
        calls.append(matrix.shape)
        return original(matrix)

    monkeypatch.setattr(matrix_game, name, call)
    return calls


class LinearProgram:
    """An answer of HiGHS: of some status, with given solutions."""

    def __init__(self, status, x=None, marginals=None):
        self.status, self.x = status, x
        self.ineqlin = type("Duals", (), {"marginals": marginals})


@pytest.mark.parametrize("fill", [unit_vectors, not_numbers])
def test_highs_mends_what_the_kernel_breaks(monkeypatch, fill):
    break_kernel(monkeypatch, fill)
    highs, rationals = counted(monkeypatch, "_solve_by_highs"), counted(monkeypatch, "_solve_by_rationals")
    for matrix in (*games_of("small integers", 30), np.array(ROCK_PAPER_SCISSORS, dtype=float)):
        certify_solution(matrix, solve_matrix(matrix), SCALE_TOLERANCE * max(1.0, np.abs(matrix).max()))
    assert highs
    assert not rationals


@pytest.mark.thin
@pytest.mark.parametrize(
    "answer",
    [
        # statuses of scipy.optimize.linprog: iteration limit, infeasible, unbounded, numerical difficulties
        *(LinearProgram(status, np.full(4, 1 / 3), np.full(3, -1 / 3)) for status in (1, 2, 3, 4)),
        LinearProgram(0, None),
        LinearProgram(0, np.zeros(4), np.full(3, -1 / 3)),
        LinearProgram(0, np.full(4, 1 / 3), np.zeros(3)),
        LinearProgram(0, np.array([1.0, 0, 0, 0]), np.array([-1.0, 0, 0])),  # says that it is optimal, but is not
        LinearProgram(0, np.full(4, np.nan), np.full(3, np.nan)),
    ],
)
@pytest.mark.parametrize("fill", [unit_vectors, not_numbers])
def test_rationals_mend_what_both_break(monkeypatch, answer, fill):
    break_kernel(monkeypatch, fill)
    monkeypatch.setattr(optimize, "linprog", lambda *arguments, **options: answer)
    rationals = counted(monkeypatch, "_solve_by_rationals")
    solution = solve_matrix(ROCK_PAPER_SCISSORS)
    assert rationals == [(3, 3)]
    assert solution.row_strategy.tolist() == solution.column_strategy.tolist() == [1 / 3] * 3
    assert solution.gap <= 1e-16
    assert solution.value == pytest.approx(0.0, abs=1e-16)


def test_without_any_good_answer_the_best_is_given_with_its_gap(monkeypatch):
    """More entries than rationals are tried on, and no linear program: the gap says how bad the answer is."""
    break_kernel(monkeypatch, unit_vectors)
    monkeypatch.setattr(optimize, "linprog", lambda *arguments, **options: LinearProgram(4))
    rationals = counted(monkeypatch, "_solve_by_rationals")
    matrix = np.zeros((21, 20))
    matrix[0, 0], matrix[0, 1], matrix[1, 0] = 1.0, -1.0, 2.0
    solution = solve_matrix(matrix)
    assert not rationals
    assert solution.gap == 3.0
    assert solution.value == 0.5
    assert abs(solution.value - minimax(matrix)) <= solution.gap / 2


@pytest.mark.parametrize("fill", [unit_vectors, not_numbers])
@pytest.mark.parametrize(
    "answer",
    [
        LinearProgram(4),
        LinearProgram(0, np.full(13, np.nan), np.full(15, np.nan)),
        LinearProgram(0, np.eye(13)[0], -np.eye(15)[0]),  # says that it is optimal, but is not
    ],
)
def test_pairs_mend_a_large_game_on_which_highs_fails(monkeypatch, answer, fill):
    """Large games go to HiGHS first; this one counts as large, and is too large for rationals."""
    monkeypatch.setattr(matrix_game, "PAIRS_FALLBACK_ENTRIES", 100)
    monkeypatch.setattr(matrix_game, "EXACT_FALLBACK_ENTRIES", 100)
    monkeypatch.setattr(matrix_game, "_kernel", lambda _: Kernel(fill))
    asked = []
    monkeypatch.setattr(optimize, "linprog", lambda *arguments, **options: asked.append(1) or answer)
    matrix = np.random.default_rng(5).normal(size=(15, 12))
    certify_solution(matrix, solve_matrix(matrix), SCALE_TOLERANCE * max(1.0, np.abs(matrix).max()))
    assert len(asked) == 1


def test_a_worse_answer_of_highs_does_not_replace_a_better_one_of_the_kernel(monkeypatch):
    def nearly(x, y):
        x[:], y[:] = [0.5 + 1e-9, 0.5 - 1e-9], [0.5, 0.5]

    break_kernel(monkeypatch, nearly)
    worse = LinearProgram(0, np.array([1.0, 0, 0]), np.array([-1.0, 0]))
    monkeypatch.setattr(optimize, "linprog", lambda *arguments, **options: worse)
    monkeypatch.setattr(matrix_game, "EXACT_FALLBACK_ENTRIES", 1)
    assert 0.0 < solve_matrix([[1, -1], [-1, 1]]).gap <= 1e-8


def test_real_games_do_need_the_fallback(monkeypatch):
    """Nearly equal rows, where the compiled simplex alone is not good enough; twice the digits are."""
    pairs, highs = counted(monkeypatch, "_solve_by_pairs"), counted(monkeypatch, "_solve_by_highs")
    assert worst_gap("nearly equal rows", 5) <= SCALE_TOLERANCE
    assert pairs
    assert len(highs) < len(pairs) / 10


def test_an_exact_answer_that_is_not_optimal_is_never_given(monkeypatch):
    wrong = ([Fraction(1), Fraction(0)], [Fraction(1), Fraction(0)])
    monkeypatch.setattr(matrix_game, "_exact_simplex", lambda matrix: wrong)
    with pytest.raises(ArithmeticError, match="duality gap 2 of an exact solution"):
        solve_matrix_exact([[1, -1], [-1, 1]])


# -- the kernel -----------------------------------------------------------------------------------------

PENNIES = np.array([[1.0, -1.0], [-1.0, 1.0]])


@pytest.mark.plain_kernels
def test_certify_bounds_the_value_from_both_sides():
    assert certify(PENNIES, np.array([1.0, 0.0]), np.array([0.25, 0.75])) == (-1.0, 0.5)
    good = np.array([0.5, 0.5])
    assert certify(PENNIES, good, good) == (0.0, 0.0)
    for bad in ([0.5, 0.5 + 1e-6], [0.0, 0.0], [2.0, -1.0], [np.nan, 1.0], [np.nan, np.nan]):
        assert certify(PENNIES, np.array(bad), good) == (-np.inf, np.inf)
        assert certify(PENNIES, good, np.array(bad)) == (-np.inf, np.inf)


@pytest.mark.parametrize("broken", [0.0, np.nan, np.inf])
def test_a_simplex_that_breaks_down_is_noticed(monkeypatch, broken):
    """It answers with nothing; the uniform strategies that stand in for it come with honest bounds."""

    def simplex(matrix, low, high, x, y, work):
        x[:], y[:] = broken, broken

    python = solve_with.py_func
    monkeypatch.setitem(python.__globals__, "_simplex", simplex)
    matrix = np.array([[3.0, -1.0], [-2.0, 1.0]])
    x, y = np.empty(2), np.empty(2)
    assert python(matrix, x, y, workspace(2, 2)) == (0.0, 1.0)
    assert x.tolist() == y.tolist() == [0.5, 0.5]


def test_the_batch_kernel_is_its_python():
    games, row_masks, column_masks = masked_batch(np.random.default_rng(3), count=5)
    results = []
    for function in (solve_batch_kernel, solve_batch_kernel.py_func):
        bounds, x, y = np.empty((2, 5)), np.zeros((5, 6)), np.zeros((5, 5))
        function(games, row_masks, column_masks, bounds[0], bounds[1], x, y)
        results.append(np.hstack([bounds.T, x, y]))
    assert np.array_equal(*results)
