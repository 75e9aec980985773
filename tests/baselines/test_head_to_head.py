"""Exact results of one policy against another: by enumeration, by sampling, and as published."""

import numpy as np
import pytest
from brute_force import outcome_distribution
from thinning import each_row
from tiny_games import SOLVABLE, each_of
from toys import Arbitrary, Toy, endless, in_turn, one_step, paid_start

import baselines
from baselines import HeadToHead, head_to_head, make_policy, play_games
from cardwar_envs import make_game


def enumerated(game, first, second):
    """The same four numbers by following every course of play."""
    results = outcome_distribution(game, [first, second])
    win, loss, tie = (
        sum(p for paid, p in results.items() if np.sign(paid[0] - paid[1]) == sign) for sign in (1, -1, 0)
    )
    return win, loss, tie, sum(p * paid[0] for paid, p in results.items())


GAMES = {**SOLVABLE, "in turn": in_turn(), "paid start": paid_start()}


@each_of(GAMES)
def test_results_are_those_of_the_enumeration(game):
    result = head_to_head(game, Arbitrary(1), Arbitrary(2))
    expected = enumerated(game, Arbitrary(1), Arbitrary(2))
    assert (result.win, result.loss, result.tie, result.mean) == pytest.approx(expected, abs=1e-12)
    assert result.win + result.loss + result.tie == pytest.approx(1.0, abs=1e-12)
    if game.facts.max_payoff == 1.0 and game.parameters().get("payoff") == "win":
        assert result.mean == pytest.approx(result.win - result.loss, abs=1e-12)
    back, expected = head_to_head(game, Arbitrary(1), Arbitrary(1)), enumerated(game, Arbitrary(1), Arbitrary(1))
    assert (back.win, back.loss, back.tie, back.mean) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    "game",
    [
        make_game("jujitsu", num_cards=5),
        make_game("dinosaur_war", hand_0=(1, 3, 4, 5, 6), hand_1=(2, 2, 2, 2, 7)),
        make_game("dice_wars", num_cards=3),
    ],
    ids=["jujitsu", "dinosaur_war", "dice_wars"],
)
def test_results_are_what_sampling_comes_to(game):
    """Within four and a half standard errors."""
    policies, games = [Arbitrary(1), make_policy("uniform", game)], 1000
    exact, sample = head_to_head(game, *policies), play_games(game, policies, games, seed=11)[:, 0]
    for share, probability in ((sample > 0, exact.win), (sample < 0, exact.loss), (sample == 0, exact.tie)):
        error = np.sqrt(probability * (1 - probability) / games)
        assert abs(share.mean() - probability) <= 4.5 * error
    assert abs(sample.mean() - exact.mean) <= 4.5 * sample.std() / np.sqrt(games)


def test_a_margin_counts_as_it_is_and_wins_by_its_sign():
    """Highest card (2, 3, 6) against lowest card (1, 3, 5): 6-1 won, 3-3 tied, 2-5 lost; margin 0."""
    game = make_game("dinosaur_war", hand_0=(2, 3, 6), hand_1=(1, 3, 5))
    assert head_to_head(game, "highest_card", "lowest_card") == HeadToHead(win=0.0, loss=0.0, tie=1.0, mean=0.0)
    # Lowest against lowest: 2-1, 3-3 and 6-5.
    assert head_to_head(game, "lowest_card", "lowest_card") == HeadToHead(win=1.0, loss=0.0, tie=0.0, mean=2.0)
    carried = make_game("dinosaur_war", hand_0=(2, 3, 6), hand_1=(1, 3, 5), ties="carry")
    assert head_to_head(carried, "lowest_card", "lowest_card").mean == 3.0


def test_a_loss_now_and_then_can_be_worth_more_than_it_costs():
    """Wins count games, the mean counts points: 1/4 for 9 points, 3/4 against 1."""
    game = Toy((((0, 1), {(0, 0): [("1/4", 99, 9), ("3/4", 99, -1)]}),))
    assert head_to_head(game, "uniform_actions", "uniform_actions") == HeadToHead(0.25, 0.75, 0.0, 1.5)


@each_row(("num_cards", "win"), [(4, 0.25), (5, 0.45), (6, 0.297222)])
@each_row("other", ["uniform", "highest_card", "lowest_card"])
def test_random_play_against_weak_players(num_cards, win, other):
    """Exact counterparts of Sanwal and Drechsler 2002, table 5.1, "Random vs ..." (0.2504, 0.4502, 0.2971)."""
    result = head_to_head(make_game("jujitsu", num_cards=num_cards), "uniform", other)
    assert result.win == pytest.approx(win, abs=5e-7)
    assert result.loss == pytest.approx(win, abs=5e-7)
    assert result.tie == pytest.approx(1 - 2 * win, abs=1e-6)
    assert result.mean == pytest.approx(0.0, abs=1e-12)


@each_row("other", ["uniform", "highest_card", "lowest_card", "second_lowest_card", "uniform_actions"])
def test_nobody_beats_the_equilibrium(other):
    game = make_game("jujitsu", hand_0=(1, 2, 4, 6, 6), hand_1=(2, 3, 4, 5, 6))
    value = baselines.solve(game).value
    assert head_to_head(game, "equilibrium", other).mean >= value - 1e-12
    assert head_to_head(game, other, "equilibrium").mean <= value + 1e-12


@each_row(
    ("game", "policies", "message"),
    [
        (one_step(players=3), ("uniform", "uniform"), "head_to_head supports only two-player games"),
        (endless(), ("uniform", "uniform"), "the game can visit a state twice"),
        (make_game("jujitsu", num_cards=3), ("uniform", "nobody"), "unknown policy 'nobody'"),
        (make_game("jujitsu", num_cards=3), (3, "uniform"), r"policy \(3\) must be a name"),
    ],
)
def test_bad_questions(game, policies, message):
    with pytest.raises(ValueError, match=message):
        head_to_head(game, *policies)
