"""Dice Poker (Rauscher 2017): the rules on written games, and the arrays held against the rules."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from thinning import each_row

from cardwar_envs import make_game
from cardwar_envs.games.dice_poker import DicePoker, DicePokerState
from cardwar_envs.games.dice_poker.state import CALL, CHECK, FOLD, RAISE

USUAL = DicePoker()
TALL = DicePoker(sides=10, ante=2.0, raise_size=5.0)

# rolls, joint action, payoff to player 0 with an ante of 1 and a raise of 1, and with 2 and 5
WRITTEN = [
    # after a check the higher roll wins the ante, whatever player 1 would have done
    ((6, 1), (CHECK, FOLD), 1, 2),
    ((6, 1), (CHECK, CALL), 1, 2),
    ((2, 3), (CHECK, FOLD), -1, -2),
    ((2, 3), (CHECK, CALL), -1, -2),
    ((4, 4), (CHECK, FOLD), 0, 0),
    ((4, 4), (CHECK, CALL), 0, 0),
    # a fold gives up the ante, even with the higher or an equal roll
    ((6, 1), (RAISE, FOLD), 1, 2),
    ((1, 6), (RAISE, FOLD), 1, 2),
    ((3, 3), (RAISE, FOLD), 1, 2),
    # after a call the higher roll wins ante and raise
    ((6, 5), (RAISE, CALL), 2, 7),
    ((1, 2), (RAISE, CALL), -2, -7),
    ((5, 5), (RAISE, CALL), 0, 0),
]


@each_row(("rolls", "actions", "usual", "tall"), WRITTEN)
def test_written_games(rolls, actions, usual, tall):
    for game, paid in ((USUAL, usual), (TALL, tall)):
        state = DicePokerState(rolls)
        assert game.acting_players(state) == (0, 1)
        (outcome,) = game.transitions(state, dict(enumerate(actions)))
        assert outcome == (1, DicePokerState(rolls, actions), (paid, -paid))
        assert game.acting_players(outcome.state) == ()
        assert game.legal_actions(outcome.state, 0) == ()


def test_an_observation_is_the_own_roll_and_the_seat():
    state = DicePokerState((2, 5))
    assert USUAL.observation(state, 0).tolist() == [2, 0]
    assert USUAL.observation(state, 1).tolist() == [5, 1]
    facts = USUAL.facts
    assert (facts.public_state, facts.seat_symmetric, facts.zero_sum, facts.num_actions) == (False, False, True, 2)
    with pytest.raises(ValueError, match="dice_poker: an observation does not show the whole state"):
        USUAL.state_of(USUAL.observation(state, 0))


def test_payoffs_reach_their_bounds():
    assert (TALL.facts.min_payoff, TALL.facts.max_payoff) == (-7, 7)
    assert DicePoker(ante=0).facts.max_payoff == 1


def test_words():
    assert [USUAL.describe_action(action, 0) for action in (CHECK, RAISE)] == ["check", "raise"]
    assert [USUAL.describe_action(action, 1) for action in (FOLD, CALL)] == ["fold", "call"]


def test_describe_hides_the_rolls_until_both_have_moved():
    shown = {USUAL.describe(DicePokerState(rolls)) for rolls in product(range(1, 7), repeat=2)}
    assert shown == {"player_0 rolled ?\nplayer_1 rolled ?"}
    assert USUAL.describe(DicePokerState((2, 5), (RAISE, FOLD))) == "player_0 rolled 2\nplayer_1 rolled 5"


stakes = st.one_of(st.integers(0, 50), st.floats(0.0, 1e6, allow_subnormal=False))


@settings(deadline=None, max_examples=50, derandomize=True)
@given(sides=st.integers(2, 9), ante=stakes, raise_size=stakes.filter(bool))
def test_the_arrays_are_the_rules(sides, ante, raise_size):
    """Every deal, payoff, observation and action of `bayesian_form`, one by one."""
    game = make_game("dice_poker", sides=sides, ante=ante, raise_size=raise_size)
    form = game.bayesian_form()
    assert form.payoffs.shape == (sides, sides, 2, 2)
    assert form.types == (tuple(map(str, range(1, sides + 1))),) * 2
    dealt = set()
    for probability, state, _ in game.initial():
        i, j = (roll - 1 for roll in state.rolls)
        dealt.add((i, j))
        assert Fraction(int(form.deals[i, j]), int(form.deals.sum())) == probability
        assert form.weights[i, j] == pytest.approx(float(probability))
        for player, kind in enumerate((i, j)):
            assert np.array_equal(form.observations[player][kind], game.observation(state, player))
            assert form.observations[player].dtype == np.float32
            assert form.actions[player] == game.legal_actions(state, player)
        for a, b in product((0, 1), repeat=2):
            (outcome,) = game.transitions(state, {0: a, 1: b})
            assert form.payoffs[i, j, a, b] == outcome.rewards[0] == 0.0 - outcome.rewards[1]
            assert abs(outcome.rewards[0]) <= game.facts.max_payoff
    assert len(dealt) == form.deals.size
