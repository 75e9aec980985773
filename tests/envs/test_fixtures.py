"""The fixtures for other libraries: rollouts have the exact mean returns, and each shows what it says."""

import numpy as np
import pytest

import baselines
from cardwar_envs import check_game
from cardwar_envs.fixtures import FIXTURES


@pytest.mark.parametrize("name", FIXTURES)
def test_rollouts_have_the_exact_mean_returns(name):
    fixture, games = FIXTURES[name], 400
    exact, env, rng = fixture.uniform_returns, fixture.parallel(), np.random.default_rng(5)
    returns, ended = np.zeros((games, len(exact))), set()
    env.reset(seed=6)
    for number in range(games):
        _, infos = env.reset()
        alive = list(env.agents)
        while env.agents:
            masks = {agent: infos[agent]["action_mask"] for agent in env.agents}
            moves = {agent: int(rng.choice(np.flatnonzero(mask))) for agent, mask in masks.items()}
            _, rewards, _, _, infos = env.step(moves)
            returns[number] += [rewards.get(agent, 0.0) for agent in env.possible_agents]
            if 0 < len(env.agents) < len(alive):
                ended.add(number)
    errors = returns.std(axis=0) / np.sqrt(games)
    assert (np.abs(returns.mean(axis=0) - np.array(exact, dtype=float)) < 4 * errors).all()
    assert any(abs(each) > 0.05 for each in exact), "a lost payment would show"
    assert ("agents terminate at different times" in fixture.shows) == bool(ended)


def test_they_are_right_environments_of_right_games():
    for fixture in FIXTURES.values():
        failed = {result.check for result in check_game(fixture.game).failed}
        assert failed == ({"starts_begin_a_game"} if "the deal pays" in fixture.shows else set())
        if fixture.game.facts.num_players == 2:
            exact = baselines.nash_conv(fixture.game, "uniform_actions").payoffs
            assert exact == pytest.approx([float(each) for each in fixture.uniform_returns], abs=1e-12)
