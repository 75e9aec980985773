"""Games on private information: values, certificates, responses, and the whole set of optimal strategies."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from bayes import PrivateToy, normal_form, pure_plans, random_toy
from brute_force import minimax
from thinning import each_row
from toys import Answering

from baselines import best_response, exploitability, has_exact_results, head_to_head, nash_conv, solve
from baselines.oracles.bayesian.solver import form_of, optimal_range
from cardwar_envs import make_game

USUAL = make_game("dice_poker")
# Rauscher 2017: B calls with 1..6 this often
PUBLISHED_B = (0, 1 / 2, 5 / 6, 1 / 3, 1, 1)
PUBLISHED_A = (2 / 3, 0, 0, 0, 1, 1)


def often(*chances):
    """Plays action 1 with the chance given for the own roll."""
    rows = np.array([(1.0 - p, p) for p in chances])
    return Answering(lambda observations, masks: rows[observations[:, 0].astype(int) - 1])


class Undeclared(PrivateToy):
    """Has no arrays of its own; pays a third of the points, partly at the deal, and one more or less by chance."""

    def bayesian_form(self):
        return super(PrivateToy, self).bayesian_form()

    def initial(self):
        return [each._replace(rewards=(Fraction(1, 3), Fraction(-1, 3))) for each in super().initial()]

    def transitions(self, state, actions):
        (outcome,) = super().transitions(state, actions)
        paid = Fraction(outcome.rewards[0]) / 3 - Fraction(1, 3)
        return [outcome._replace(probability=Fraction(1, 2), rewards=(p, -p)) for p in (paid - 1, paid + 1)]


# -- values -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_the_rules_are_enough(seed):
    declared = random_toy(seed)
    game = Undeclared(declared.deals, declared.payoffs, declared.actions)
    found, thirds = solve(game, exact=True), solve(declared, exact=True)
    assert found.exact == thirds.exact / 3
    assert nash_conv(game, "uniform", exact=True).exact == nash_conv(declared, "uniform", exact=True).exact / 3
    assert solve(game, exact=False).value == pytest.approx(float(found.exact))
    assert nash_conv(game, found.policy).total == pytest.approx(0.0, abs=1e-12)
    with pytest.raises(ValueError, match="the odds of winning are not computed"):
        head_to_head(game, "uniform", "uniform")
    assert (has_exact_results(declared), has_exact_results(game)) == (True, False)


def test_rounded_payoffs_are_solved_in_floats():
    game = make_game("dice_poker", ante=0.1)
    assert solve(game).exact is None
    assert solve(game).value == pytest.approx(solve(make_game("dice_poker", ante=1, raise_size=10)).value / 10)
    with pytest.raises(ValueError, match=r"0\.1 in the rules is a rounded float"):
        solve(game, exact=True)


@each_row(
    ("parameters", "value"),
    [
        ({}, Fraction(5, 54)),  # Rauscher 2017, the last line: 0.09259259
        ({"sides": 2}, Fraction(0)),
        ({"sides": 3}, Fraction(2, 27)),
        ({"sides": 4}, Fraction(1, 12)),
        ({"sides": 10}, Fraction(1, 10)),
        ({"ante": 0}, Fraction(0)),  # nothing to win by a fold, and B need never call
        ({"ante": 3, "raise_size": 3}, Fraction(15, 54)),
    ],
)
def test_values(parameters, value):
    game = make_game("dice_poker", **parameters)
    solution = solve(game)
    assert solution.exact == value
    assert solution.value == float(value)
    assert solution.gap <= 1e-15
    assert solution.states == 2 * game.sides
    by_floats = solve(game, exact=False)
    assert by_floats.exact is None
    assert by_floats.value == pytest.approx(float(value), abs=1e-12)
    assert by_floats.gap <= 1e-12


def test_many_sides():
    solution = solve(make_game("dice_poker", sides=200))
    assert solution.value == pytest.approx(0.1, abs=1e-12)  # as for all multiples of 10
    assert solution.gap <= 1e-12
    assert exploitability(solution.game, solution.policy) <= 1e-12


@each_row("scale", [1e-9, 1e-3, 1e6])
def test_floats_do_not_depend_on_the_unit_of_the_stakes(scale):
    game = make_game("dice_poker", sides=50, ante=scale, raise_size=scale)
    solution = solve(game)
    assert solution.value == pytest.approx(0.1 * scale, rel=1e-9)
    assert solution.gap <= 1e-9 * scale


# -- games that are alike in nothing -------------------------------------------------------------------------


@each_row("exact", [True, False])
def test_a_type_that_is_never_dealt_has_a_strategy_all_the_same(exact):
    deals = np.array([[1, 0, 2], [0, 0, 0], [3, 0, 1]])
    payoffs = np.random.default_rng(3).integers(-4, 5, size=(3, 3, 2, 2)).astype(float)
    game = PrivateToy(deals, payoffs, ((0, 1), (0, 1)))
    solution = solve(game, exact=exact)
    for behaviour in solution.behaviour:
        assert np.isfinite(behaviour).all()
        assert behaviour.sum(axis=1) == pytest.approx(1.0)
    without = PrivateToy(deals[np.ix_([0, 2], [0, 2])], payoffs[np.ix_([0, 2], [0, 2])], ((0, 1), (0, 1)))
    assert solution.value == pytest.approx(solve(without).value, abs=1e-12)
    assert abs(exploitability(game, solution.policy)) <= 1e-12


# -- Dice Poker between policies ---------------------------------------------------------------------------------


def test_published_strategies_are_optimal():
    """Rauscher 2017: A's and B's optimal strategies; B's is another than ours."""
    for b in (PUBLISHED_B, solve(USUAL).behaviour[1][:, 1]):
        assert best_response(USUAL, often(*b), 0).value == pytest.approx(5 / 54, abs=1e-12)
    assert best_response(USUAL, often(*PUBLISHED_A), 1).value == pytest.approx(-5 / 54, abs=1e-12)
    assert abs(exploitability(USUAL, (often(*PUBLISHED_A), often(*PUBLISHED_B)))) <= 1e-12


