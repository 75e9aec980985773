"""An equilibrium played through AEC and Parallel earns the value: environments and solvers agree about the game."""

import numpy as np
import pytest
from tiny_games import CHOSEN, TINY_GAMES

from baselines import make_policy, solve
from cardwar_envs import make_game
from cardwar_envs.envs.aec import AECGameEnv
from cardwar_envs.envs.parallel import ParallelGameEnv

PLAYED, STANDARD_ERRORS, ROUNDING = 400, 4.0, 1e-6
SOLVED = [name for name in CHOSEN if TINY_GAMES[name].facts.num_players == 2 and TINY_GAMES[name].facts.zero_sum]
SKINS = AECGameEnv, ParallelGameEnv
# Each game in one API, the other one on request.
CASES = [
    pytest.param(name, skin, marks=() if (number + place) % 2 else pytest.mark.slow)
    for number, name in enumerate(SOLVED)
    for place, skin in enumerate(SKINS)
]


class Players:
    """Draws actions from the policies of both seats."""

    def __init__(self, env, policies):
        self.env, self.policies, self.known, self.rng = env, policies, {}, np.random.default_rng(11)

    def act(self, agent, seen):
        seat = self.env.possible_agents.index(agent)
        observation, mask = seen["observation"], seen["action_mask"]
        key = seat, observation.tobytes(), mask.tobytes()
        if key not in self.known:
            self.known[key] = self.policies[seat].action_probabilities(observation[None], mask[None])[0].cumsum()
        return int(np.searchsorted(self.known[key], self.rng.random() * self.known[key][-1], side="right"))


def payoff(env, players, seat):
    """What a seat is paid in a game."""
    paid, agent = 0.0, env.possible_agents[seat]
    if isinstance(env, ParallelGameEnv):
        seen = env.reset()[0]
        while env.agents:
            seen, rewards, *_ = env.step({each: players.act(each, seen[each]) for each in env.agents})
            paid += rewards[agent]
        return paid
    env.reset()
    for selected in env.agent_iter():
        seen, reward, terminated, *_ = env.last()
        paid += reward * (selected == agent)
        env.step(None if terminated else players.act(selected, seen))
    return paid


def excess(env, policies, seat, value):
    """By how many payoff points a seat's mean payoff is above `value`, and how much of that may be luck."""
    players = Players(env, policies)
    env.reset(seed=1)
    paid = [payoff(env, players, seat) for _ in range(PLAYED)]
    return np.mean(paid) - value, STANDARD_ERRORS * np.std(paid, ddof=1) / PLAYED**0.5 + ROUNDING


@pytest.mark.parametrize(("name", "skin"), CASES)
def test_equilibrium_play_earns_the_value_and_at_least_that_against_uniform_play(name, skin):
    game = TINY_GAMES[name]
    solution, uniform = solve(game), make_policy("uniform", game)
    best = solution.policy
    above, luck = excess(skin(game), (best, best), 0, solution.value)
    assert abs(above) <= luck
    for line_up, seat, least in (((best, uniform), 0, solution.value), ((uniform, best), 1, -solution.value)):
        above, luck = excess(skin(game), line_up, seat, least)
        assert above >= -luck


class HouseEdge(AECGameEnv):
    """A tenth of a point for every step goes from player_1 to player_0."""

    def last(self, observe=True):
        seen, reward, *rest = super().last(observe)
        return seen, reward + (0.1 if self.agent_selection == "player_0" else -0.1), *rest


def test_an_environment_that_pays_otherwise_than_the_game_solved_is_noticed():
    game = make_game("jujitsu", num_cards=4)
    best = solve(game).policy
    above, luck = excess(HouseEdge(game), (best, best), 0, 0.0)
    assert above > luck
