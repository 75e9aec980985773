"""The cost of a move: the expected payoff it gives away against an opponent who plays the equilibrium.

There are often many optimal strategies, so moves are judged by cost, never by their probability in one equilibrium: a
move that any optimal strategy plays costs nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baselines import PrivateSolution, Solution, StateSolution
from cardwar_envs.core.forms import BayesianForm

# Costs below this share of the largest payoff (at least 1) are rounding errors of the solver.
ROUNDING = 1e-9
# Decisions whose verdicts are cached; they recur in small games.
MOST_CACHED = 10_000


@dataclass(frozen=True)
class Verdict:
    """One decision, and what each legal action would have given away.

    Attributes:
        played: The action that was played.
        costs: Action -> payoff points that it gives away; 0 for a best reply.
        mix: Action -> its probability in the equilibrium.
    """

    played: int
    costs: Mapping[int, float]
    mix: Mapping[int, float]

    @property
    def cost(self) -> float:
        """What the action played gives away, payoff points."""
        return self.costs[self.played]


class Judge:
    """Computes the cost of moves by a game's solution."""

    def __init__(self, solution: Solution) -> None:
        if isinstance(solution, PrivateSolution):
            self._weighed = partial(_on_information, solution, solution.game.bayesian_form())
        else:
            assert isinstance(solution, StateSolution)  # there are two kinds
            self._weighed = partial(_at_state, solution)
        facts = solution.game.facts
        self._error = max(solution.gap, ROUNDING * max(1.0, abs(facts.min_payoff), abs(facts.max_payoff)))
        self._cached = lru_cache(MOST_CACHED)(self._costs_and_mix)

    def verdict(self, state: Any, player: int, action: int) -> Verdict:
        """The verdict on an action that `player` has played in `state`."""
        return Verdict(action, *self._cached(state, player))

    def _costs_and_mix(self, state: Any, player: int) -> tuple[dict[int, float], dict[int, float]]:
        """Each action's loss against the best one, where losses below the solution's error count as 0; and the mix."""
        actions, mix, worth = self._weighed(state, player)
        lost = worth.max() - worth
        costs = {a: float(cost) if cost > self._error else 0.0 for a, cost in zip(actions, lost, strict=True)}
        return costs, dict(zip(actions, mix.tolist(), strict=True))


# A player's actions, their probabilities in the equilibrium, and what each is worth against it.
Weighed = tuple[tuple[int, ...], NDArray[np.float64], NDArray[np.float64]]


def _at_state(solution: StateSolution, state: Any, player: int) -> Weighed:
    """Where players see the state: expectations over the opponent's action and chance."""
    game, matrix, strategies = solution.game, solution.payoff_matrix(state), solution.strategies(state)
    acting = game.acting_players(state)
    own, others = (game.legal_actions(state, seat) if seat in acting else () for seat in (player, 1 - player))
    # The matrix has one column (or row) for a player who does not act.
    other = strategies[1 - player][list(others)] if others else np.ones(1)
    return own, strategies[player][list(own)], matrix @ other if player == 0 else -(other @ matrix)


def _on_information(solution: PrivateSolution, form: BayesianForm, state: Any, player: int) -> Weighed:
    """Where both players move once on private information: expectations over the opponent's, given the player's."""
    kind = int(np.flatnonzero((form.observations[player] == solution.game.observation(state, player)).all(axis=1))[0])
    weights, payoffs = form.weights, form.payoffs
    if player == 1:  # the same game with the seats exchanged
        weights, payoffs = weights.T, -payoffs.transpose(1, 0, 3, 2)
    given = weights[kind] / weights[kind].sum()
    worth = np.einsum("j,jb,jab->a", given, solution.behaviour[1 - player], payoffs[kind])
    return form.actions[player], solution.behaviour[player][kind], worth
