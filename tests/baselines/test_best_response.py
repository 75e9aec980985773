"""Best responses against all pure strategies, and policies that are none."""

import numpy as np
import pytest
from brute_force import asked, best_of_all, best_response_value, reachable, seen
from thinning import each_row
from tiny_games import SOLVABLE, each_of
from toys import BAD_ANSWERS, Answering, Arbitrary, in_turn, paid_start

import baselines
from baselines import TablePolicy, best_response, exploitability, head_to_head, nash_conv
from cardwar_envs import DuelState, make_game

# Small enough to list every pure strategy of a player.
FEW_STRATEGIES = {
    "jujitsu 2": make_game("jujitsu", num_cards=2),
    "jujitsu 3": make_game("jujitsu", num_cards=3),
    "duplicates": make_game("dinosaur_war", hand_0=(1, 1, 3), hand_1=(1, 2, 2)),
    "dice": make_game("dice_wars", num_cards=2, sides=3, ties="carry", payoff="win"),
    "in turn": in_turn(),
    "chance at the start": paid_start(),
}


@pytest.mark.thin
@pytest.mark.parametrize("player", [0, 1])
@pytest.mark.parametrize("game", FEW_STRATEGIES.values(), ids=FEW_STRATEGIES)
def test_no_pure_strategy_is_better(game, player):
    policies = [Arbitrary(1), Arbitrary(2)]
    expected = best_of_all(game, policies, player)
    assert best_response(game, policies, player).value == pytest.approx(expected, abs=1e-12)
    assert best_response_value(game, policies, player) == pytest.approx(expected, abs=1e-12)


@pytest.mark.thin
@pytest.mark.parametrize("player", [0, 1])
@each_of(SOLVABLE)
def test_value_by_recursion_and_the_policy_earns_it(game, player):
    other = Arbitrary(5)
    response = best_response(game, other, player)
    assert response.value == pytest.approx(best_response_value(game, [other] * 2, player), abs=1e-12)
    seats = (response.policy, other) if player == 0 else (other, response.policy)
    mean = head_to_head(game, *seats).mean
    assert (mean if player == 0 else -mean) == pytest.approx(response.value, abs=1e-12)


def test_the_response_is_deterministic_and_takes_the_lowest_of_the_best():
    """Against uniform play with discarded ties all cards are worth the same: the lowest is taken."""
    game = make_game("dinosaur_war", hand_0=(1, 2, 4), hand_1=(2, 3, 5))
    response = best_response(game, "uniform")
    for state in reachable(game):
        if state.hands[0]:
            mix = asked(game, response.policy, state, 0)
            assert sorted(mix)[-1] == 1.0
            assert mix.sum() == 1.0
    assert asked(game, response.policy, game.initial()[0].state, 0).tolist() == [1, 0, 0, 0, 0]


def test_the_answer_to_lowest_card_is_second_lowest_card():
    """Sanwal and Drechsler 2002, section 5.2."""
    game = make_game("jujitsu", num_cards=5)
    response = best_response(game, "lowest_card")
    assert response.value == 1.0
    assert head_to_head(game, response.policy, "lowest_card").win == 1.0


@each_row("player", [0, 1])
def test_one_policy_for_all_seats_or_one_for_each(player):
    game = make_game("jujitsu", hand_0=(2, 3, 6), hand_1=(1, 3, 5))
    alone = best_response(game, Arbitrary(1), player)
    for seats in ((Arbitrary(1), Arbitrary(1)), [Arbitrary(1)] * 2):
        assert best_response(game, seats, player).value == alone.value
    other = ["highest_card", "highest_card"]
    other[1 - player] = Arbitrary(1)
    assert best_response(game, other, player).value == alone.value


def test_the_policy_in_the_responders_seat_is_not_asked():
    def refuses(observations, masks):
        raise AssertionError("asked")

    game = make_game("jujitsu", num_cards=3)
    best_response(game, (Answering(refuses), "uniform"), 0)
    best_response(game, ("uniform", Answering(refuses)), 1)


@each_row("kind", BAD_ANSWERS)
@each_row(
    "oracle",
    [
        lambda game, bad: best_response(game, bad, 0),
        lambda game, bad: best_response(game, (bad, "uniform"), 1),
        lambda game, bad: nash_conv(game, ("uniform", bad)),
        lambda game, bad: baselines.exploitability(game, bad),
        lambda game, bad: head_to_head(game, bad, "uniform"),
        lambda game, bad: head_to_head(game, "uniform", bad),
    ],
)
def test_answers_that_are_no_strategies(kind, oracle):
    answer, message = BAD_ANSWERS[kind]
    with pytest.raises(ValueError, match="policy Answering: " + message):
        oracle(make_game("jujitsu", num_cards=3), Answering(answer))


@each_row(
    ("call", "message"),
    [
        (lambda g: best_response(g, "uniform", 2), r"player \(2\) must be in 0\.\.1"),
        (lambda g: best_response(g, "uniform", -1), r"player \(-1\) must be in 0\.\.1"),
        (lambda g: best_response(g, "nobody"), "unknown policy 'nobody'"),
        (lambda g: best_response(g, ("uniform",)), "1 policies given for 2 players"),
        (lambda g: best_response(g, ("uniform",) * 3), "3 policies given for 2 players"),
        (lambda g: best_response(g, None), r"policy \(None\) must be a name or have"),
    ],
)
def test_bad_questions(call, message):
    with pytest.raises(ValueError, match=message):
        call(make_game("jujitsu", num_cards=3))


def test_waiting_players_are_not_asked_and_lose_nothing():
    result = nash_conv(in_turn(), "uniform_actions")
    # 0: 3 and -1 alike; 1: 2 and 5 alike. Player 0 does best with 1, player 1 with (2, 1).
    assert result.payoffs == (2.25, -2.25)
    assert result.per_player == (3.5 - 2.25, 2.25 - 0.5)


# -- tables ---------------------------------------------------------------------------------------


def test_a_table_plays_what_it_says_and_uniformly_elsewhere():
    game = make_game("jujitsu", num_cards=3)
    listed, other = game.initial()[0].state, DuelState(((1, 2), (2, 3)), -1)
    policy = TablePolicy({game.observation(listed, 0).tobytes(): np.array([0.0, 0.25, 0.75])})
    assert asked(game, policy, listed, 0).tolist() == [0, 0.25, 0.75]
    assert asked(game, policy, other, 0).tolist() == [0.5, 0.5, 0]
    assert policy.action_probabilities(*seen(game, (other, listed), 0)).tolist() == [[0.5, 0.5, 0], [0, 0.25, 0.75]]


@each_row("game", [paid_start(), make_game("dice_poker")])
def test_a_table_of_one_seat_is_not_measured_in_both_without_a_word(game):
    response = best_response(game, "uniform", 0).policy
    for measure in (nash_conv, exploitability):
        with pytest.warns(UserWarning, match=r"in the table at \d+ of the \d+ observations queried"):
            measure(game, response)
    with pytest.raises(ValueError, match="contains none of the"):
        best_response(game, response, 0)
    nash_conv(game, [response, "uniform"])  # its own seat
    head_to_head(game, response, "uniform")


def test_a_table_is_not_the_callers():
    table = {}
    policy = TablePolicy(table)
    game = make_game("jujitsu", num_cards=3)
    state = game.initial()[0].state
    table[game.observation(state, 0).tobytes()] = np.array([1.0, 0, 0])
    assert asked(game, policy, state, 0) == pytest.approx([1 / 3] * 3)
