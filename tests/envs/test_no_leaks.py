"""Opponents do not see what the agent plays; `tests/envs/test_stateful.py` has the commitments of AEC."""

import copy

import numpy as np
from skins import every_game, generator, same, view
from toys import Answering, uniform_over

from cardwar_envs.envs.session import own_stream
from cardwar_envs.envs.single_agent import SingleAgentEnv


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
    seen = []

    def recorded(observations, masks):
        seen.append((observations.tolist(), masks.tolist()))
        return uniform_over(masks)

    for action in range(3):
        env = SingleAgentEnv("jujitsu", num_cards=3, opponent=Answering(recorded))
        env.reset(seed=0)
        assert len(seen) == action
        env.step(action)
    assert seen == [seen[0]] * 3
