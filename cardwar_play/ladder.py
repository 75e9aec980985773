"""Random zero-sum matrix games of growing size: the simplest ladder of agents, with exact figures."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

import baselines
from cardwar_envs.tables.game import TableGame, table_game
from cardwar_play.interview import Interviewer, InvalidAnswersError
from cardwar_play.interview_figures import exact_from_mixes
from train.policies.prompt_form import PromptForm
from train.policies.table_files import information_states

# Payoffs are whole numbers of points from -LARGEST to LARGEST.
LARGEST = 9
# An answer is right if its exploitability is at most this: 1 % of the range of payoffs, in points.
TOLERANCE = 0.01 * 2 * LARGEST


class Rung(NamedTuple):
    """A game, its name, the form of its prompts, and the least exploitability of pure strategies, in payoff points."""

    key: str
    game: TableGame
    form: PromptForm
    best_pure: float


def make_rungs(size: int, games: int, seed: int, disguise: bool, hide_moves: bool) -> Iterator[Rung]:
    """Yields seeded random `size` x `size` matrix games that have no pure equilibrium."""
    rng = np.random.default_rng([seed, size])
    labels = [[f"{line}{number}" for number in range(1, size + 1)] for line in ("row", "column")]
    number = 0
    while number < games:
        payoffs = rng.integers(-LARGEST, LARGEST, (size, size), endpoint=True)
        gap = int(payoffs.max(axis=0).min() - payoffs.min(axis=1).max())  # minimax - maximin over pure strategies
        if gap > 0:
            game = table_game(payoffs, players=("Row", "Column"), actions=labels, title=f"{size}x{size}")
            form = PromptForm(game, [seed, size, number] if disguise else None, hide_moves)
            yield Rung(f"{size}x{size} {number}", game, form, gap / 2)
            number += 1


def climb(agent: Interviewer, rungs: Sequence[Rung], advance: Callable[[int], None]) -> dict[str, dict[str, float]]:
    """Queries the agent for both seats' strategies in each game.

    Returns:
        For the agent, uniform play and the best pure strategies: "right", the fraction of games with an exploitability
        of at most `TOLERANCE`, and "exploitability", the mean in payoff points; both exact for these games. A game
        without a valid answer is not right and has no exploitability; "answered" counts the others.

    Raises:
        AgentError: If the agent exits or exceeds the time limit.
    """
    found = list[tuple[float, float, float]]()
    for done, (key, game, agent.form, best_pure) in enumerate(rungs, start=1):
        agent.game = game
        try:
            result = exact_from_mixes(agent, information_states(game), lambda _: None, f"{key} ").total / 2
        except InvalidAnswersError:
            result = np.nan
        found.append((result, baselines.exploitability(game, "uniform"), best_pure))
        advance(done)
    columns = zip(("agent", "uniform", "best_pure"), np.array(found).T, strict=True)
    return {name: _figures(column) for name, column in columns}


def _figures(exploitabilities: np.ndarray) -> dict[str, float]:
    answered = exploitabilities[~np.isnan(exploitabilities)]
    right = float((answered <= TOLERANCE).sum() / len(exploitabilities))
    mean = {"exploitability": float(answered.mean())} if len(answered) else {}
    return {"answered": len(answered), "right": right, **mean}
