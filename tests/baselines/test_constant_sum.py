"""Constant-sum games have the shifted value, the same strategies and the same exploitability as zero-sum ones."""

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
import pytest
from brute_force import reachable
from shifted import shifted
from toys import one_step

import baselines
from cardwar_envs import Transition, make_game, table_game
from cardwar_envs.core.constant_sum import MOST_OUTCOMES, is_constant_sum, payoff_sum, zero_sum_form
from cardwar_envs.games.dice_poker import DicePoker
from cardwar_envs.games.goofspiel import Goofspiel
from cardwar_envs.games.jujitsu import Jujitsu
from cardwar_envs.games.lowest_unique import LowestUnique

GAMES = {  # a public state without chance, chance after moves, and private information
    "jujitsu": (Jujitsu, {"hand_0": (1, 2, 4), "hand_1": (1, 3, 3)}),
    "goofspiel": (Goofspiel, {"num_cards": 3}),
    "dice_poker": (DicePoker, {"sides": 3}),
}
MORE = {"alike": (1.0, 1.0), "unlike": (0.5, 2.0), "thirds": (Fraction(1, 3), Fraction(0))}


@pytest.mark.parametrize("more", MORE.values(), ids=MORE)
@pytest.mark.parametrize(("kind", "parameters"), GAMES.values(), ids=GAMES)
def test_payoffs_that_are_shifted_shift_the_value_and_nothing_else(kind, parameters, more):
    game, plain = shifted(kind, more)(**parameters), kind(**parameters)
    assert not game.facts.zero_sum
    assert payoff_sum(game) == sum(map(Fraction, more))
    value = baselines.solve(plain, exact=True).exact
    exact, solved = baselines.solve(game, exact=True), baselines.solve(game)
    assert exact.exact == value + Fraction(more[0])
    assert exact.values == pytest.approx((value + more[0], more[1] - value), abs=1e-15)
    assert abs(solved.value - float(exact.exact)) <= solved.gap + 1e-12
    assert repr(exact).count(" to player_1, exact") == 1
    for policy in ("uniform", "equilibrium"):
        shift, unshifted = (baselines.nash_conv(each, policy, exact=True) for each in (game, plain))
        assert shift.exact_per_player == unshifted.exact_per_player
        assert shift.exact_payoffs == tuple(p + Fraction(m) for p, m in zip(unshifted.exact_payoffs, more, strict=True))
        assert baselines.exploitability(game, policy, exact=True) == baselines.exploitability(plain, policy, exact=True)
    for player in (0, 1):
        best, other = (baselines.best_response(each, "uniform", player, exact=True) for each in (game, plain))
        assert best.exact == other.exact + Fraction(more[player])


@pytest.mark.parametrize("claims", [{}, {"keeps_claims": True}], ids=["plain", "canonical"])
def test_values_matrices_and_ranges_at_every_state(claims):
    """With its declarations, the game is solved on canonical states, which can swap the seats."""
    more = (0.5, 0.5)
    game, plain = shifted(Jujitsu, more, **claims)(num_cards=3), make_game("jujitsu", num_cards=3)
    solution, other = baselines.solve(game, exact=True), baselines.solve(plain, exact=True)
    floats = baselines.solve(game)
    states = [state for state in reachable(plain) if plain.acting_players(state)]
    assert len(states) > 20
    for state in states:
        assert solution.exact_value_at(state) == other.exact_value_at(state) + Fraction(more[0])
        assert solution.sum_to_go(state) == sum(map(Fraction, more))
        assert floats.value_at(state) == pytest.approx(float(solution.exact_value_at(state)), abs=1e-12)
        shift = np.array(solution.exact_payoff_matrix(state)) - np.array(other.exact_payoff_matrix(state))
        assert (shift == Fraction(more[0])).all()
        mixes = (each.at(state).mixes for each in (solution, other, floats))
        for mix, same, near in zip(*mixes, strict=True):
            assert mix.exact == same.exact
            assert near.unique == mix.unique
    assert baselines.exploitability(game, solution.policy, exact=True) == 0


