"""What every game owes to environments and oracles, over its whole tree at a tiny size."""

from functools import cache

import numpy as np
import pytest
from brute_force import joint_actions, reachable
from tiny_games import EVERY_GAME, TINY_GAMES, each_of

from cardwar_envs import GAMES, Duel, Game, check_game, make_game

each_game = each_of(TINY_GAMES)
tree = cache(reachable)


def test_every_game_is_among_the_tiny_games():
    assert {type(game) for game in EVERY_GAME} == set(GAMES.values())
    assert len(TINY_GAMES) >= 40
    assert all(len(tree(game)) > 1 for game in TINY_GAMES.values())


@each_game
def test_the_rules_tell_the_truth(game):
    report = check_game(game)
    assert report.passed, str(report)
    assert (report.complete, report.states) == (True, len(tree(game)))
    notes = {result.check for result in report if result.status == "note"}
    assert notes <= {
        "entries_vary",
        "seats_and_actions_are_used",
    }  # ties that are discarded, cards that are never played


@each_game
def test_the_name_and_the_parameters_make_the_game_again(game):
    again = make_game(game.facts.name, **game.parameters())
    assert again == game
    assert hash(again) == hash(game)
    assert again is not game
    assert GAMES[game.facts.name] is type(game)


@each_game
def test_chance_comes_in_where_the_facts_say(game):
    moves = any(len(game.transitions(s, a)) > 1 for s in tree(game) for a in joint_actions(game, s))
    found = "moves" if moves else "deal" if len(game.initial()) > 1 else "none"
    assert game.facts.chance == found


@each_game
def test_the_bounds_of_observations_are_reached_by_the_hands(game):
    """Bounds that are too wide would be true of any game; no entry may exceed, or never come near, its bound."""
    seen = np.array([game.observation(s, p) for s in tree(game) for p in range(game.facts.num_players)])
    span = np.array(game.facts.observation_high) - np.array(game.facts.observation_low)
    # A score or a count of carried ties cannot always reach the number of tricks: half of it is near.
    assert (np.ptp(seen, axis=0) >= 0.5 * span).sum() >= game.facts.observation_size - 2


@each_of({name: game for name, game in TINY_GAMES.items() if isinstance(game, Duel)})
def test_all_tricks_of_a_duel_are_played(game):
    @cache
    def lengths(state):
        after = [t.state for a in joint_actions(game, state) for t in game.transitions(state, a)]
        return {1 + length for each in after for length in lengths(each)} or {0}

    assert lengths(game.initial()[0].state) == {game.facts.max_length}


class Smallest(Game):
    """No more than what a game must say of itself."""

    facts = next(iter(GAMES.values()))().facts
    initial = acting_players = legal_actions = transitions = observation = None
    check = describe = describe_action = None


def test_a_game_without_public_state_has_no_state_of():
    with pytest.raises(ValueError, match="an observation does not show the whole state"):
        Smallest().state_of(np.zeros(3, dtype=np.float32))
