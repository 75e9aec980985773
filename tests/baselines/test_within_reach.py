"""Whether a game is in the reach of the oracles is said without a policy being measured."""

from thinning import each_row
from tiny_games import TINY_GAMES

from baselines.oracles.choice import within_reach
from cardwar_envs import make_game


@each_row("game", TINY_GAMES.values())
def test_small_games_are(game):
    assert within_reach(game)


def test_goofspiel_on_interleavings_has_a_limit_of_its_own():
    assert within_reach(make_game("goofspiel", num_cards=8, view="word"))
    assert not within_reach(make_game("goofspiel", num_cards=7))


@each_row(
    ("name", "parameters"),
    [("jujitsu", {}), ("war", {}), ("goofspiel", {"num_cards": 9}), ("goofspiel", {"num_cards": 9, "view": "word"})],
)
def test_games_with_too_many_states_are_not(name, parameters):
    assert not within_reach(make_game(name, **parameters))
