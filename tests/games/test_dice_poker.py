"""Dice Poker (Rauscher 2017): the rules on written games."""

from itertools import product

import pytest
from thinning import each_row

from cardwar_envs.games.dice_poker import CALL, CHECK, FOLD, RAISE, DicePoker, DicePokerState

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
