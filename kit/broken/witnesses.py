"""Witnesses: each makes a callable that gets a maker of environments and returns whether it sees the defect.

A witness that is more than one of these functions with a short argument stands beside its environment.
"""

import copy
from contextlib import suppress

from broken.playing import Choices, aec_views, exact, is_out, legal, plays, record, rounds, steps

# -- what must be true always ---------------------------------------------------------------------


def in_space(env, agent, view):
    return view.observation is not None and env.observation_space(agent).contains(view.observation)


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


def at_each_step(fact, games=5):
    """A fact about an AEC environment, `fact(env)`, is false before some step."""

    def witness(make):
        env = make()
        return any(not fact(env) for seed in range(games) for _ in plays(env, seed))

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


def passes(use, **arguments):
    """Some use of the environment that should raise does not."""
    return lambda make: not raises(use, **arguments)(make)


def act(env, action=0):
    """Steps with this action of whoever is asked."""
    env.step(action if hasattr(env, "agent_iter") else dict.fromkeys(env.agents or env.possible_agents, action))


def ended(env, seed=0):
    """The environment after a game."""
    for _ in rounds(env, seed):
        pass
    return env


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
    """Tries an action for a seat, with the first legal ones of the others."""
    if hasattr(env, "agent_iter"):
        for _ in range(seat):
            env.step(legal(env, env.agent_selection)[0])
        env.step(action)
    else:
        given = dict.fromkeys(env.agents, 0)
        env.step(given | {env.agents[seat]: action})


def accepts(action, seat=0):
    """An action that is not in the space is accepted."""
    return passes(lambda env: (env.reset(seed=0), attempt(env, action, seat)))


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
            ended(other, 1000 + number)
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
    return [exact([env.observe(agent) for agent in env.agents]) for _ in steps(env, Choices(seed))]


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
