"""Goofspiel and Oshi-Zumo against OpenSpiel's figures, and against OpenSpiel itself where it is installed."""

import re

import open_spiel_figures as spiel
import pytest
from thinning import each_row

from baselines import nash_conv, solve
from cardwar_envs import make_game

PAYOFFS = {"win_loss": ("win", 1), "point_difference": ("margin", 2)}  # our name, and our points for one of OpenSpiel's


def ours(words):
    """Our game of that name in OpenSpiel's words, and how many points of ours one of theirs is."""
    name, listed = re.fullmatch(r"(\w+)\((.*)\)", words).groups()
    given = dict(each.split("=") for each in listed.split(","))
    if name == "goofspiel":
        payoff, points = PAYOFFS[given["returns_type"]]
        cards, order = int(given["num_cards"]), given["points_order"]
        return make_game(name, num_cards=cards, prizes=order, payoff=payoff), points
    alesia = given.pop("alesia") == "True"
    return make_game(name, **{key: int(number) for key, number in given.items()}, alesia=alesia), 1


@each_row(("words", "expected"), list(spiel.NASH_CONV.items()))
def test_nash_conv_of_uniform_play(words, expected):
    game, points = ours(words)
    assert nash_conv(game, "uniform").total == pytest.approx(points * expected, abs=1e-12)


@each_row(("words", "bids", "expected"), [(*case, value) for case, value in spiel.VALUES.items()])
def test_values_of_oshi_zumo(words, bids, expected):
    game, _ = ours(words)
    solution = solve(game)
    (start,) = game.initial()
    (after,) = game.transitions(start.state, dict(enumerate(bids)))
    assert solution.value == pytest.approx(0.0, abs=1e-12)
    assert solution.value_at(after.state) == pytest.approx(expected, abs=1e-9)
    assert solution.gap < 1e-9


def test_openspiel_still_says_so():
    pytest.importorskip("pyspiel")
    for words, expected in spiel.NASH_CONV.items():
        if "num_cards=4,points_order=random" not in words:  # which takes a second each
            assert spiel.nash_conv(words) == pytest.approx(expected)
    words, bids = next(iter(spiel.VALUES))
    assert spiel.value(words, bids) == pytest.approx(spiel.VALUES[words, bids])


def test_a_player_with_less_than_the_least_bid_bids_0_here_and_all_its_coins_there():
    """The one rule in which they differ; with 5 coins and bids of at least 2, a coin can be left over."""
    game = make_game("oshi_zumo", coins=5, size=1, min_bid=2)
    assert nash_conv(game, "uniform").total == pytest.approx(0.5)
    pyspiel = pytest.importorskip("pyspiel")
    state = spiel.after(pyspiel.load_game(spiel.oshi_zumo(5, 1, 2, 1000, False)).new_initial_state(), (4, 3))
    assert state.legal_actions(0) == [1]
