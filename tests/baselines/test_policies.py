"""Best responses, exploitability and head-to-head results of single games, by written figures and by samples."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from brute_force import asked, reachable, seen
from thinning import each_row
from toys import BAD_ANSWERS, Answering, Arbitrary, Toy, paid_start

import baselines
from baselines import (
    HeadToHead,
    TablePolicy,
    best_response,
    exploitability,
    head_to_head,
    nash_conv,
)
from cardwar_envs import DuelState, make_game


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
    best_response(game, (Answering(refuses), "uniform"), 0, exact=True)


@each_row("kind", BAD_ANSWERS)
@each_row(
    "oracle",
    [
        lambda game, bad: best_response(game, bad, 0),
        lambda game, bad: best_response(game, (bad, "uniform"), 1),
        lambda game, bad: nash_conv(game, ("uniform", bad)),
        lambda game, bad: exploitability(game, bad),
        lambda game, bad: head_to_head(game, bad, "uniform"),
        lambda game, bad: head_to_head(game, "uniform", bad),
    ],
)
def test_answers_that_are_no_strategies(kind, oracle):
    answer, message = BAD_ANSWERS[kind]
    with pytest.raises(ValueError, match="policy Answering: " + message):
        oracle(make_game("jujitsu", num_cards=3), Answering(answer))
    if "illegal" not in message:
        with pytest.raises(ValueError, match=message):
            exploitability(make_game("jujitsu", num_cards=3), Answering(answer), illegal="renormalise")


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
        with pytest.warns(UserWarning, match=r"has \d+ of the \d+ observations queried"):
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


@each_row(("num_cards", "published"), [(3, 0.5), (4, 0.375), (5, 0.491667), (6, 0.379167), (7, 0.443254)])
def test_what_uniform_play_loses_in_jujitsu(num_cards, published):
    """Figures of an independent brute force."""
    game = make_game("jujitsu", num_cards=num_cards)
    found = exploitability(game, "uniform")
    assert found == pytest.approx(published, abs=5e-7 if num_cards > 4 else 1e-12)
    assert exploitability(replace(game, view="word"), "uniform") == pytest.approx(found, abs=1e-12)
    assert nash_conv(game, "uniform").total == pytest.approx(2 * published, abs=1e-6)
    # One card of each rank: playing cards alike is playing actions alike.
    assert exploitability(game, "uniform_actions") == found


@each_row("payoff", ["margin", "win"])
@each_row(
    ("name", "hands"),
    [
        ("dinosaur_war", ((1, 2, 3, 4, 5),) * 2),
        ("dinosaur_war", ((1, 3, 4, 5, 6), (2, 2, 2, 2, 7))),
        ("dinosaur_war", ((1, 1, 4, 4), (2, 2, 2, 5))),
        ("dice_wars", ((1, 2, 3, 4),) * 2),
        ("dice_wars", ((1, 3, 3), (2, 2, 4))),
    ],
)
def test_uniform_play_is_optimal_where_ties_are_discarded(name, hands, payoff):
    """Fetterman 2023, main theorem; footnote 5 leaves winning open.

    The argument of Sanwal and Drechsler 2002, section 4, settles it: against uniform play every
    matching of the two hands is equally likely, so any payoff that depends on the matching alone
    is fixed. It holds for dice as well.
    """
    game = make_game(name, hand_0=hands[0], hand_1=hands[1], payoff=payoff, ties="discard")
    assert abs(nash_conv(game, "uniform").total) <= 1e-12
    value = baselines.solve(game).value
    for other in ("highest_card", "lowest_card", Arbitrary(4)):
        assert head_to_head(game, "uniform", other).mean == pytest.approx(value, abs=1e-12)


def test_uniform_over_ranks_is_not_uniform_over_cards():
    """For (1,3,4,5,6) v. (2,2,2,2,7) a best response takes 2.0 from the first and D/n = 1.4 from the second."""
    game = make_game("dinosaur_war", hand_0=(1, 3, 4, 5, 6), hand_1=(2, 2, 2, 2, 7))
    assert best_response(game, "uniform_actions", 0).value == pytest.approx(2.0, abs=1e-12)
    assert best_response(game, "uniform", 0).value == pytest.approx(1.4, abs=1e-12)
    assert baselines.solve(game).value == pytest.approx(1.4, abs=1e-12)
    assert exploitability(game, "uniform_actions") > 0.25
    assert abs(exploitability(game, "uniform")) <= 1e-12


def figures(answer):
    return answer.value if isinstance(answer, baselines.BestResponse) else answer


@pytest.mark.parametrize("limited", ["dice_wars", "war"])
def test_the_number_of_states_can_be_limited(limited):
    small = {"war": {"ranks": 3, "discards": 1, "max_rounds": 20}, "dice_wars": {"num_cards": 3}}
    game = make_game(limited, **small[limited])
    for question in (nash_conv, exploitability, best_response, partial(head_to_head, second="uniform")):
        assert figures(question(game, "uniform", max_states=1000)) == figures(question(game, "uniform"))
        with pytest.raises(ValueError, match=r"has more than 5 (undecided states|positions)"):
            question(game, "uniform", max_states=5)


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