# -- all optimal strategies --------------------------------------------------------------------------------------


def test_b_has_many():
    least, greatest = optimal_range(USUAL, 1)
    assert (least[:, 1] <= np.array(PUBLISHED_B) + 1e-15).all()
    assert (greatest[:, 1] >= np.array(PUBLISHED_B) - 1e-15).all()
    assert greatest[1, 1] - least[1, 1] > 0.5
    assert (least[[0, 4, 5], 1].tolist(), greatest[[0, 4, 5], 1].tolist()) == ([0, 1, 1], [0, 1, 1])
    assert (least[:, 0] == 1 - greatest[:, 1]).all()


@each_row("seed", range(20))
@pytest.mark.parametrize("unit", [1.0, 0.1])
def test_ranges_in_floats_are_those_in_fractions_or_not_determined(seed, unit):
    toy = random_toy(seed, zeros=seed % 2 == 0)
    floats, fractions = (
        solve(PrivateToy(toy.deals, unit * toy.payoffs, toy.actions), exact=False),
        solve(toy, exact=True),
    )
    both = fractions.unique(0) and fractions.unique(1)
    for player in (0, 1):
        assert floats.unique(player) in ({fractions.unique(player)} if unit == 1.0 or both else {None})
        for kind, bounds in (floats.ranges(player) or {}).items():
            for action, found in bounds.items():
                assert found == pytest.approx([*map(float, fractions.ranges(player)[kind][action])], abs=1e-6)


@each_row(("ante", "stake", "unit"), [(1e5, 0.1, 10), (0.1, 1e8, 10), (1.0, 1e9, 1), (0.1, 10.0, 10)])
def test_stakes_of_unlike_sizes(ante, stake, unit):
    """In fractions of a unit, the same game has payoffs that are not rounded."""
    game, whole = (make_game("dice_poker", ante=u * ante, raise_size=u * stake) for u in (1, unit))
    floats, fractions = solve(game, exact=False), solve(whole, exact=True)
    for player in (0, 1):
        assert floats.unique(player) in (None, fractions.unique(player))
        assert floats.free(player) == [] or floats.unique(player) is False


@each_row("seed", range(4))
def test_ranges_by_the_normal_form(seed):
    """The same extremes by linear programs over mixtures of pure strategies."""
    from scipy.optimize import linprog

    game = random_toy(seed, zeros=seed > 1)  # types that are never dealt can play in any way
    form = form_of(game)
    grid = np.array(normal_form(form), dtype=float)
    for player in (0, 1):
        worth = grid if player == 0 else -grid.T
        value = minimax(worth)
        least, greatest = optimal_range(game, player)
        plans = pure_plans(form, player)
        for kind, action in np.ndindex(least.shape):
            plays = (plans[:, kind] == action).astype(float)
            for sign, bound in ((1, least), (-1, greatest)):
                outcome = linprog(
                    sign * plays, A_ub=-worth.T, b_ub=np.full(worth.shape[1], 1e-9 - value), A_eq=[[1.0] * len(plans)],
                    b_eq=[1.0],
                )  # fmt: skip
                assert outcome.status == 0
                assert float(bound[kind, action]) == pytest.approx(plays @ outcome.x, abs=1e-5)


def test_floats_that_cannot_tell_payoffs_apart_give_no_ranges():
    solution = solve(make_game("dice_poker", ante=1e9, raise_size=0.1))
    assert [(solution.exact, solution.ranges(player), solution.free(player)) for player in (0, 1)] == [
        (None, None, [])
    ] * 2


# -- what is refused ------------------------------------------------------------------------------------------------


def test_seats_that_see_the_same_but_must_play_differently_are_refused():
    """One table cannot hold both: the second seat's rows would take the place of the first one's."""

    class Seatless(PrivateToy):
        def observation(self, state, player):
            return np.array([state[0][player], 0, 0], dtype=np.float32)

        def bayesian_form(self):
            form = super().bayesian_form()
            return replace(form, observations=tuple(seen * [1, 0, 1] for seen in form.observations))

    one = np.ones((1, 1), dtype=int)
    unlike = Seatless(one, np.array([[[[0.0, 1.0], [2.0, 3.0]]]]), ((0, 1), (0, 1)))  # 1 against 0 is dominant
    with pytest.raises(ValueError, match="both players see the same observation but must play differently"):
        solve(unlike)
    alike = Seatless(one, np.array([[[[3.0, 2.0], [1.0, 0.0]]]]), ((0, 1), (1, 0)))
    assert exploitability(alike, "uniform") > 0.0


def test_the_certified_gap_covers_rounding():
    solution = solve(make_game("dice_poker", sides=100), exact=False)  # the value is 1/10
    assert 0 < abs(Fraction(solution.value) - Fraction(1, 10)) <= solution.gap < 1e-12
