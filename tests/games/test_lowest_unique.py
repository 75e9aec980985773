"""Lowest unique number: the rules on written rounds, and answers for three players against plain sums."""

from itertools import product
from math import sqrt

import numpy as np
import pytest
from thinning import each_row
from toys import Answering

from baselines import best_response, nash_conv
from cardwar_envs import make_game
from cardwar_envs.core.table_policy import TablePolicy
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


def winner_of(choices):
    """Who wins a round, by going up the numbers."""
    for number in range(min(choices), max(choices) + 1):
        if choices.count(number) == 1:
            return choices.index(number)
    return None


def expected_payoff(own, others, player, payoff):
    """Of three players, if `player` plays the odds `own` and the other two play `others[0]` and `others[1]`."""
    total = 0.0
    for choices in product(range(len(own)), repeat=3):
        left = [choice for seat, choice in enumerate(choices) if seat != player]
        odds = own[choices[player]] * others[0][left[0]] * others[1][left[1]]
        winner = winner_of(choices)
        if winner is not None:
            total += odds * (1.0 if winner == player else -0.5 if payoff == "share" else 0.0)
    return total


def always(odds):
    """Plays the same odds everywhere."""
    return Answering(lambda seen, masks: np.tile(np.array(odds), (len(seen), 1)))


@each_row("payoff", ["share", "prize"])
def test_gains_of_best_responses_for_three_players_are_those_of_plain_sums(payoff):
    game = make_game("lowest_unique", numbers=4, payoff=payoff)
    all_odds = [(0.4, 0.3, 0.2, 0.1), (0.1, 0.0, 0.6, 0.3), (0.25, 0.25, 0.25, 0.25)]
    found = nash_conv(game, [always(odds) for odds in all_odds])
    for player, own in enumerate(all_odds):
        others = [odds for seat, odds in enumerate(all_odds) if seat != player]
        value = expected_payoff(own, others, player, payoff)
        best = max(expected_payoff(pure, others, player, payoff) for pure in np.eye(4))
        assert found.payoffs[player] == pytest.approx(value, abs=1e-12)
        assert found.per_player[player] == pytest.approx(best - value, abs=1e-12)
        assert best_response(game, [always(odds) for odds in all_odds], player).value == pytest.approx(best, abs=1e-12)


def test_the_published_equilibrium_of_three_numbers():
    """Östling et al. 2011, online appendix A: three players choose 1, 2, 3 with these odds."""
    odds = (2 * sqrt(3) - 3, 2 - sqrt(3), 2 - sqrt(3))
    found = nash_conv(make_game("lowest_unique", numbers=3, payoff="prize"), always(odds))
    assert found.total == pytest.approx(0.0, abs=1e-12)
    assert nash_conv(make_game("lowest_unique", numbers=3, payoff="prize"), "uniform").total > 0.1


def test_two_rounds_are_worth_twice_one():
    once, twice = (
        nash_conv(make_game("lowest_unique", numbers=3, rounds=r, payoff="prize"), "uniform") for r in (1, 2)
    )
    assert twice.total == pytest.approx(2 * once.total)


def test_a_policy_can_go_by_the_last_winner():
    """Uniform play, but always 1 after the other has won: a best response plays 1 and wins 1/2 + 1/2 * 1/2 points."""
    game = make_game("lowest_unique", num_players=2, numbers=2, rounds=2)
    the_other_won = game.observation(LowestUniqueState(1, 1), 0)
    policy = TablePolicy({the_other_won.tobytes(): np.array([1.0, 0.0])})
    with pytest.warns(match="in the table at 1 of the 4 observations"):
        assert nash_conv(game, policy).per_player == pytest.approx((0.75, 0.75))
    assert nash_conv(game, "uniform").per_player == pytest.approx((1.0, 1.0))
