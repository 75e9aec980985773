"""Games of many rounds: values, strategies, best responses and results, against slower ways to the same."""

import numpy as np
import pytest
from brute_force import asked

import baselines
from baselines import best_response, exploitability, head_to_head, make_policy, solve
from baselines.matrix_game import solve_matrix
from baselines.matrix_game.double_double_kernel import solve_carefully
from baselines.oracles.answers.estimates import Announced
from baselines.oracles.finite_horizon import value_iteration as vi
from baselines.oracles.finite_horizon.positions import History, form_of, levels_of
from baselines.oracles.finite_horizon.response import RoundsOracle
from baselines.oracles.finite_horizon.value_iteration import RoundsTable, RoundValues
from baselines.oracles.state_graph.backward_induction import EquilibriumTable
from cardwar_envs import make_game
from cardwar_envs.core.game import CERTAIN, Transition
from cardwar_envs.games.war.state import WarState

# Not reached from the start of 4 ranks with 1 discard: cards are won in pairs.
ELSEWHERE = WarState(((2, 2, 3), (3, 4)), ((4,), (5, 5)), rounds_left=3)


def war(ranks, discards, max_rounds):
    return make_game("war", ranks=ranks, discards=discards, max_rounds=max_rounds)


class Restless:
    """Plays all that is legal, never alike at two observations, rounds left included."""

    def action_probabilities(self, observations, action_masks):
        shades = np.arange(1, observations.shape[1] + 1) * 0.37
        angles = (observations @ shades)[:, None] + np.arange(action_masks.shape[1]) * 2.1
        weights = action_masks * (1.05 + np.sin(angles))
        return weights / weights.sum(axis=1, keepdims=True)


class Counting(Restless):
    """Plays alike for any number of rounds left, and counts how often it is asked."""

    stationary = True

    def __init__(self):
        self.rows = 0

    def action_probabilities(self, observations, action_masks):
        self.rows += len(observations)
        return super().action_probabilities(observations[:, :-1], action_masks)


# -- values and strategies ---------------------------------------------------------------------------


def test_states_elsewhere_are_right_too():
    game = war(4, 1, 3)
    game.check(ELSEWHERE)
    assert form_of(game).code(ELSEWHERE) < 0
    solution, table = solve(game), EquilibriumTable(game)
    table.solve([Transition(CERTAIN, ELSEWHERE, (0.0, 0.0))])
    assert solution.value_at(ELSEWHERE) == pytest.approx(table.value_to_go(ELSEWHERE), abs=1e-14)
    first, second = solution.strategies(ELSEWHERE)
    assert (first.sum(), second.sum()) == (pytest.approx(1), pytest.approx(1))


def test_only_a_few_regions_elsewhere_are_kept():
    game = war(4, 1, 3)
    table = RoundsTable(game)
    table.solve(game.initial())
    start = table.regions[0]
    for rounds_left in (1, 2, 3):
        for hand in ((5,), (4,), (3,), (2,)):
            rest = [2, 2, 3, 3, 4, 4, 5, 5]
            rest.remove(hand[0])
            table.value_to_go(WarState((rest[1:], hand), (rest[:1], ()), rounds_left=rounds_left))
    assert table.regions[0] is start
    assert len(table.regions) <= vi.MAX_REGIONS


def test_the_gap_is_the_sum_over_rounds_of_the_worst_of_each_level():
    game = war(4, 1, 60)
    values = RoundValues(form_of(game), 60)
    assert (np.diff(values.gaps) >= 0).all()
    assert values.gaps[0] == 0
    assert 0 < solve(game).gap == values.gaps[-1] < 1e-9


def test_values_do_not_depend_on_threads(monkeypatch):
    form = form_of(war(4, 1, 12))
    monkeypatch.setattr("baselines.oracles.finite_horizon.positions.CHUNK", 100)
    one, three = (RoundValues(form, 12, threads=threads) for threads in (1, 3))
    assert all(np.array_equal(a, b) for a, b in zip(one.history.kept, three.history.kept, strict=True))
    assert np.array_equal(one.gaps, three.gaps)


def test_the_deck_of_four_ranks_repeats_bit_for_bit():
    """From then on nothing is worked out any more, and all is as if it had been."""
    game = war(4, 1, 2000)
    long = RoundValues(form_of(game), 2000)
    assert long.history.period is not None
    assert long.sweeps < 1000
    assert solve(game).states == long.sweeps * 1004
    short = RoundValues(form_of(game), long.sweeps + 7)
    assert np.array_equal(short.gaps, long.gaps[: long.sweeps + 8])
    again = long.history[long.sweeps + 30]
    assert np.array_equal(again, long.history[long.sweeps + 30 + long.history.period])


def test_a_history_repeats_what_came_before():
    history = History(np.array([0]))
    for number in (1, 2, 3, 2):
        history.append(np.array([number]))
    assert history.period == 2
    assert [int(history[r][0]) for r in range(9)] == [0, 1, 2, 3, 2, 3, 2, 3, 2]


