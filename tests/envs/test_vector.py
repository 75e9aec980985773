"""Batches of self-play against the rules that they are made from."""

from collections import Counter

import numpy as np
import pytest

from cardwar_envs import IllegalActionError, make_game
from cardwar_envs.core.policy import sample_actions
from cardwar_envs.envs import vector
from cardwar_envs.envs.vector import SelfPlayBatch

GAMES = [
    make_game("jujitsu", num_cards=4),
    make_game("dinosaur_war", hand_0=(2, 3, 3, 6), hand_1=(1, 3, 5, 5)),
    make_game("dice_wars", num_cards=3, sides=2),
]
PAIRS = pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
NUM_GAMES = 7


def legal_actions(masks, rng):
    """Any legal action for every seat, `[num_games, num_players]`."""
    return sample_actions(masks.reshape(-1, masks.shape[-1]).astype(float), rng).reshape(masks.shape[:2])


def play(batch, steps, seed=0):
    """Everything that a batch shows in so many random joint actions, as a list of arrays."""
    rng = np.random.default_rng(seed)
    observations, masks = batch.reset()
    shown = [observations, masks]
    for _ in range(steps):
        step = batch.step(legal_actions(masks, rng))
        masks = step.masks
        shown += [*step]
    return shown


def equal(first, second):
    return all(np.array_equal(a, b) for a, b in zip(first, second, strict=True))


@PAIRS
@pytest.mark.parametrize("start", ["initial", "random"])
def test_every_step_is_one_that_the_rules_allow(game, start):
    rng = np.random.default_rng(1)
    batch = SelfPlayBatch(game, NUM_GAMES, seed=2, start=start)
    observations, masks = batch.reset()
    finished = 0
    for _ in range(60):
        before = [game.state_of(observation)[0] for observation in observations[:, 0]]
        actions = legal_actions(masks, rng)
        step = batch.step(actions)
        for g, state in enumerate(before):
            outcomes = game.transitions(state, dict(enumerate(actions[g].tolist())))
            ways = {(o.state, o.rewards) for o in outcomes if game.acting_players(o.state)}
            last = {o.rewards for o in outcomes if not game.acting_players(o.state)}
            after = game.state_of(step.observations[g, 0])[0]
            if step.done[g]:
                finished += 1
                assert tuple(step.rewards[g]) in last
                assert start == "random" or after == game.initial()[0].state
            else:
                assert (after, tuple(step.rewards[g])) in ways
            for player in (0, 1):
                assert np.array_equal(step.observations[g, player], game.observation(after, player))
                assert np.array_equal(step.masks[g, player], game.action_mask(after, player))
        assert not step.rewards.sum(axis=1).any()
        observations, masks = step.observations, step.masks
    assert finished > NUM_GAMES


def test_chance_is_drawn_with_the_probabilities_of_the_rules():
    game = make_game("dice_wars", hand_0=(2,), hand_1=(1,), sides=2)
    # Two coins of 1 and 2 against one: 2, 3, 3, 4 against 1, 2 is 7 wins, 1 tie in 8.
    batch = SelfPlayBatch(game, 4000, seed=0)
    batch.reset()
    own, other = game.ranks.index(2), game.ranks.index(1)
    rewards = batch.step(np.tile([own, other], (4000, 1))).rewards[:, 0]
    assert set(rewards) == {0.0, 1.0}
    assert rewards.mean() == pytest.approx(7 / 8, abs=0.02)  # four standard deviations


def test_random_starts_are_as_deep_as_a_uniform_draw_says():
    batch = SelfPlayBatch(make_game("jujitsu", num_cards=3), 3000, seed=0, start="random")
    cards_left = Counter(batch.reset()[1][:, 0].sum(axis=1).tolist())
    assert set(cards_left) == {1, 2, 3}
    assert min(cards_left.values()) > 900


@PAIRS
@pytest.mark.parametrize("start", ["initial", "random"])
def test_a_seed_repeats_everything(game, start):
    first, second, other = (play(SelfPlayBatch(game, NUM_GAMES, seed, start), 20) for seed in (3, 3, 4))
    assert equal(first, second)
    chance = start == "random" or game.name == "dice_wars"
    assert equal(first, other) != chance


def test_a_generator_that_is_put_back_repeats_what_followed():
    game = make_game("dice_wars", num_cards=3)
    batch = SelfPlayBatch(game, NUM_GAMES, seed=5, start="random")
    play(batch, 10)
    state = batch.rng.bit_generator.state
    first = play(batch, 10)
    other = SelfPlayBatch(game, NUM_GAMES, seed=6, start="random")
    other.rng.bit_generator.state = state
    assert equal(first, play(other, 10))


@PAIRS
def test_forgetting_known_states_changes_nothing(game, monkeypatch):
    remembering = play(SelfPlayBatch(game, NUM_GAMES, 0, "random"), 30)
    monkeypatch.setattr(vector, "MAX_STATES", 1)
    assert equal(remembering, play(SelfPlayBatch(game, NUM_GAMES, 0, "random"), 30))
    monkeypatch.undo()
    monkeypatch.setattr(vector, "MAX_MOVES", 1)
    batch = SelfPlayBatch(game, NUM_GAMES, 0, "random")
    assert equal(remembering, play(batch, 30))


def test_arrays_are_fresh_and_of_the_stated_kinds():
    batch = SelfPlayBatch(make_game("jujitsu", num_cards=3), NUM_GAMES, seed=0)
    observations, masks = batch.reset()
    kept = observations.copy(), masks.copy()
    observations[:], masks[:] = 9, 9
    again = batch.reset()
    assert equal(kept, again)
    step = batch.step(legal_actions(again[1], np.random.default_rng(0)))
    assert [array.dtype for array in step] == [np.float32, np.int8, np.float64, np.bool_]
    assert [array.shape for array in step] == [(NUM_GAMES, 2, 8), (NUM_GAMES, 2, 3), (NUM_GAMES, 2), (NUM_GAMES,)]


def test_an_illegal_action_is_named_and_nothing_moves():
    batch = SelfPlayBatch(make_game("dice_wars", num_cards=2), 2, seed=0)
    batch.reset()
    batch.step(np.array([[0, 0], [0, 1]]))
    state = batch.rng.bit_generator.state
    with pytest.raises(IllegalActionError, match=r"player_1: action 1 is illegal .* legal are \[0\]"):
        batch.step(np.array([[1, 1], [1, 1]]))
    assert batch.rng.bit_generator.state == state
    assert batch.step(np.array([[1, 1], [1, 0]])).done.all()


def test_bad_arguments_are_refused():
    game = make_game("jujitsu", num_cards=3)
    with pytest.raises(ValueError, match=r"num_games \(0\) must be at least 1"):
        SelfPlayBatch(game, 0, seed=0)
    with pytest.raises(ValueError, match=r"start \(middle\) must be initial or random"):
        SelfPlayBatch(game, 1, seed=0, start="middle")
    batch = SelfPlayBatch(game, 2, seed=0)
    with pytest.raises(ValueError, match="reset must be called"):
        batch.step(np.zeros((2, 2), dtype=int))
    batch.reset()
    with pytest.raises(ValueError, match=r"shape \(2, 1\) must have shape \(2, 2\)"):
        batch.step(np.zeros((2, 1), dtype=int))
