"""How many states a game says it has at least, against all that there are; what is refused before they are listed."""

import pytest
from thinning import each_row

from baselines import solve
from baselines.oracles.state_graph.game_graph import full_graph
from cardwar_envs import make_game

COUNTED = [
    ("jujitsu", {"num_cards": 4}),
    ("jujitsu", {"num_cards": 3, "ties": "discard"}),
    ("jujitsu", {"num_cards": 1}),
    ("jujitsu", {"num_cards": 5, "ties": "discard"}),
    ("dinosaur_war", {"num_cards": 5}),
    ("dinosaur_war", {"hand_0": (1, 1, 3), "hand_1": (2, 3, 3)}),
    ("dice_wars", {"hand_0": (1, 2), "hand_1": (1, 1), "sides": 2}),
    ("war", {"ranks": 4, "discards": 0, "max_rounds": 4}),
    ("war", {"ranks": 4, "discards": 1, "max_rounds": 6}),
]


@each_row(("name", "parameters"), COUNTED)
def test_there_are_at_least_so_many_states(name, parameters):
    game = make_game(name, **parameters)
    listed = full_graph(game).states
    assert 0 < game.count_states(False) <= len(listed)
    canonical = game.count_states(True)
    assert canonical is None or canonical <= len({game.canonical(state).state for state in listed})


def test_the_bounds_are_these():
    # pairs of hands of 2, 3 and 4 of 4 cards: 6 * 6 + 4 * 4 + 1
    assert make_game("jujitsu", num_cards=4).count_states(False) == 53
    # orders of 2 cards of each of both, seats swapped or not
    assert make_game("jujitsu", num_cards=5).count_states(True) == 3
    # of 2 or 3 cards: {11, 13} and {23, 33}, and all
    assert make_game("dinosaur_war", hand_0=(1, 1, 3), hand_1=(2, 3, 3)).count_states(False) == 5
    # after 2 and 3 rounds: 6 * 6 + 4 * 4
    assert make_game("war", ranks=4, discards=1).count_states(False) == 52
    assert make_game("war", num_players=3).count_states(False) is None
    assert make_game("jujitsu", num_cards=4, view="word").count_states(False) is None


@each_row(
    ("name", "parameters", "count"),
    [("jujitsu", {}, "5,200,300"), ("war", {}, "2,704,010"), ("jujitsu", {"num_cards": 30}, "77,558,760")],
)
def test_large_games_are_refused_before_their_states_are_listed(name, parameters, count):
    question = solve if parameters else full_graph
    with pytest.raises(ValueError, match=f"{name} has at least {count} undecided states"):
        question(make_game(name, **parameters))