def test_progress_is_told_and_long_work_is_announced_before_it_begins(monkeypatch):
    told = []
    solve(war(3, 1, 5), progress=told.append)
    assert told == [57 * sweep for sweep in range(1, 6)]
    monkeypatch.setattr("baselines.oracles.answers.estimates.processors", lambda: 2)
    monkeypatch.setattr("baselines.oracles.answers.estimates.SECONDS_PER_MATRIX_GAME", 6.0)
    told.clear()
    solve(war(3, 1, 200), progress=Announced(told.append, told.append))
    # 57 * 200 games of 6 / 6 seconds on 2 processors; the values repeat after fewer rounds
    assert told[:2] == ["At most 11,400 matrix games on 2 processors take about 95 minutes.", 57]
    assert told[-1] < 11_400
    with pytest.raises(ValueError, match="the equilibrium of war takes at most about 28 minutes to compute; solve"):
        make_policy("equilibrium", war(3, 1, 60))


def test_what_is_too_large_is_refused():
    with pytest.raises(ValueError, match=r"3 discards has more than 249,750 positions; .* or fewer rounds"):
        solve(make_game("war"))
    with pytest.raises(ValueError, match="more than 4,000,000 positions"):
        exploitability(make_game("war"), "uniform")
    with pytest.raises(ValueError, match="more than 500 positions"):
        solve(war(4, 1, 5), max_states=500)
    with pytest.raises(ValueError, match=r"more than 249 positions; .* are stored for each of 1,000,000"):
        solve(war(4, 1, 1_000_000))


# -- hard matrices -------------------------------------------------------------------------------


def bounds(matrix):
    x, y = np.empty(matrix.shape[0]), np.empty(matrix.shape[1])
    lower, upper, hard = solve_carefully(matrix, x, y)
    assert (x.sum(), y.sum()) == (pytest.approx(1, abs=1e-12), pytest.approx(1, abs=1e-12))
    assert lower <= (x @ matrix).min() + 1e-15
    assert upper >= (matrix @ y).max() - 1e-15
    return lower, upper, hard


@pytest.mark.parametrize("spread", [1e-6, 1e-9, 1e-12, 1e-15])
@pytest.mark.parametrize("size", [*(pytest.param(size, marks=pytest.mark.plain_kernels) for size in (3, 6)), 20])
def test_nearly_equal_rows_and_columns_are_solved(size, spread):
    rng = np.random.default_rng(size)
    for _ in range(50):
        matrix = rng.integers(-1, 2, (size, 2)) @ rng.integers(-1, 2, (2, size)) / 2 + spread * rng.normal(
            size=(size, size)
        )
        lower, upper, _ = bounds(matrix)
        assert upper - lower <= 1e-12


def test_pairs_of_floats_are_needed_and_help_on_a_settling_deck(monkeypatch):
    monkeypatch.setattr(vi, "solve_matrix", lambda matrix: pytest.fail("pairs of floats did not help"))
    values = RoundValues(form_of(war(5, 1, 100)), 100)
    assert values.gaps[-1] < 1e-9
    nodes = levels_of(values.form)[-1]
    before = values.around(nodes, 100)
    assert any(bounds(vi.matrix_of(values.arrays, node, before))[2] for node in nodes)


def test_what_even_pairs_fail_on_falls_back(monkeypatch):
    """The last resort gives the same values."""
    game, solved = war(3, 1, 6), []

    def broken(arrays, nodes, values, lower, upper):
        lower[:], upper[:] = -np.inf, np.inf

    plain = RoundValues(form_of(game), 6)
    monkeypatch.setattr(vi.kernel(1), "solve_nodes", broken)
    monkeypatch.setattr(vi, "solve_matrix", lambda matrix: solved.append(matrix) or solve_matrix(matrix))
    values = RoundValues(form_of(game), 6)
    assert len(solved) == 57 * 6
    assert all(np.allclose(a, b, atol=1e-13) for a, b in zip(values.history.kept, plain.history.kept, strict=True))


# -- best responses and results ------------------------------------------------------------------------


def test_a_stationary_policy_is_asked_once():
    game, policy = war(4, 1, 30), Counting()
    oracle = RoundsOracle(game)  # without what is asked again
    value = oracle.response([policy] * 2, 0).value
    once = policy.rows
    form = form_of(game)
    sizes = np.diff(form.rows)[form.lists]
    assert once == (sizes > 1).sum()
    restless = type("Asked", (Counting,), {"stationary": False})()
    assert oracle.response([restless] * 2, 0).value == value
    assert restless.rows == 30 * once


def test_a_settled_response_is_as_if_it_had_been_worked_out(monkeypatch):
    """Against play that is always lost the response settles long before the last round."""
    game = war(4, 1, 80)
    response = best_response(game, "max")
    late = game.initial()[0].state
    assert asked(game, response.policy, late, 0).sum() == 1.0
    assert RoundsOracle(game).payoffs([baselines.make_policy("max", game)] * 2)[1][0] == response.value
    assert head_to_head(game, response.policy, "max").mean == pytest.approx(response.value, abs=1e-13)
    assert RoundsOracle(game).odds([response.policy, baselines.make_policy("max", game)]).win > 0


def test_a_response_answers_where_the_game_cannot_get():
    game = war(4, 1, 3)
    policy = RoundsOracle(game).response([baselines.make_policy("uniform", game)] * 2, 0).policy
    elsewhere = asked(game, policy, ELSEWHERE, 0)
    legal = list(game.legal_actions(ELSEWHERE, 0))
    assert elsewhere[legal] == pytest.approx(1 / len(legal))


@pytest.mark.slow
def test_six_ranks_with_three_discards_are_certified():
    solution = solve(war(6, 3, 100))
    assert (solution.value, solution.states) == (0.0, 100 * 164_405)
    assert solution.gap <= 1e-6
    assert exploitability(solution.game, solution.policy) == pytest.approx(0, abs=1e-9)
