"""Plays any environment of the set by seeded choices, and writes down exactly what it says."""

import copy
from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
from gymnasium import spaces

MOST_ROUNDS = 40


@dataclass(frozen=True)
class View:
    """What an agent is told after a round."""

    observation: Any
    reward: Any = 0.0
    terminated: bool = False
    truncated: bool = False
    info: Any = None


def exact(value):
    """A value to the last bit, the type and the order of keys, as something that can be compared and hashed."""
    if isinstance(value, View):
        return tuple(exact(field) for field in vars(value).values())
    if isinstance(value, dict):
        return tuple((str(key), exact(each)) for key, each in value.items())
    if isinstance(value, np.ndarray):
        return str(value.dtype), value.shape, value.tobytes()
    if isinstance(value, (list, tuple)):
        return tuple(exact(each) for each in value)
    return float(value).hex() if isinstance(value, (float, np.floating)) else repr(value)


def mask_of(observation, info):
    for source in (observation, info):
        if isinstance(source, dict) and "action_mask" in source:
            return source["action_mask"]
    return None


def legal(env, agent):
    """The legal actions of an agent of AEC, for Discrete spaces."""
    mask = mask_of(env.observe(agent), env.infos.get(agent))
    space = env.action_space(agent)
    return [int(space.start + each) for each in range(space.n) if mask is None or mask[each]]


class Choices:
    """Choices that depend on a seed, the seat and how often it has chosen, and so are the same in both skins."""

    def __init__(self, seed=0):
        self.seed, self.count = seed, Counter()

    def __call__(self, env, agent, observation, info):
        self.count[agent] += 1
        seat = env.possible_agents.index(agent)
        rng = np.random.default_rng([self.seed, seat, self.count[agent]])
        space, mask = env.action_space(agent), mask_of(observation, info)
        if isinstance(space, spaces.Discrete):
            actions = np.arange(space.n) if mask is None else np.flatnonzero(mask)
            return int(space.start + rng.choice(actions))
        space = copy.deepcopy(space)  # a draw must not change the environment's
        space.seed(int(rng.integers(2**31)))
        return space.sample()


def rounds(env, seed=0, options=None, choices=None):
    """Plays a game. Yields the views by agent, after reset and after each round."""
    choices = choices or Choices(seed or 0)
    play = aec_rounds if hasattr(env, "agent_iter") else parallel_rounds
    yield from play(env, seed, options, choices)


def aec_views(env):
    return {
        agent: View(
            env.observe(agent), env.rewards[agent], env.terminations[agent], env.truncations[agent], env.infos[agent]
        )
        for agent in env.agents
    }


def is_out(env, agent):
    return env.terminations[agent] or env.truncations[agent]


def aec_rounds(env, seed, options, choices):
    env.reset(seed=seed, options=options)
    yield aec_views(env)
    for _ in range(MOST_ROUNDS):
        while env.agents and is_out(env, env.agent_selection):
            env.step(None)
        if not env.agents:
            return
        for _ in range(len(env.agents)):
            agent = env.agent_selection
            if is_out(env, agent):  # not all were asked
                break
            env.step(choices(env, agent, env.observe(agent), env.infos[agent]))
        yield aec_views(env)


def parallel_rounds(env, seed, options, choices):
    observations, infos = env.reset(seed=seed, options=options)
    views = {agent: View(observations[agent], info=infos.get(agent)) for agent in observations}
    for _ in range(MOST_ROUNDS):
        kept = copy.deepcopy(views)  # choices go by what was handed out, whatever is written into it now
        yield views
        if not env.agents:
            return
        asked = list(env.agents)
        actions = {agent: choices(env, agent, kept[agent].observation, kept[agent].info) for agent in asked}
        told = env.step(actions)
        views = {agent: View(*(each[agent] for each in told)) for agent in asked}
    yield views


def steps(env, choices, most=100):
    """Goes on with a game; yields before each step, in AEC the agent that is asked."""
    for _ in range(most):
        if not env.agents:
            return
        if hasattr(env, "agent_iter"):
            yield env.agent_selection
            agent = env.agent_selection
            env.step(None if is_out(env, agent) else choices(env, agent, env.observe(agent), env.infos[agent]))
        else:
            yield None
            env.step({agent: choices(env, agent, env.observe(agent), env.info(agent)) for agent in env.agents})


def plays(env, seed=0, most=100):
    """Plays a game step by step."""
    env.reset(seed=seed)
    yield from steps(env, Choices(seed), most)


def record(env, seed=0, options=None):
    """A whole game, exactly."""
    return [exact(views) for views in rounds(env, seed, options)]
