"""Witnesses of secrets: a committed move, or chance to come, makes a difference to what can be looked at."""

import io
import random
import re
from contextlib import redirect_stdout

import numpy as np

from broken.playing import Choices, exact, is_out, legal, rounds
from broken.witnesses import ended

# -- a committed move shows -----------------------------------------------------------------------


def leaks(look, games=3, before=0, **arguments):
    """Two histories that differ only in the committed moves give different looks.

    Args:
        look: Gets the AEC environment and the agents that have not committed yet.
        games: How many games are looked at, in each moment in which some have committed.
        before: How many games the environment has played before.
        arguments: Of the environment.
    """

    def witness(make):
        return any(leaks_in(lambda: make(**arguments), look, seed, before) for seed in range(games))

    return witness


def leaks_in(make, look, seed, before):
    """Goes through a game; before each commitment that is not the last, tries all that the agent may do."""
    history, committed, choices = [], [], Choices(seed)
    while True:
        env = replayed(make, history, seed, before)
        if not env.agents:
            return False
        agent, live = env.agent_selection, list(env.agents)
        chosen = choices(env, agent, env.observe(agent), env.infos[agent])
        others = [other for other in live if other not in (agent, *committed)]
        looks = set()
        for action in legal(env, agent) if others else ():
            branch = replayed(make, history, seed, before)
            branch.step(action)
            looks.add(exact(look(branch, others)))
        if len(looks) > 1:
            return True
        history.append(chosen)
        committed = [*committed, agent] if others else []


def replayed(make, history, seed, before):
    """An environment after some live steps; global generators are as at the start."""
    random.seed(0)
    np.random.seed(0)
    env = make()
    for number in range(before):
        ended(env, number)
    seed_spaces(env)
    env.reset(seed=seed)
    for action in (*history, None):
        while env.agents and is_out(env, env.agent_selection):
            env.step(None)
        if action is not None:
            env.step(action)
    return env


def seed_spaces(env):
    for agent in env.possible_agents:
        for space in (env.action_space(agent), env.observation_space(agent)):
            space.seed(0)


def drawn(env, others):
    return env.render()


def printed(env, others):
    with redirect_stdout(io.StringIO()) as out:
        env.render()
    return out.getvalue()


def state(env, others):
    return env.state()


def observed(env, others):
    return [env.observe(other) for other in others]


def informed(env, others):
    return [env.infos[other] for other in others]


def paid(env, others):
    return [(env.rewards[other], env._cumulative_rewards[other]) for other in others]


def flags(env, others):
    return [(env.terminations[other], env.truncations[other]) for other in others]


def refused(env, others):
    """How the next agent's impossible action is refused."""
    try:
        env.step(99)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return ""


def described(env, others):
    """repr(env), without its address."""
    return re.sub("0x[0-9a-f]+", "", repr(env))


def attribute(*names):
    """A public attribute, also of nested objects; whether it is there at all."""

    def look(env, others):
        value = env
        for name in names:
            value = getattr(value, name, "absent")
        return value

    return look


def generator(find):
    """The state of a generator that can be found without private names."""
    return lambda env, others: find(env, others).bit_generator.state


# -- chance shows ---------------------------------------------------------------------------------


def foretells(look, games=80, **arguments):
    """The public facts are the same and a look differs: it tells of chance to come. `look(env, views)`."""

    def witness(make):
        seen = {}
        for seed in range(games):
            env = make(**arguments)
            seed_spaces(env)
            past = ()
            for views in rounds(env, seed, choices=Choices(0)):
                past = (*past, env.public_facts())
                value = exact(look(env, views))
                if seen.setdefault(past, value) != value:
                    return True
        return False

    return witness
