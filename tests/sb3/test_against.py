"""Games against fixed policies for any number of players: who sits where, who is asked, when games begin anew."""

import numpy as np
import pytest

from cardwar_envs import make_game
from cardwar_envs.core.policy import sample_actions
from cardwar_envs.envs.game_batch import GameBatch
from cardwar_envs.sb3.against import AgainstVecEnv, Opponents, one_seat_each
from cardwar_envs.sb3.self_play import SelfPlayVecEnv

WAR = make_game("war", num_players=3, ranks=4, discards=1, max_rounds=60)
UNIQUE = make_game("lowest_unique", numbers=3)


class Plays:
    """Plays the legal action at a place, or any of them alike, and remembers what it was asked."""

    def __init__(self, place=None):
        self.place, self.asked = place, []

    def action_probabilities(self, observations, masks):
        self.asked.append((observations, masks))
        assert masks.any(axis=1).all()
        if self.place is None:
            return masks / masks.sum(axis=1, keepdims=True)
        legal = [np.flatnonzero(mask) for mask in masks]
        return np.eye(masks.shape[1])[[each[self.place % len(each)] for each in legal]]


def test_the_learner_takes_the_seats_in_turns_and_a_line_up_follows_it_round_the_table():
    joint = []

    class Recording(GameBatch):
        def step(self, actions):
            joint.append(actions.tolist())
            return super().step(actions)

    envs = AgainstVecEnv(Recording(UNIQUE, 4, seed=0), Opponents.of([Plays(1), Plays(2)], UNIQUE), seed=0)
    assert envs.num_envs == 4
    envs.reset()
    envs.step(np.zeros(4, dtype=np.int64))
    assert joint == [[[0, 1, 2], [2, 0, 1], [1, 2, 0], [0, 1, 2]]]


def played(envs, steps):
    """Plays at random; gives what each step returned."""
    rng, _ = np.random.default_rng(0), envs.reset()
    for _ in range(steps):
        yield envs.step(sample_actions(envs.action_masks().astype(float), rng))


def test_one_policy_in_several_seats_is_asked_once_and_only_for_those_who_choose():
    batch, policy = GameBatch(WAR, 6, seed=0), Plays()
    envs, choosing, waiting = AgainstVecEnv(batch, Opponents.of(policy, WAR), seed=0), [], 0
    for _ in played(envs, 40):
        if choosing:
            (asked,) = policy.asked
            assert len(asked[0]) == choosing[-1]
        policy.asked.clear()
        choosing.append((batch.acting() & ~one_seat_each(6, 3)).sum())
        waiting += (batch.live() & ~batch.acting()).sum()
    assert waiting, "some wait while others are at war"


def test_a_game_begins_anew_when_the_learner_is_out_and_it_has_paid_by_then():
    class Recording(AgainstVecEnv):
        def _draw_opponents(self, begins):
            self.begins = begins
            super()._draw_opponents(begins)

    envs = Recording(GameBatch(WAR, 12, seed=0), Opponents.of(Plays(), WAR), seed=0)
    (start,) = WAR.initial()
    first, ends = [WAR.observation(start.state, seat) for seat in range(3)], []
    for views, rewards, dones, _ in played(envs, 150):
        assert envs.action_masks().any(axis=1).all(), "the learner is in play in every game"
        assert np.array_equal(envs.begins, dones), "opponents are drawn for every game that starts"
        assert not rewards[~dones].any(), "a player is paid when it goes out or the game ends"
        assert all(np.array_equal(views[game], first[game % 3]) for game in np.flatnonzero(dones))
        ends += rewards[dones].tolist()
    assert {-0.5, 1.0} <= set(ends)


def test_in_self_play_a_seat_is_done_when_it_goes_out():
    envs, rng, left = SelfPlayVecEnv(GameBatch(WAR, 12, seed=0)), np.random.default_rng(0), 0
    envs.reset()
    for _ in range(60):
        out = ~envs.action_masks().any(axis=1)
        dones = envs.step(sample_actions(envs.action_masks() + out[:, None].astype(float), rng))[2]
        now_out = ~envs.action_masks().any(axis=1)
        assert dones[now_out].all()
        left += now_out.sum()
    assert left


def test_the_learner_may_have_all_seats_of_some_games():
    learns = one_seat_each(5, 3)
    learns[:2] = True
    batch, policy = GameBatch(UNIQUE, 5, seed=0), Plays(0)
    envs = AgainstVecEnv(batch, Opponents.of(policy, UNIQUE), 0, learns)
    assert envs.num_envs == 2 * 3 + 3
    envs.reset()
    assert envs.action_masks().shape == (9, UNIQUE.facts.num_actions)
    _, rewards, dones, _ = envs.step(np.array([0, 1, 1, 2, 2, 0, 1, 2, 0]))
    assert dones.all()
    # Games 0 and 1: the lowest unique number wins. Games 2 to 4: against two who both play the lowest.
    assert rewards[:6].tolist() == [1.0, -0.5, -0.5, -0.5, -0.5, 1.0]
    assert rewards[6:].tolist() == [1.0, 1.0, 0.0]
    assert sum(len(seen) for seen, _ in policy.asked) == 3 * 2


def test_policies_are_drawn_for_each_seat_by_its_own_weights():
    count = 3000
    policies = [Plays(1), Plays(2)]
    weights = np.array([[0.5, 0.5], [0.9, 0.1], [0.2, 0.8]])
    envs = AgainstVecEnv(GameBatch(UNIQUE, count, seed=0), Opponents(policies, weights), seed=0)
    envs.reset()
    drawn, others = envs._drawn, ~one_seat_each(count, 3)
    for seat in range(3):
        assert np.mean(drawn[others[:, seat], seat]) == pytest.approx(weights[seat, 1], abs=0.04)
    both = others[:, 1] & others[:, 2]
    assert np.mean(drawn[both, 1] * drawn[both, 2]) == pytest.approx(0.1 * 0.8, abs=0.03)
