"""Correlated and coarse correlated equilibria, and the gaps of joint play."""

from fractions import Fraction

import numpy as np
import pytest
from bimatrix import TEXTBOOK, random_payoffs
from thinning import each_row

import baselines
from baselines.general_sum import solve
from cardwar_envs import make_game, table_game

CHICKEN = table_game(TEXTBOOK["chicken"])
QUARTER = Fraction(1, 4)


def test_the_best_correlated_equilibrium_of_chicken():
    found = baselines.equilibria(CHICKEN, "correlated")
    # Aumann 1987: 5 each with (1/3, 1/3, 1/3); the largest sum is reached with (1/2, 1/4, 1/4)
    assert found[0].joint.tolist() == [[2 * QUARTER, QUARTER], [QUARTER, 0]]
    assert found[0].payoffs == (21 * QUARTER, 21 * QUARTER)
    assert (found[0].exact, found.claim) == (True, "one")
    third = np.array([[Fraction(1, 3), Fraction(1, 3)], [Fraction(1, 3), Fraction(0)]], dtype=object)
    assert baselines.ce_gap(CHICKEN, third).total == 0
    assert baselines.ce_gap(CHICKEN, third).payoffs == (5, 5)


def test_gaps_are_what_deviations_gain():
    together = np.array([[0.0, 0.0], [0.0, 1.0]])  # both play hawk, and each would rather have 2
    assert baselines.ce_gap(CHICKEN, together).per_player == (2.0, 2.0)
    assert baselines.cce_gap(CHICKEN, together).total == 4.0
    joint = np.array([[0.5, 0.0], [0.0, 0.5]])  # pays 3; always dove pays 4, the opposite of the recommendation 4.5
    assert baselines.cce_gap(CHICKEN, joint).per_player == (1.0, 1.0)
    assert baselines.ce_gap(CHICKEN, joint).per_player == (1.5, 1.5)


@each_row("objective", ["sum", "min"])
def test_random_games_have_the_equilibria_that_were_asked_for(objective, monkeypatch):
    rng = np.random.default_rng(5)
    for _ in range(6):
        shape = rng.integers(1, 4, rng.integers(2, 4))
        game = table_game(random_payoffs(rng, shape))
        size = max(1.0, game.facts.max_payoff)
        better = sum if objective == "sum" else min
        worth = {}
        for kind, gap in (("correlated", baselines.ce_gap), ("coarse_correlated", baselines.cce_gap)):
            (found,) = baselines.equilibria(game, kind, selection=objective)
            assert found.joint.shape == tuple(shape)
            assert found.joint.sum() == pytest.approx(1)
            assert 0 <= gap(game, found.joint).total <= 1e-9 * size
            worth[kind] = better(found.payoffs)
            with monkeypatch.context() as patch:
                patch.setattr(solve, "MOST_EXACTLY", 0)
                (near,) = baselines.equilibria(game, kind, selection=objective)
            assert (found.exact, near.exact) == (True, False)
            assert better(near.payoffs) == pytest.approx(float(worth[kind]), abs=1e-7 * size)
        assert worth["coarse_correlated"] >= worth["correlated"] - 1e-9 * size
        for nash in baselines.equilibria(game):  # is a correlated equilibrium
            assert worth["correlated"] >= better(nash.payoffs) - 1e-9 * size


def test_average_play_of_one_profile_has_the_gap_that_nash_conv_is():
    game = make_game("lowest_unique", num_players=3, numbers=3, payoff="prize")
    joint = baselines.average_play(game, ["uniform"])
    assert joint == pytest.approx(np.full((3, 3, 3), 1 / 27))
    conv = baselines.nash_conv(game, "uniform")
    for gap in (baselines.ce_gap(game, joint), baselines.cce_gap(game, joint)):
        assert gap.total == pytest.approx(conv.total)
        assert gap.payoffs == pytest.approx(conv.payoffs)


def test_average_play_is_correlated():
    """The average of the two pure equilibria of chicken is no product, and a correlated equilibrium."""
    pure = baselines.equilibria(CHICKEN, "pure")
    joint = baselines.average_play(CHICKEN, [each.policies for each in pure])
    assert joint.tolist() == [[0.0, 0.5], [0.5, 0.0]]
    assert baselines.ce_gap(CHICKEN, joint).total == 0.0


@each_row(
    "joint",
    [np.eye(2), np.full((3, 3), 1 / 9), np.array([[1.5, -0.5], [0.0, 0.0]]), np.array([[np.nan, 0.5], [0.5, 0.0]])],
)
def test_what_is_no_distribution_is_refused(joint):
    with pytest.raises(ValueError, match=r"joint must be probabilities of joint actions, of shape \(2, 2\)"):
        baselines.ce_gap(CHICKEN, joint)


def test_a_game_of_several_moves_or_no_profile_is_refused():
    with pytest.raises(ValueError, match="all players choose once"):
        baselines.cce_gap(make_game("jujitsu", num_cards=3), np.ones(1))
    with pytest.raises(ValueError, match="profiles must have at least one entry"):
        baselines.average_play(CHICKEN, [])
