"""Much at once in one process: many environments, many threads. What each sees must be what it sees alone."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import numpy as np
from tiny_games import EVERY_GAME

from cardwar_envs.core.play import random_state
from cardwar_envs.envs.aec import AECGameEnv
from cardwar_envs.envs.parallel import ParallelGameEnv
from cardwar_envs.envs.single_agent import SingleAgentEnv

THREADS = 8


def course(number, steps):
    """Plays an environment of its own, step by step; yields all that is seen."""
    game = EVERY_GAME[number % len(EVERY_GAME)]
    play = (by_aec, by_parallel, by_single)[number // len(EVERY_GAME) % 3]
    return play(game, number, steps)


def chosen(mask, rng):
    return int(rng.choice(np.flatnonzero(mask)))


def by_aec(game, seed, steps):
    env, rng = AECGameEnv(game, render_mode="ansi"), np.random.default_rng(seed)
    env.reset(seed=seed)
    for _ in range(steps):
        if not env.agents:
            env.reset()
        observation, reward, over, cut, info = env.last()
        yield observation["observation"].tolist(), reward, over, cut, str(info), env.render()
        env.step(None if over else chosen(observation["action_mask"], rng))


def by_parallel(game, seed, steps):
    env, rng = ParallelGameEnv(game), np.random.default_rng(seed)
    seen, _ = env.reset(seed=seed)
    for _ in range(steps):
        if not env.agents:
            seen, _ = env.reset()
        seen, *rest = env.step({agent: chosen(seen[agent]["action_mask"], rng) for agent in env.agents})
        yield {agent: each["observation"].tolist() for agent, each in seen.items()}, str(rest)


def by_single(game, seed, steps):
    env, rng = SingleAgentEnv(game), np.random.default_rng(seed)
    seen, _ = env.reset(seed=seed)
    for _ in range(steps):
        seen, reward, over, cut, info = env.step(chosen(seen["action_mask"], rng))
        yield seen["observation"].tolist(), reward, over, cut, str(info)
        if over:
            seen, _ = env.reset()


def in_turns(numbers, steps):
    """All courses at once, a step of each in turn."""
    courses, seen = [course(number, steps) for number in numbers], [[] for _ in numbers]
    for _ in range(steps):
        for each, mine in zip(courses, seen, strict=True):
            mine.append(next(each))
    return seen


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
