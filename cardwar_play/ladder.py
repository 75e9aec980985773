"""Random zero-sum matrix games of growing size: the simplest ladder of agents, with exact figures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress

import numpy as np

import baselines
from cardwar_envs.tables.game import table_game
from cardwar_play.interview import Interviewer, InvalidAnswersError
from cardwar_play.interview_figures import exact_from_mixes
from train.policies.prompt_form import PromptForm
from train.policies.table_files import information_states

# Payoffs are whole numbers of points from -LARGEST to LARGEST.
LARGEST = 9
# An answer is right if its exploitability is at most this: 1 % of the range of payoffs, in points.
TOLERANCE = 0.01 * 2 * LARGEST


def make_rungs(size: int, games: int, seed: int, disguise: bool, hide_moves: bool) -> list[PromptForm]:
    """Returns seeded random `size` x `size` matrix games that have no pure equilibrium, with the form of prompts."""
    rng, rungs = np.random.default_rng([seed, size]), list[PromptForm]()
    labels = [[f"{line}{number}" for number in range(1, size + 1)] for line in ("row", "column")]
    while len(rungs) < games:
        payoffs = rng.integers(-LARGEST, LARGEST, (size, size), endpoint=True)
        if payoffs.max(axis=0).min() > payoffs.min(axis=1).max():  # minimax > maximin over pure strategies
            game = table_game(payoffs, players=("Row", "Column"), actions=labels, title=f"{size}x{size}")
            rungs.append(PromptForm(game, [seed, size, len(rungs)] if disguise else None, hide_moves))
    return rungs


def climb(agent: Interviewer, rungs: Sequence[PromptForm], advance: Callable[[int], None]) -> dict[str, float]:
    """Queries the agent for both seats' strategies in games of one size; raises an AgentError if the agent fails.

    Returns:
        "right", the fraction of games with an exploitability of at most `TOLERANCE`; "answered", the number of games
        with valid answers, as the others are not right; "exploitability", the mean over these in payoff points; and
        "uniform", that of uniform play in all games. All are exact for these games.
    """
    found = list[float]()
    for done, agent.form in enumerate(rungs, start=1):
        prefix = f"{agent.form.game.facts.name} {done} "
        states = information_states(agent.form.game)
        with suppress(InvalidAnswersError):
            found.append(exact_from_mixes(agent, states, lambda _: None, prefix).total / 2)
        advance(done)
    uniform = float(np.mean([baselines.exploitability(rung.game, "uniform") for rung in rungs]))
    right = sum(each <= TOLERANCE for each in found) / len(rungs)
    mean = {"exploitability": float(np.mean(found))} if found else {}
    return {"answered": len(found), "right": right, **mean, "uniform": uniform}
