"""The classic strategies, by the hands they are given."""

import numpy as np
import pytest
from brute_force import asked
from thinning import each_row
from toys import in_turn

from baselines import make_policy
from cardwar_envs import DuelState, make_game

GAME = make_game("dinosaur_war", hand_0=(1, 1, 2, 4, 4, 4), hand_1=(1, 2, 2, 3, 4, 5))
NAMES = ("highest_card", "lowest_card", "second_lowest_card", "uniform", "uniform_actions")
# Own hand, then for each of NAMES the card that it plays, or what it gives the ranks 1..5.
HANDS = [
    ((1, 1, 2, 4), 4, 1, 1, (1 / 2, 1 / 4, 0, 1 / 4, 0), (1 / 3, 1 / 3, 0, 1 / 3, 0)),
    ((1, 2, 4, 4), 4, 1, 2, (1 / 4, 1 / 4, 0, 1 / 2, 0), (1 / 3, 1 / 3, 0, 1 / 3, 0)),
    ((2, 4, 4, 4), 4, 2, 4, (0, 1 / 4, 0, 3 / 4, 0), (0, 1 / 2, 0, 1 / 2, 0)),
    ((4,), 4, 4, 4, 4, 4),
]
ROWS = [(hand, name, expected) for hand, *row in HANDS for name, expected in zip(NAMES, row, strict=True)]


@each_row(("hand", "name", "expected"), ROWS)
def test_what_each_plays_from_a_hand(hand, name, expected):
    others = (1, 2, 3, 5)[: len(hand)]
    expected = np.eye(5)[expected - 1] if isinstance(expected, int) else expected
    assert asked(GAME, make_policy(name, GAME), DuelState((hand, others)), 0) == pytest.approx(expected)


def test_uniform_fits_any_game():
    for name in ("uniform", "uniform_actions"):
        assert asked(in_turn(), make_policy(name, in_turn()), 0, 0).tolist() == [0.5, 0.5, 0.0]


def test_strategies_of_duels_refuse_goofspiel_by_name():
    for bids in ("open", "hidden"):
        with pytest.raises(ValueError, match=r"highest_card plays duels .*, not goofspiel; policies .* matching"):
            make_policy("highest_card", make_game("goofspiel", num_cards=3, bids=bids))
