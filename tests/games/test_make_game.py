"""Games by name, and what is said of a parameter that a game does not allow."""

from functools import partial

import gymnasium
import numpy as np
import pytest
from thinning import each_row

from cardwar_envs import GAMES, Duel, jujitsu_v0, make_game

DUELS = [name for name, kind in GAMES.items() if issubclass(kind, Duel)]
BAD = [
    ("jujitsu", {"num_cards": 0}, r"num_cards \(0\) must be in 1\.\.1000"),
    ("jujitsu", {"num_cards": 1001}, r"num_cards \(1001\) must be in 1\.\.1000"),
    ("jujitsu", {"num_cards": "3"}, r"num_cards \('3'\) must be an integer"),
    ("jujitsu", {"num_cards": 2.5}, r"num_cards \(2\.5\) must be an integer"),
    ("jujitsu", {"num_cards": True}, r"num_cards \(True\) must be an integer"),
    ("dinosaur_war", {"hand_0": (1, 2), "hand_1": (1, 2, 3)}, r"hands of 2 and 3 cards must be of equal size"),
    ("dinosaur_war", {"hand_0": (), "hand_1": ()}, "hands of 0 and 0 cards must be of equal size"),
    ("dinosaur_war", {"hand_0": range(1001), "hand_1": range(1001)}, "hands of 1001 and 1001 cards"),
    ("dinosaur_war", {"hand_0": (1, 2)}, "hand_0 and hand_1 must be given together"),
    ("dinosaur_war", {"hand_1": (1, 2)}, "hand_0 and hand_1 must be given together"),
    ("dinosaur_war", {"hand_0": (1, 2), "hand_1": (1, "a")}, r"hand_1 \('a'\) must be an integer"),
    ("dinosaur_war", {"hand_0": "123", "hand_1": "123"}, r"hand_0 \(123\) must be a sequence of integers"),
    ("dinosaur_war", {"hand_0": (1, 2), "hand_1": (1, 2), "num_cards": 3}, r"num_cards \(3\) must be the size"),
    ("jujitsu", {"ties": "x"}, r"ties \('x'\) must be one of 'discard', 'carry'"),
    ("jujitsu", {"payoff": "points"}, r"payoff \('points'\) must be one of 'margin', 'win'"),
    ("dice_wars", {"sides": 0}, r"sides \(0\) must be in 1\.\.1000"),
    ("dice_wars", {"sides": 1001}, r"sides \(1001\) must be in 1\.\.1000"),
    ("dice_wars", {"sides": False}, r"sides \(False\) must be an integer"),
    ("dice_wars", {"hand_0": (0, 1), "hand_1": (1, 2)}, "hand_0: 0 must be at least 1"),
    ("dice_wars", {"hand_0": (1, 2), "hand_1": (-1, 2)}, "hand_1: -1 must be at least 1"),
    ("dice_poker", {"sides": 1}, r"sides \(1\) must be in 2\.\.2000"),
    ("dice_poker", {"sides": 2001}, r"sides \(2001\) must be in 2\.\.2000"),
    ("dice_poker", {"sides": True}, r"sides \(True\) must be an integer"),
    ("dice_poker", {"ante": -1e-9}, r"ante \(-1e-09\) must be in 0\.\.1e\+09"),
    ("dice_poker", {"ante": float("nan")}, r"ante \(nan\) must be in 0\.\.1e\+09"),
    ("dice_poker", {"ante": "one"}, r"ante \(one\) must be a number"),
    ("dice_poker", {"ante": 10**400}, "must be in 0"),
    ("dice_poker", {"ante": True}, r"ante \(True\) must be a number"),
    ("dice_poker", {"raise_size": 0}, r"raise_size \(0\) must be above 0"),
    ("dice_poker", {"raise_size": -0.0}, r"raise_size \(0\) must be above 0"),
    ("dice_poker", {"raise_size": float("inf")}, r"raise_size \(inf\) must be in 0\.\.1e\+09"),
    ("dice_poker", {"raise_size": "x"}, r"raise_size \(x\) must be a number"),
    ("goofspiel", {"num_cards": 0}, r"num_cards \(0\) must be in 1\.\.100"),
    ("goofspiel", {"prizes": "mixed"}, r"prizes \('mixed'\) must be one of 'random', 'descending', 'ascending'"),
    ("goofspiel", {"ties": "split"}, r"ties \('split'\) must be one of 'discard', 'carry'"),
    ("goofspiel", {"payoff": ["win"]}, r"payoff \(\['win'\]\) must be one of 'margin', 'win'"),
    ("goofspiel", {"view": "hands"}, r"view \('hands'\) must be one of 'cards', 'word'"),
    ("oshi_zumo", {"coins": 0}, r"coins \(0\) must be in 1\.\.10000"),
    ("oshi_zumo", {"coins": 5, "min_bid": 6}, r"min_bid \(6\) must be in 0\.\.5"),
    ("oshi_zumo", {"horizon": 0}, r"horizon \(0\) must be in 1\.\.16777216"),
    ("oshi_zumo", {"alesia": "yes"}, r"alesia \('yes'\) must be one of False, True"),
    ("lowest_unique", {"num_players": 1}, r"num_players \(1\) must be in 2\.\.100"),
    ("lowest_unique", {"numbers": 1}, r"numbers \(1\) must be in 2\.\.1000"),
    ("lowest_unique", {"rounds": 2.5}, r"rounds \(2\.5\) must be an integer"),
    ("lowest_unique", {"payoff": "margin"}, r"payoff \('margin'\) must be one of 'share', 'prize'"),
    ("war", {"num_players": 1}, r"num_players \(1\) must be in 2\.\.101"),
    ("war", {"num_players": 2.5}, r"num_players \(2.5\) must be an integer"),
    ("war", {"num_players": True}, r"num_players \(True\) must be an integer"),
    ("war", {"ranks": 1}, r"ranks \(1\) must be in 2\.\."),
    ("war", {"discards": -1}, r"discards \(-1\) must be in 0\.\."),
    ("war", {"max_rounds": 0}, r"max_rounds \(0\) must be in 1\.\."),
    ("war", {"ranks": 40, "discards": 4}, "give more than 100000 actions"),
    ("war", {"cards": 12}, "war has no parameter 'cards'"),
    ("jujitsu", {"sides": 6}, r"jujitsu has no parameter 'sides' \(did you mean 'ties'\?\); it has num_cards, hand_0"),
    ("poker", {}, rf"unknown game 'poker' \(did you mean 'dice_poker'\?\); known games are {', '.join(GAMES)}; name a"),
    ("Jujitsu", {}, "unknown game 'Jujitsu'"),
]  # fmt: skip


