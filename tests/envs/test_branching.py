"""Trying every joint action in the simulator."""

import numpy as np
import pytest
from thinning import each_row

from cardwar_envs import make_game
from cardwar_envs.envs.branching import Trials, distinct
from cardwar_envs.envs.game_batch import GameBatch

GAMES = [
    make_game("jujitsu", num_cards=4),
    make_game("jujitsu", num_cards=4, observation="word"),
    make_game("dinosaur_war", hand_0=(1, 3, 3), hand_1=(2, 2, 4)),
    make_game("war", ranks=3, discards=1, max_rounds=6),
]


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.facts.name)
def test_every_joint_action_of_every_situation_is_tried_once(game):
    views = GameBatch(game, 40, seed=1, start="random").reset()
    trials = Trials(game, lot=7)
    tried = trials.all_joint(views)
    for number, seen in enumerate(views.observations):
        state, _ = game.state_of(seen[0])
        here = np.flatnonzero(tried.situations == number)
        joint = np.argwhere(np.outer(*views.masks[number]))
        assert np.array_equal(tried.joint[here], joint)
        for trial in here:
            chosen = {player: int(tried.joint[trial, player]) for player in game.acting_players(state)}
            (after,) = game.transitions(state, chosen)
            assert tried.rewards[trial] == after.rewards[0]
            assert tried.done[trial] == (not game.acting_players(after.state))
            if not tried.done[trial]:
                for player in (0, 1):
                    assert np.array_equal(tried.after[trial, player], game.observation(after.state, player))
                    assert np.array_equal(tried.masks_after[trial, player], game.action_mask(after.state, player))


@each_row("game", GAMES)
def test_what_one_player_sees_says_what_both_see(game):
    views = GameBatch(game, 23, seed=1, start="random").reset()
    trials = Trials(game, lot=5)
    again = trials.views(views.observations[:, 0])
    assert np.array_equal(again.observations, views.observations)
    assert np.array_equal(again.masks, views.masks)
    turned = trials.views(views.observations[:, 1])
    assert np.array_equal(turned.observations, views.observations[:, ::-1])
    assert np.array_equal(turned.masks, views.masks[:, ::-1])
    assert trials.views(views.observations[:0, 0]).masks.shape == (0, 2, game.facts.num_actions)


def test_chance_is_drawn_anew_for_every_trial():
    game = make_game("dice_wars", hand_0=(3,), hand_1=(3,), sides=6)
    views = GameBatch(game, 500, seed=1).reset()
    rewards = Trials(game, lot=64).all_joint(views).rewards
    assert set(np.unique(rewards)) == {-1.0, 0.0, 1.0}


def test_equal_rows_are_found_however_often_they_come():
    rows = np.random.default_rng(3).integers(3, size=(9000, 6)).astype(np.float32)
    first, places = distinct(rows)
    assert np.array_equal(rows[first][places], rows)
    assert len(first) == len(np.unique(rows, axis=0))
