"""One way to drive all APIs, and to see everything of them that decides how they go on."""

import copy

import numpy as np
import pytest
from gymnasium.utils.env_checker import data_equivalence
from knock_out import KnockOut
from tiny_games import EVERY_GAME

from cardwar_envs.envs.aec import AECGameEnv
from cardwar_envs.envs.parallel import ParallelGameEnv
from cardwar_envs.envs.single_agent import SingleAgentEnv
from cardwar_envs.envs.vector_env import GameVectorEnv

SKINS = {"aec": AECGameEnv, "parallel": ParallelGameEnv, "single": SingleAgentEnv}
every_game = pytest.mark.parametrize("game", [*EVERY_GAME, KnockOut()], ids=lambda game: game.facts.name)
SEATED = {"single": SingleAgentEnv, "vector": GameVectorEnv}
every_skin = pytest.mark.parametrize("skin", SKINS.values(), ids=SKINS)
every_seated = pytest.mark.parametrize("skin", SEATED.values(), ids=SEATED)
every_api = pytest.mark.parametrize("skin", (SKINS | SEATED).values(), ids=SKINS | SEATED)

ATTRIBUTES = [
    *("agents", "agent_selection", "rewards", "_cumulative_rewards", "terminations", "truncations", "infos"),
    *("_skip_agent_selection", "_pending", "_owed"),
]


def generator(env):
    """The generator that chance (and, in the single-agent skin, the opponents) draw from."""
    return env._rng


def view(env, without=()):
    """A copy of all that can be seen of an environment, and of all that decides how it goes on."""
    if isinstance(env, GameVectorEnv):
        games = env._games
        kept = games.engine.states(), games.engine.streams, games.engine.views(), games._sitting
        return copy.deepcopy((*kept, games._paid, games._owed, games.revealed, env._over, env.action_masks()))
    session = env._session
    seen = {name: getattr(env, name) for name in ATTRIBUTES if hasattr(env, name)}
    kept = ("game", "_starts", "_last_start", "_masks", "_seen", "_kept")  # the rules, and what follows from them
    seen["session"] = {name: value for name, value in vars(session).items() if name not in kept}
    seen["observations"] = [session.observe(player) for player in range(len(session.agents))]
    seen["text"] = session.game.describe_revealed(session.revealed(None))
    seen["global state"] = session.global_state()
    seen["generator"] = generator(env).bit_generator.state
    if isinstance(env, AECGameEnv):
        seen["observe"] = [env.observe(agent) for agent in env.possible_agents]
        seen["last"] = env.last() if env.agents else None
        seen["state()"] = env.state()
    if isinstance(env, SingleAgentEnv):
        seen["action masks"] = env.action_masks()
    return copy.deepcopy({name: value for name, value in seen.items() if name not in without})


def same(first, second):
    """Whether two pieces of data are equal to the last bit."""
    return data_equivalence(first, second, exact=True)


def is_over(env):
    """Whether the game in progress has ended, dead steps included."""
    if isinstance(env, SingleAgentEnv):
        return env.seat not in env._session.acting
    return not env.agents


def choose(env, player, rng):
    """A random legal action."""
    legal = env.game.legal_actions(env._session.state, player)
    return legal[int(rng.integers(len(legal)))]


def one_step(env, rng):
    """Random legal play for one call of step()."""
    if isinstance(env, GameVectorEnv):
        return env.step(np.array([rng.choice(np.flatnonzero(mask)) for mask in env.action_masks()]))
    if isinstance(env, SingleAgentEnv):
        return env.step(choose(env, env.seat, rng))
    if isinstance(env, ParallelGameEnv):
        return env.step({agent: choose(env, env._player_of[agent], rng) for agent in env.agents})
    agent = env.agent_selection
    return env.step(None if env.terminations[agent] else choose(env, env._player_of[agent], rng))


def rest_of_game(env, choices=0):
    """Plays on to the end at random; what step() returned and what could be seen, step by step."""
    rng = np.random.default_rng(choices)
    record = [view(env)]
    while not is_over(env):
        record.append((copy.deepcopy(one_step(env, rng)), view(env)))
    return record


def illegal_actions(game, state, player):
    """Every number of the space that is not legal, and what is no action at all."""
    legal = game.legal_actions(state, player)
    numbers = [action for action in range(game.facts.num_actions) if action not in legal]
    return [*numbers, -1, game.facts.num_actions, 10**30, 0.0, float("nan"), "0", None, np.array([legal[0]]), np.True_]
