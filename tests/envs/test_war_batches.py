"""Compiled batches of WAR for any number of players, held to the rules on random play."""

from collections import Counter

import numpy as np
import pytest
from by_rules import assert_shows, step_by_the_rules
from thinning import each_row

from cardwar_envs import WarState, make_game
from cardwar_envs.core.streams import new_streams
from cardwar_envs.envs.engines import new_engine
from cardwar_envs.envs.game_batch import GameBatch

# Players, ranks, discards, rounds.
TABLES = [
    *((2, 4, 4, 30), (3, 4, 1, 60), (3, 6, 4, 60), (4, 5, 0, 60), (4, 6, 3, 30), (5, 3, 2, 40)),
    *((11, 3, 1, 25), (11, 6, 3, 60), (101, 2, 1, 40)),
]
EVENTS = {
    "some at war cannot pay", "one alone can pay", "a war after a war", "a pot is carried over",
    "who could not pay picks up its wins", "several go out", "some go out and others play on", "all go out",
    "rounds are used up", "rounds are used up after some went out",
}  # fmt: skip


def war(players, ranks, discards, max_rounds):
    return make_game("war", num_players=players, ranks=ranks, discards=discards, max_rounds=max_rounds)


def events(game, before, after):
    """What a joint action brought about."""
    unpaid = set(before.tied) - set(game.acting_players(before))
    out, left = len(before.live) - len(after.live), len(after.live)
    used_up = after.rounds_left == 0 and left > 1
    happened = {
        "some at war cannot pay": unpaid,
        "one alone can pay": before.tied and len(before.tied) - len(unpaid) == 1,
        "a war after a war": before.tied and after.tied,
        "a pot is carried over": after.pot and not after.tied,
        "who could not pay picks up its wins": not after.tied and unpaid & set(after.live),
        "several go out": out > 1,
        "some go out and others play on": out and game.acting_players(after),
        "all go out": not left,
        "rounds are used up": used_up,
        "rounds are used up after some went out": used_up and left < game.num_players,
    }
    return [name for name, found in happened.items() if found]


def play_by_the_rules(game, games, steps):
    """Counts the events of uniform play from random starts, each joint action compared with the rules."""
    batch, rng, found = GameBatch(game, games, seed=1, start="random"), np.random.default_rng(2), Counter()
    views = batch.reset()
    assert_shows(batch, views)
    for _ in range(steps):
        before, actions, acting = batch.states(), batch.uniform_actions(), batch.acting()
        legal = np.take_along_axis(views.masks, actions[:, :, None], axis=2)[:, :, 0]
        assert np.array_equal(legal, views.masks.any(axis=2)), "who waits, waits; nobody chooses after going out"
        anything = rng.integers(-2, game.actions.size + 2, size=actions.shape)
        refused = batch._engine.illegal(anything, np.ones(games, dtype=np.bool_))
        inside = anything.clip(0, game.actions.size - 1)
        allowed = np.take_along_axis(views.masks, inside[:, :, None], axis=2)[:, :, 0] * (inside == anything)
        assert np.array_equal(refused, acting & (allowed == 0))
        views = step_by_the_rules(batch, np.where(acting, actions, -7))  # what the others choose is ignored
        for state, chosen in zip(before, actions.tolist(), strict=True):
            (outcome,) = game.transitions(state, {player: chosen[player] for player in game.acting_players(state)})
            found.update(events(game, state, outcome.state))
        for start in (state for state, done in zip(batch.states(), views.done, strict=True) if done):
            game.check(start)
    return found


def test_every_joint_action_goes_as_the_rules_say():
    found = Counter()
    for table in TABLES:
        found += play_by_the_rules(war(*table), *((12, 25) if table[0] < 101 else (2, 8)))
    assert set(found) == EVENTS, EVENTS - set(found)


@pytest.mark.plain_kernels
def test_kernels_as_plain_python_go_as_the_rules_say():
    for table in [(3, 4, 1, 60), (4, 5, 0, 60)]:
        play_by_the_rules(war(*table), 8, 8)


@each_row("players", [3, 4, 5, 11])
def test_cards_are_drawn_as_by_the_rules(players):
    """Only the cards of a war are drawn in another order."""
    game = war(players, 6, 3, 60)
    compiled, ruled = (GameBatch(game, 20, seed=3, engine=engine) for engine in ("compiled", "rules"))
    starts = GameBatch(game, 20, seed=4, start="random")
    starts.reset()
    compiled.reset(starts.states()), ruled.reset(starts.states())
    for _ in range(20):
        peace = [not state.tied for state in ruled.states()]
        actions, others = compiled.uniform_actions(), ruled.uniform_actions()
        assert np.array_equal(actions[peace], others[peace])
        assert np.array_equal(compiled.streams[peace], ruled.streams[peace])
        ruled.streams = compiled.streams
        for array, other in zip(compiled.step(actions), ruled.step(actions), strict=True):
            assert np.array_equal(array, other)


def test_nobody_acts_once_a_game_is_over():
    """One player takes the last card; or the rounds are used up, and two share what the third paid."""
    game = war(3, 2, 0, 9)
    hands, wins = [((2, 2, 3, 3, 3), (2,), ()), ((2, 2, 3, 3), (2, 3), ())], ((), (), ())
    states = [WarState(hands[0], wins, rounds_left=9), WarState(hands[1], wins, rounds_left=1)]
    engine, both = new_engine(game, new_streams(0, 2), "compiled"), np.ones(2, dtype=np.bool_)
    engine.place(states, both)
    paid, over = engine.play(np.array([[1, 0, 0], [1, 0, 0]]), both)
    assert paid.tolist() == [[1.0, -0.5, 0.0], [0.25, 0.25, 0.0]]
    assert over.all()
    assert engine.states()[0].live == (0,)
    assert not engine.acting().any()
    assert not engine.live().any()
    assert not engine.views().masks.any()
    assert not any(engine.uniform(player, both).any() for player in range(3))
