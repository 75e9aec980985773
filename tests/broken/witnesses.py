"""Witnesses: each makes a callable that gets a maker of environments and returns whether it sees the defect.

A witness that is more than one of these functions with a short argument stands beside its environment.
"""

import copy
import io
import random
import re
from contextlib import redirect_stdout, suppress

import numpy as np

from tests.broken.playing import Choices, aec_views, exact, is_out, legal, record, rounds

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
        for _ in rounds(env, seed=number):
            pass
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


def ended(env, others):
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


# -- what must be true always ---------------------------------------------------------------------


def violates(fact, games=20, choices=None, **arguments):
    """A fact about an agent's view, `fact(env, agent, view)`, is false after some round."""

    def witness(make):
        env = make(**arguments)
        return any(
            not fact(env, agent, view)
            for seed in range(games)
            for views in rounds(env, seed, choices=choices)
            for agent, view in views.items()
        )

    return witness


def at_each_step(fact, games=5, **arguments):
    """A fact about an AEC environment, `fact(env)`, is false before some step."""

    def witness(make):
        env = make(**arguments)
        for seed in range(games):
            env.reset(seed=seed)
            choices = Choices(seed)
            for step in range(100):
                if not env.agents:
                    break
                if not fact(env):
                    return True
                agent = env.agent_selection
                dead = is_out(env, agent)
                env.step(None if dead else choices(env, agent, env.observe(agent), env.infos[agent]))
                assert step < 99, "the game has no end"
        return False

    return witness


def raises(use, **arguments):
    """Some use of the environment raises."""

    def witness(make):
        try:
            use(make(**arguments))
        except Exception:
            return True
        return False

    return witness


def differ(one, other, games=3):
    """Two uses of fresh environments, `use(make, seed)`, which should give the same, do not."""

    def witness(make):
        return any(outcome(one, make, seed) != outcome(other, make, seed) for seed in range(games))

    return witness


def outcome(use, make, seed):
    try:
        return exact(use(make, seed))
    except Exception as error:
        return repr(error)


def same(one, other, games=3):
    """Two uses which should give different results always give the same."""

    def witness(make):
        return all(exact(one(make, seed)) == exact(other(make, seed)) for seed in range(games))

    return witness


# -- input ----------------------------------------------------------------------------------------


def attempt(env, action, seat=0):
    """Tries an action for a seat, with the first legal ones of the others. True if it is accepted."""
    if hasattr(env, "agent_iter"):
        for _ in range(seat):
            env.step(legal(env, env.agent_selection)[0])
        env.step(action)
    else:
        given = dict.fromkeys(env.agents, 0)
        env.step(given | {env.agents[seat]: action})


def accepts(action, seat=0):
    """An action that is not in the space is accepted."""

    def witness(make):
        env = make()
        env.reset(seed=0)
        with suppress(Exception):
            attempt(env, action, seat)
            return True
        return False

    return witness


def disturbs(action, games=3):
    """An action that is refused changes what comes after, or what is told already."""

    def witness(make):
        for seed in range(games):
            undisturbed = around(make(), action, seed)
            try:
                if around(make(), action, seed, tried=True) != undisturbed:
                    return True
            except Exception:  # nothing raised without the attempts
                return True
        return False

    return witness


def around(env, action, seed, tried=False):
    """What a game says in every moment. If `tried`, each agent tries the action before it chooses."""
    said, choices = [], Choices(seed)
    observations, infos = env.reset(seed=seed) or (None, None)
    for _ in range(60):
        if not env.agents:
            break
        if hasattr(env, "agent_iter"):
            agent = env.agent_selection
            dead = is_out(env, agent)
            if tried and not dead:
                with suppress(Exception):
                    env.step(action)
            said.append(exact([aec_views(env), env.agent_selection, env._cumulative_rewards]))
            agent = env.agent_selection
            dead = is_out(env, agent)
            env.step(None if dead else choices(env, agent, env.observe(agent), env.infos[agent]))
            continue
        given = {agent: choices(env, agent, observations[agent], infos[agent]) for agent in env.agents}
        if tried:
            with suppress(Exception):
                env.step(given | {env.agents[-1]: action})
        observations, *told, infos = env.step(given)
        said.append(exact([observations, *told, infos]))
    return said


# -- other orders, other pasts --------------------------------------------------------------------


def game(make, seed, **options):
    """A game of a fresh environment."""
    return record(make(), seed, **options)


def after_games(count, of_its_own=True):
    """A game of an environment that has played some, or while others of its class have."""

    def use(make, seed):
        env = make()
        other = env if of_its_own else make()
        for number in range(count):
            for _ in rounds(other, seed=1000 + number):
                pass
        return record(env, seed)

    return use


def backwards(make, seed):
    """A game of Parallel in which the dict of actions is handed in backwards."""
    env = make()
    step = env.step
    env.step = lambda actions: step(dict(reversed(actions.items())))
    return record(env, seed)


order_matters = differ(game, backwards, games=12)


# -- copies ---------------------------------------------------------------------------------------


def play_on(env, seed=0):
    """Plays a game that has begun to its end, and says what is seen."""
    said, choices = [], Choices(seed)
    for _ in range(60):
        if not env.agents:
            break
        said.append(exact([env.observe(agent) for agent in env.agents]))
        if hasattr(env, "agent_iter"):
            agent = env.agent_selection
            env.step(None if is_out(env, agent) else choices(env, agent, env.observe(agent), env.infos[agent]))
        else:
            env.step({agent: choices(env, agent, env.observe(agent), env.info(agent)) for agent in env.agents})
    return said


def play_again(env):
    """Plays a new game, for which no seed is given."""
    return record(env, None)


def begun(make, seed):
    """A game in which one round has been played."""
    env = make()
    going = rounds(env, seed)
    next(going), next(going)
    return env


def copies_disturb(use, games=3):
    """What is done to a deep copy, `use(copy)`, shows in the original."""

    def undisturbed(make, seed):
        env = begun(make, seed)
        return [play_on(env), play_again(env)]

    def disturbed(make, seed):
        env = begun(make, seed)
        use(copy.deepcopy(env))
        return [play_on(env), play_again(env)]

    return differ(undisturbed, disturbed, games)


def copies_differ(use=lambda env: [play_on(env), play_again(env)], games=3):
    """A deep copy does not go on as the original does."""
    return differ(
        lambda make, seed: use(begun(make, seed)), lambda make, seed: use(copy.deepcopy(begun(make, seed))), games
    )