@each_row(("name", "parameters", "message"), BAD)
def test_a_bad_parameter_is_named_with_what_is_allowed(name, parameters, message):
    with pytest.raises(ValueError, match=message) as caught:
        make_game(name, **parameters)
    assert "\n" not in str(caught.value)


@each_row("name", DUELS)
def test_duels_of_equal_parameters_are_equal_however_they_were_asked_for(name):
    by_size = make_game(name, num_cards=3)
    for same in (
        make_game(name, hand_0=(1, 2, 3), hand_1=(3, 2, 1)),
        make_game(name, hand_0=[1, 3, 2], hand_1=range(1, 4), num_cards=3),
        make_game(name, num_cards=np.int64(3)),
        make_game(name, hand_0=np.array([1, 2, 3]), hand_1=np.array([1, 2, 3], dtype=np.int8)),
    ):
        assert same == by_size
        assert hash(same) == hash(by_size)
        assert all(type(rank) is int for rank in same.hands[0])
    assert make_game(name, num_cards=4) != by_size
    assert isinstance(by_size, Duel)


def test_dice_poker_of_equal_parameters_is_equal_however_it_was_asked_for():
    usual = make_game("dice_poker")
    for same in (
        make_game("dice_poker", sides=np.int64(6), ante=1, raise_size=np.float32(1.0)),
        make_game("dice_poker", ante=np.int8(1), raise_size=1),
    ):
        assert same == usual
        assert hash(same) == hash(usual)
        assert [type(value) for value in same.parameters().values()] == [int, float, float]
    for other in ({"sides": 7}, {"ante": 2}, {"raise_size": 0.5}):
        assert make_game("dice_poker", **other) != usual


def test_the_view_has_one_name():
    for make in (partial(make_game, "jujitsu"), jujitsu_v0.env, partial(gymnasium.make, "cardwar/Jujitsu-v0")):
        with pytest.raises(ValueError, match=r"jujitsu has no parameter 'observation'; it has num_cards, .*, view"):
            make(num_cards=4, observation="word")
