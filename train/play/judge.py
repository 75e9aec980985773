"""The cost of a move: the expected payoff it gives away against an opponent who plays the equilibrium.

There are often many optimal strategies, so moves are judged by cost, never by their probability in one equilibrium: a
move that any optimal strategy plays costs nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from baselines import PrivateSolution, Solution, StateSolution

# Costs below this share of the largest payoff (at least 1) are rounding errors of the solver.
ROUNDING = 1e-9
# Decisions whose verdicts are cached; they recur in small games.
KEPT = 10_000


@dataclass(frozen=True)
class Verdict:
    """One decision: the action played, and the cost and equilibrium probability of each legal action.

    Attributes:
        played: The action that was played.
        costs: Action -> payoff points that it gives away, for each legal action; 0 for a best reply.
        mix: Action -> its probability in the equilibrium, for each legal action.
    """

    played: int
    costs: Mapping[int, float]
    mix: Mapping[int, float]

    @property
    def cost(self) -> float:
        """What the action played gives away, payoff points."""
        return self.costs[self.played]


class Judge(Protocol):
    """Computes the cost of moves."""

    def verdict(self, state: Any, player: int, action: int) -> Verdict:
        """The verdict on an action that `player` has played in `state`."""


def judge_by(solution: Solution) -> Judge:
    """A judge based on a game's solution."""
    if isinstance(solution, PrivateSolution):
        return PrivateJudge(solution)
    assert isinstance(solution, StateSolution)  # there are two kinds
    return StateJudge(solution)


class StateJudge:
    """Judges moves in a game in which players see the state."""

    def __init__(self, solution: StateSolution) -> None:
        self._solution = solution
        self._known: dict[tuple[Any, int], tuple[dict[int, float], dict[int, float]]] = {}

    def verdict(self, state: Any, player: int, action: int) -> Verdict:
        """See `Judge`; costs are expectations over the opponent's action and chance."""
        if len(self._known) >= KEPT:
            self._known.clear()
        if (state, player) not in self._known:
            self._known[state, player] = self._costs_and_mix(state, player)
        return Verdict(action, *self._known[state, player])

    def _costs_and_mix(self, state: Any, player: int) -> tuple[dict[int, float], dict[int, float]]:
        game, matrix = self._solution.game, self._solution.payoff_matrix(state)
        strategies, acting = self._solution.strategies(state), game.acting_players(state)
        legal = [game.legal_actions(state, seat) if seat in acting else () for seat in (0, 1)]
        # The matrix has one column (or row) for a player who does not act.
        other = strategies[1 - player][list(legal[1 - player])] if legal[1 - player] else np.ones(1)
        worth = matrix @ other if player == 0 else -(other @ matrix)
        own = legal[player]
        return _costs(self._solution, own, worth), {each: float(strategies[player][each]) for each in own}


class PrivateJudge:
    """Judges moves in a game in which both players move once on private information.

    A cost is an expectation over the opponent's information, given the player's.
    """

    def __init__(self, solution: PrivateSolution) -> None:
        self._solution, self._form = solution, solution.game.bayesian_form()

    def verdict(self, state: Any, player: int, action: int) -> Verdict:
        """See `Judge`."""
        form, behaviour = self._form, self._solution.behaviour
        seen = self._solution.game.observation(state, player)
        kind = int(np.flatnonzero((form.observations[player] == seen).all(axis=1))[0])
        weights, payoffs = form.weights, form.payoffs
        if player == 1:  # the same game with the seats exchanged
            weights, payoffs = weights.T, -payoffs.transpose(1, 0, 3, 2)
        worth = np.einsum("j,jb,jab->a", weights[kind] / weights[kind].sum(), behaviour[1 - player], payoffs[kind])
        actions = form.actions[player]
        mix = dict(zip(actions, behaviour[player][kind].tolist(), strict=True))
        return Verdict(action, _costs(self._solution, actions, worth), mix)


def _costs(solution: Solution, actions: tuple[int, ...], worth: NDArray[np.float64]) -> dict[int, float]:
    """Each action's loss against the best one; losses below the solution's error count as 0."""
    facts = solution.game.facts
    largest = max(1.0, abs(facts.min_payoff), abs(facts.max_payoff))
    error = max(solution.gap, ROUNDING * largest)
    lost = worth.max() - worth
    return {action: float(cost) if cost > error else 0.0 for action, cost in zip(actions, lost, strict=True)}
