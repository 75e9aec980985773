"""Games solved in lockstep: to the last bit the results of the same games one by one."""

import numpy as np
import pytest
from matrix_kinds import BATCHES, KINDS
from thinning import each_row

from baselines import solve_matrix
from baselines.matrix_game.kernel import solve_with, workspace
from baselines.matrix_game.lanes import any_lane, load, pick, spread, store, where
from baselines.matrix_game.limits import LANES
from baselines.matrix_game.lockstep_kernel import bound_lanes, lockstep, solve_lanes
from cardwar_envs.core import compiled

SHAPES = [(1, 1), (1, 4), (3, 1), (2, 2), (5, 5), (4, 7), (7, 3), (13, 13)]


def groups_of(kind, odd=None):
    """For each shape, `LANES` games that differ in how many pivots they take; one lane has a game of another kind."""
    rng = np.random.default_rng(sum(map(ord, kind)))
    for rows, columns in SHAPES:
        games = np.concatenate([KINDS[kind](rng, 1, rows, columns)[:, :rows, :columns] for _ in range(LANES)])
        odd_one_out = KINDS[odd or str(rng.choice(list(BATCHES)))](rng, 1, *games.shape[1:])
        yield np.concatenate([games[:-1], odd_one_out])


def in_lanes(games):
    return np.ascontiguousarray(games.transpose(1, 2, 0))


@pytest.mark.plain_kernels
@each_row("kind", KINDS)
def test_solutions_are_those_of_the_games_alone(kind):
    for games in groups_of(kind):
        shape = games.shape[1:]
        lower, upper, x, y = np.empty(LANES), np.empty(LANES), np.empty((LANES, shape[0])), np.empty((LANES, shape[1]))
        solve_lanes(in_lanes(games), lower, upper, x.T, y.T, lockstep(*shape))
        for g, game in enumerate(games):
            alone_x, alone_y = np.empty(shape[0]), np.empty(shape[1])
            assert (lower[g], upper[g]) == solve_with(game, alone_x, alone_y, workspace(*shape))
            assert np.array_equal(x[g], alone_x)
            assert np.array_equal(y[g], alone_y)


def bounds_of(games, tolerance, function=bound_lanes):
    bounds = np.empty((2, LANES))
    function(in_lanes(games), tolerance, bounds[0], bounds[1], lockstep(*games.shape[1:]))
    return bounds


@pytest.mark.plain_kernels
@each_row("kind", [kind for kind in KINDS if "scaled" not in kind and "nearly" not in kind])
def test_bounds_alone_are_those_of_the_solution(kind):
    """With the minimax column first, and where the bounds can never be near enough, with Bland's rule."""
    for games in groups_of(kind, odd="gaussian"):
        for tolerance in (1e-12, -1.0):
            for game, lower, upper in zip(games, *bounds_of(games, tolerance), strict=True):
                solution, size = solve_matrix(game), max(1.0, np.abs(game).max())
                assert -1e-15 * size <= upper - lower <= 1e-12 * size
                assert lower - 1e-15 * size <= solution.value + solution.gap
                assert solution.value - solution.gap <= upper + 1e-15 * size


@pytest.mark.plain_kernels
@pytest.mark.parametrize("tolerance", [1e-12, 0.0])  # many bounds are not within 0: those games are solved again
@each_row("kind", KINDS)
def test_bounds_depend_neither_on_the_lane_nor_on_the_games_in_the_others(kind, tolerance):
    rng = np.random.default_rng(7)
    for games in groups_of(kind):
        together = bounds_of(games, tolerance)
        order = rng.permutation(LANES)
        assert np.array_equal(bounds_of(games[order], tolerance), together[:, order])
        for g in (0, LANES - 1):
            assert np.array_equal(bounds_of(np.repeat(games[g : g + 1], LANES, axis=0), tolerance).T[3], together[:, g])


@each_row("kind", BATCHES)
def test_compiled_bounds_are_those_of_plain_python(kind):
    plain = compiled._copies("baselines.matrix_game.lockstep_kernel").bound_lanes
    for games in groups_of(kind):
        assert np.array_equal(bounds_of(games, 1e-12, plain), bounds_of(games, 1e-12))


def every_operation(a, b, whole, strided, rows, out, masks):
    """Writes the results of all operations into the rows of `out` and `masks`."""
    first, second = load(a), load(b)
    results = (
        *(first + second, first - second, first * second, first / second, 2.0 - first, first / 3, first * second + 1),
        *(load(strided), pick(whole, load(rows)), spread(1.5) + first, where(first < second, first, 0.0)),
    )
    compared = (
        *(first < second, first <= second, first > second, first == second, first > 0.5),
        *((first < second) & (first > 0.0), (first < second) | (first > 0.0)),
    )
    for k in range(len(results)):
        store(out[k], results[k])
        store(whole[:, k], results[k])  # apart in memory
    for k in range(len(compared)):
        store(masks[k], where(compared[k], k + load(rows) * 2 - 1, spread(-1)))
        masks[k, 0] += 100 * any_lane(compared[k])
    store(masks[len(compared)], 7)


@pytest.mark.parametrize("same", [False, True])
def test_compiled_vectors_are_those_of_numpy(same):
    rng = np.random.default_rng(5)
    a, whole = rng.integers(-2, 3, LANES) / 2, rng.normal(size=(LANES, 2 * LANES))
    b, rows = (a if same else rng.integers(1, 3, LANES) / 2), rng.permutation(LANES)
    b = np.where(b == 0.0, 1.0, b)
    results = []
    for function in (every_operation, compiled.njit(error_model="numpy")(every_operation)):
        mine, out, masks = whole.copy(), np.zeros((11, LANES)), np.zeros((9, LANES), dtype=np.int64)
        function(a, b, mine, mine[:, 3], rows, out, masks)
        results.append((mine, out, masks))
    for of_numpy, of_numba in zip(*results, strict=True):
        assert np.array_equal(of_numpy, of_numba)
