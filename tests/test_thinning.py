"""The cases that are chosen to run every time show what they are chosen for."""

from itertools import combinations

import pytest
from thinning import each_row
from tiny_games import BY_PAIRS, CHOSEN, EVERY_GAME, TINY_GAMES, features


def shown(games, strength):
    """Everything that comes up in one of the games: values of features, or pairs of values of two features."""
    return {each for game in games for each in combinations(sorted(features(game).items()), strength)}


def test_the_chosen_games_show_each_value_and_of_older_games_each_pair():
    chosen = [TINY_GAMES[name] for name in CHOSEN]
    assert shown(chosen, 1) == shown(TINY_GAMES.values(), 1)
    assert shown([game for name, game in BY_PAIRS.items() if name in CHOSEN], 2) == shown(BY_PAIRS.values(), 2)
    assert {type(game) for game in chosen} == {type(game) for game in EVERY_GAME}
    assert len(chosen) <= len(TINY_GAMES) / 3


def test_a_row_that_fails_is_named():
    tried = []

    @each_row(("first", "second"), [(1, 1), (1, 2), (2, 2)])
    def rows(first, second):
        tried.append(first)
        assert first == second

    with pytest.raises(AssertionError) as error:
        rows()
    assert tried == [1, 1]
    assert error.value.__notes__ == ["on the row {'first': 1, 'second': 2}"]
