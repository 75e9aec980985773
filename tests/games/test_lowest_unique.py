"""Lowest unique number: the rules on written rounds, and the published equilibrium."""

from math import sqrt

import numpy as np
import pytest
from thinning import each_row
from toys import Answering

from baselines import nash_conv
from cardwar_envs import make_game
from cardwar_envs.games.lowest_unique import LowestUniqueState

# Choices of all players, and who wins; None if no number is unique.
ROUNDS = [
    ((1, 2, 3), 0),
    ((3, 2, 1), 2),
    ((1, 1, 4), 2),
    ((1, 4, 1), 1),
    ((2, 2, 2), None),
    ((1, 1), None),
    ((2, 1), 1),
    ((1, 1, 2, 2), None),
    ((1, 1, 2, 2, 5), 4),
    ((5, 3, 3, 4, 4), 0),
]


@each_row(("choices", "winner"), ROUNDS)
def test_written_rounds(choices, winner):
    players = len(choices)
    actions = {player: choice - 1 for player, choice in enumerate(choices)}
    for payoff, others in (("share", -1 / (players - 1)), ("prize", 0.0)):
        game = make_game("lowest_unique", num_players=players, rounds=2, payoff=payoff)
        (start,) = game.initial()
        (outcome,) = game.transitions(start.state, actions)
        expected = [0.0] * players if winner is None else [1.0 if p == winner else others for p in range(players)]
        assert outcome.rewards == tuple(expected)
        assert outcome.state == LowestUniqueState(1, winner)
        assert game.facts.zero_sum == (payoff == "share")


def test_players_see_who_won_from_their_own_seat():
    game = make_game("lowest_unique", rounds=2)
    state = LowestUniqueState(1, 2)
    assert [game.observation(state, player).tolist() for player in range(3)] == [
        [1, 0, 0, 1],
        [1, 0, 1, 0],
        [1, 1, 0, 0],
    ]


def test_the_published_equilibrium_of_three_numbers():
    """Östling et al. 2011, online appendix A: three players choose 1, 2, 3 with these odds."""
    odds = (2 * sqrt(3) - 3, 2 - sqrt(3), 2 - sqrt(3))
    found = nash_conv(
        make_game("lowest_unique", numbers=3, payoff="prize"),
        Answering(lambda seen, masks: np.tile(odds, (len(seen), 1))),
    )
    assert found.total == pytest.approx(0.0, abs=1e-12)
    assert nash_conv(make_game("lowest_unique", numbers=3, payoff="prize"), "uniform").total > 0.1