def test_a_table_in_shares_of_one_point():
    """The example of the documents: 1, 1/2 or 0 points, and the other player gets the rest."""
    game = table_game([[["1", "1/2", 0], [0, 1, "1/3"]], [[0, "1/2", 1], [1, 0, "2/3"]]])
    solution = baselines.solve(game, exact=True)
    # Columns 1 and 3 are played: 1 p = 1/3 (1 - p) gives p = 1/4, and the value p.
    assert solution.exact == Fraction(1, 4)
    assert solution.values == (0.25, 0.75)
    assert [list(seat.values()) for seat in solution.labelled()] == [
        [Fraction(1, 4), Fraction(3, 4)],
        [Fraction(1, 4), 0, Fraction(3, 4)],
    ]


@dataclass(frozen=True)
class Split(Jujitsu):
    """A game whose sum depends on chance alone: a coin decides at the end whether both get another 2 or 4 points."""

    name = "split"

    @property
    def facts(self):
        return replace(super().facts, name="split", zero_sum=False, min_payoff=-1.0, max_payoff=5.0, chance="moves")

    def transitions(self, state, actions):
        (found,) = super().transitions(state, actions)
        if self.acting_players(found.state):
            return [found]
        paid = [tuple(paid + more for paid in found.rewards) for more in (2.0, 4.0)]
        return [Transition(Fraction(1, 2), found.state, rewards) for rewards in paid]


def test_the_sum_may_depend_on_chance():
    game, plain = Split(num_cards=3), make_game("jujitsu", num_cards=3)
    assert payoff_sum(game) == 6
    assert baselines.solve(game, exact=True).exact == baselines.solve(plain, exact=True).exact + 3
    found, other = (baselines.exploitability(each, "uniform", exact=True) for each in (game, plain))
    assert found == other


def test_what_is_not_constant_sum_is_refused_with_the_reason():
    game = LowestUnique(num_players=2, payoff="prize")
    assert not is_constant_sum(game)
    assert zero_sum_form(game) is game
    with pytest.raises(ValueError, match=r"solving is for two-player zero-sum games; .* depends on the moves"):
        baselines.solve(game)
    with pytest.raises(ValueError, match=r"for two-player zero-sum games; use nash_conv$"):
        baselines.exploitability(LowestUnique(payoff="prize"), "uniform")
    assert payoff_sum(LowestUnique(payoff="prize")) == 0


def test_a_game_that_is_too_large_for_the_proof_is_not_claimed(monkeypatch):
    monkeypatch.setattr("cardwar_envs.core.constant_sum.MOST_OUTCOMES", 20)
    game = shifted(Jujitsu, (1.0, 1.0))(num_cards=4)
    with pytest.raises(ValueError, match="its 20 first outcomes do not prove it constant-sum"):
        baselines.solve(game)
    assert MOST_OUTCOMES == 1_000_000


def test_sums_of_rounded_floats_may_differ_by_rounding():
    rounded = table_game(np.array([[[0.1, 0.7], [0.3, 0.2]], [[0.9, 0.3], [0.7, 0.8]]]))
    assert payoff_sum(rounded) == pytest.approx(1.0)
    assert baselines.solve(rounded).values == pytest.approx((0.28 / 0.9 - 0.05, 1.05 - 0.28 / 0.9), abs=0.06)
    with pytest.raises(ValueError, match="rounded float"):
        baselines.solve(rounded, exact=True)
    assert not is_constant_sum(table_game(np.array([[[0.1, 0.7]], [[0.9, 0.3001]]])))


def test_payments_that_are_no_numbers_are_not_constant():
    for more in (float("nan"), float("inf")):
        game = shifted(Jujitsu, (more, 1.0))(num_cards=3)
        assert not is_constant_sum(game)


def test_one_who_declares_zero_sum_is_not_listed():
    game = one_step()
    assert zero_sum_form(game) is game
    assert payoff_sum(game) == 0
