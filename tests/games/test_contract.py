"""What every game owes to environments and oracles, over its whole tree at a tiny size."""

from functools import cache

import numpy as np
from brute_force import joint_actions, reachable
from tiny_games import EVERY_GAME, TINY_GAMES, each_of

from cardwar_envs import GAMES, Duel, check_game, make_game


def test_every_game_is_among_the_tiny_games():
    assert {type(game) for game in EVERY_GAME} == set(GAMES.values())
    assert len(TINY_GAMES) >= 40
    for game in EVERY_GAME:
        assert GAMES[game.facts.name] is type(game)
        assert make_game(game.facts.name, **game.parameters()) == game


def lengths(game):
    """The numbers of joint actions that a game can have from each state on."""

    @cache
    def of(state):
        after = [t.state for a in joint_actions(game, state) for t in game.transitions(state, a)]
        return {1 + length for each in after for length in of(each)} or {0}

    return of


@each_of(TINY_GAMES)
def test_the_rules_tell_the_truth(game):
    report, tree = check_game(game), reachable(game)
    assert report.passed, str(report)
    assert (report.complete, report.states) == (True, len(tree))
    assert report.states > 1
    notes = {result.check for result in report if result.status == "note"}
    assert notes <= {"entries_vary", "seats_and_actions_are_used"}  # discarded ties, cards that are never played
    # Bounds that are too wide would be true of any game; no entry may never come near its bound.
    seen = np.array([game.observation(s, p) for s in tree for p in range(game.facts.num_players)])
    span = np.array(game.facts.observation_high) - np.array(game.facts.observation_low)
    # A score or a count of carried ties cannot always reach the number of tricks: half of it is near.
    assert (np.ptp(seen, axis=0) >= 0.5 * span).sum() >= game.facts.observation_size - 2
    if isinstance(game, Duel):
        assert lengths(game)(game.initial()[0].state) == {game.facts.max_length}, "all tricks are played"
