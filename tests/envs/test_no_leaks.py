"""Nothing of a committed move shows before everyone has committed.

Copies of one environment commit to different moves; whatever can be seen of them must be equal to
the last bit, the generator's state included, until the last player has committed.
"""

import copy
from functools import partial

import numpy as np
import pytest
from skins import every_game, generator, illegal_actions, is_over, one_step, same, view

from cardwar_envs.envs.aec import AECGameEnv
from cardwar_envs.envs.session import own_stream
from cardwar_envs.envs.single_agent import SingleAgentEnv

HIDDEN = ("_pending",)  # the one place that knows, and that nobody is shown


def views_by_commit(env, actions_of=None):
    """Copies in which all acting players but the last have committed, each to every action of `actions_of`.

    They all show the same; the picture and the generator's state are those of before. By default players
    try all that they can, illegal actions included where these forfeit.
    """
    rendered, drawn, committing = env.render(), generator(env).bit_generator.state, [env]
    for player in env._session.acting[:-1]:
        actions = (actions_of or partial(possible_actions, env))(player)
        committing = [committed(each, action) for each in committing for action in actions]
        first, *others = [view(each, without=HIDDEN) for each in committing]
        assert all(same(first, other) for other in others)
        assert all(each.agent_selection == committing[0].agent_selection for each in committing)
        assert {each.render() for each in committing} == {rendered}
        assert first["generator"] == drawn
    return committing


def possible_actions(env, player):
    state = env._session.state
    return [
        *env.game.legal_actions(state, player),
        *(illegal_actions(env.game, state, player) if env._session.forfeits else ()),
    ]


def committed(env, action):
    after = copy.deepcopy(env)
    after.step(action)
    return after


@pytest.mark.parametrize("illegal_action", ["raise", "forfeit"])
@every_game
def test_committed_moves_do_not_show(game, illegal_action):
    compared = 0
    for seed in range(4):
        env = AECGameEnv(game, render_mode="ansi", illegal_action=illegal_action)
        env.reset(seed=seed)
        rng = np.random.default_rng(seed)
        while not is_over(env):
            at_start_of_turn = not env._pending and not env.terminations[env.agent_selection]
            if at_start_of_turn:
                compared += len(views_by_commit(env)) > 1
            one_step(env, rng)
    assert compared > 0


@every_game
def test_commits_differ_once_revealed(game):
    """The comparison above can fail: after the last commit some of the copies do differ."""
    env = AECGameEnv(game, render_mode="ansi")
    env.reset(seed=0)
    revealed = [committed(each, game.legal_actions(each._session.state, int(each.agent_selection[-1]))[0])
                for each in views_by_commit(env)]  # fmt: skip
    first, *others = [view(each) for each in revealed]
    assert not all(same(first, other) for other in others)


@every_game
def test_opponents_draw_after_the_agent_has_committed(game):
    """Looking draws nothing, and what opponents draw does not depend on what the agent plays."""
    for seat in range(game.facts.num_players):
        env = SingleAgentEnv(game, seat=seat, render_mode="ansi")
        env.reset(seed=5)
        before = view(env)
        env.render()
        env.action_masks()
        assert same(before, view(env))
        played = []
        for action in game.legal_actions(env._session.state, seat):
            after = copy.deepcopy(env)
            after.step(action)
            played.append({p: a for p, a in after._session.last_actions.items() if p != seat})
        assert played[0]
        if len(game.acting_players(before["session"]["state"])) == 2:
            assert all(others == played[0] for others in played)


def test_reset_does_not_draw_for_the_opponent():
    """With nothing to deal, reset leaves a freshly seeded generator as it is."""
    env = SingleAgentEnv("jujitsu", num_cards=3)
    env.reset(seed=8)
    assert generator(env).bit_generator.state == own_stream(np.random.default_rng(8)).bit_generator.state


def test_opponents_do_not_see_the_agents_move():
    class Recorder:
        def __init__(self):
            self.seen = []

        def action_probabilities(self, observations, action_masks):
            self.seen.append((observations.tolist(), action_masks.tolist()))
            return action_masks / action_masks.sum()

    seen = []
    for action in range(3):
        opponent = Recorder()
        env = SingleAgentEnv("jujitsu", num_cards=3, opponent=opponent)
        env.reset(seed=0)
        assert opponent.seen == []
        env.step(action)
        seen.append(opponent.seen)
    assert seen[0] == seen[1] == seen[2]
    assert len(seen[0]) == 1
