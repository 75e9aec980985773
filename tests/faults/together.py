"""Much at once in one process: many environments, many threads. What each sees must be what it sees alone."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import numpy as np
from skins import SKINS, is_over, one_step, view
from tiny_games import EVERY_GAME

from cardwar_envs.core.play import random_state

THREADS = 8


def course(number, steps):
    """Plays an environment of its own, step by step; yields all that is returned and can be seen."""
    game, skin = EVERY_GAME[number % len(EVERY_GAME)], list(SKINS.values())[number // len(EVERY_GAME) % len(SKINS)]
    env, rng = skin(game), np.random.default_rng(number)
    env.reset(seed=number)
    for _ in range(steps):
        if is_over(env):
            env.reset()
        yield one_step(env, rng), view(env)


def in_turns(numbers, steps):
    """All courses at once, a step of each in turn."""
    by_step = zip(*(course(number, steps) for number in numbers), strict=True)
    return [list(each) for each in zip(*by_step, strict=True)]


def in_threads(work, count=THREADS):
    """The results of `work(number)`, all begun at one moment."""
    ready = Barrier(count)

    def begin(number):
        ready.wait(60)
        return work(number)

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(begin, range(count)))


def answers(solution, states, order):
    """Value, matrix and strategies at states, asked in some order; and what the policy plays there."""
    found = {}
    for place in order:
        state = states[place]
        found[int(place)] = (
            solution.value_at(state),
            solution.payoff_matrix(state).tolist(),
            [each.tolist() for each in solution.strategies(state)],
        )
    game, rows = solution.game, [(state, player) for state in states for player in solution.game.acting_players(state)]
    seen = np.stack([game.observation(*row) for row in rows])
    masks = np.stack([game.action_mask(*row) for row in rows])
    return [found[place] for place in sorted(found)], solution.policy.action_probabilities(seen, masks).tolist()


def some_states(game, count):
    """States that the start leads to, the same for every call."""
    rng = np.random.default_rng(count)
    return [random_state(game, rng) for _ in range(count)]
