"""Computes the cost of a move: the expected payoff that the move gives away against an equilibrium opponent.

There are often many optimal strategies, so moves are judged by cost, never by their probability in one equilibrium: a
move in the support of any optimal strategy costs nothing.

With hidden information, a move is judged by what the player has seen: the expectation is over what the opponent may
hold, given that it has played its equilibrium strategy. Where that strategy never leads, no move costs anything.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np

from baselines import PrivateSolution, Solution, StateSolution
from baselines.oracles.bayesian.solver import form_of
from baselines.oracles.tree.beliefs import Beliefs, Expectations
from baselines.oracles.tree.solution import TreeSolution
from cardwar_envs import GameFacts

# Costs below this fraction of the largest payoff are treated as rounding errors of the solver.
ROUNDING = 1e-9
# A costly move is an inaccuracy; from these shares of the range of payoffs, it is a mistake or a blunder. Lichess names
# losses from 5 % of the range of winning chances, and blunders from 15 % (lila, modules/tree/src/main/Advice.scala).
MISTAKE, BLUNDER = 0.05, 0.15
# Number of cached verdicts: in small games the same decisions recur.
MOST_CACHED = 10_000


@dataclass(frozen=True)
class Verdict:
    """The verdict on one decision: the cost of each legal action.

    Attributes:
        played: The action that was played.
        costs: Action -> payoff points that it gives away; 0 for a best response.
        mix: Action -> its probability in the equilibrium.
        met: Whether an opponent who plays the equilibrium can bring the player here, and the payoffs are not decided;
            otherwise no move costs anything.
    """

    played: int
    costs: Mapping[int, float]
    mix: Mapping[int, float]
    met: bool = True

    @property
    def cost(self) -> float:
        """The cost of the action played, in payoff points."""
        return self.costs[self.played]


def grade(verdict: Verdict, facts: GameFacts) -> str:
    """Names a move as chess trainers do: "best", "inaccuracy", "mistake" or "blunder".

    A move without an alternative is an "only move"; "" stands for a move that is not judged.
    """
    if len(verdict.costs) == 1:
        return "only move"
    if not verdict.cost:
        return "best" if verdict.met else ""
    share = verdict.cost / (facts.max_payoff - facts.min_payoff) + ROUNDING
    return "blunder" if share >= BLUNDER else "mistake" if share >= MISTAKE else "inaccuracy"


class Judge:
    """Computes costs of moves and continuation values from a game's solution.

    Attributes:
        solution: The solution.
        number: The type of continuation values: `Fraction` if the solution has exact ones, else `float`.
    """

    def __init__(self, solution: Solution) -> None:
        self._play: _Public | _Private | _Hidden
        if isinstance(solution, TreeSolution):
            self._play = _Hidden(solution)
        elif isinstance(solution, PrivateSolution):
            self._play = _Private(solution)
        else:
            assert isinstance(solution, StateSolution)  # the only other class of solutions
            self._play = _Public(solution)
        self.solution = solution
        exact = isinstance(solution, StateSolution) and solution.exact is not None
        self.number: Callable[[Any], Any] = Fraction if exact else float
        self._value: Any = solution.exact if exact else solution.value
        facts = solution.game.facts
        self._error = max(solution.gap, ROUNDING * max(abs(facts.min_payoff), abs(facts.max_payoff)))
        self._cached = lru_cache(MOST_CACHED)(self._costs_and_mix)

    def verdict(self, state: Any, player: int, action: int) -> Verdict:
        """Returns the verdict on `player`'s action in `state`."""
        return Verdict(action, *self._cached(state, player))

    def replies(self, state: Any, player: int) -> Mapping[int, float]:
        """Returns how the equilibrium opponent of `player` plays: action -> probability.

        Empty if the opponent waits, or if its play depends on information that `player` lacks.
        """
        waits = 1 - player not in self.solution.game.acting_players(state)
        return {} if waits or not self.solution.game.facts.public_state else self._cached(state, 1 - player)[1]

    def value(self, player: int) -> Any:
        """Returns the value of the game to `player`, in payoff points."""
        return self._value if player == 0 else self.number(self.solution.total) - self._value

    def to_go(self, state: Any, player: int) -> Any:
        """Returns the expected continuation payoff to `player`, in payoff points, if both players play the equilibrium.

        With private information, the expectation is conditioned on the information of both players.
        """
        worth = self._play.to_go(state)
        return worth if player == 0 else self.number(self.solution.sum_to_go(state)) - worth

    def expected(self, state: Any, player: int) -> float | None:
        """Returns the expected continuation payoff to an acting `player`, given only what it sees, in payoff points.

        None with hidden information, if an opponent who plays the equilibrium never brings the player here, or if the
        payoffs are decided.
        """
        _, mix, worth, reach = self._play.weighed(state, player)
        return float(mix @ worth) if reach else None

    def _costs_and_mix(self, state: Any, player: int) -> tuple[dict[int, float], dict[int, float], bool]:
        """Returns each action's cost (0 if it is below the solution's error), equilibrium probability, and `met`."""
        actions, mix, worth, reach = self._play.weighed(state, player)
        lost = worth.max() - worth
        costs = {a: float(cost) if cost * reach > self._error else 0.0 for a, cost in zip(actions, lost, strict=True)}
        return costs, dict(zip(actions, mix.tolist(), strict=True)), reach > 0.0


class _Public:
    """Payoffs in games with a public state: expectations over the opponent's action and chance."""

    def __init__(self, solution: StateSolution) -> None:
        self._solution = solution
        self.to_go: Callable[[Any], Any] = solution.value_at if solution.exact is None else solution.exact_value_at

    def weighed(self, state: Any, player: int) -> Expectations:
        solution, game = self._solution, self._solution.game
        matrix, strategies = solution.payoff_matrix(state), solution.strategies(state)
        acting = game.acting_players(state)
        own, others = (game.legal_actions(state, seat) if seat in acting else () for seat in (player, 1 - player))
        # A player who does not act has a single row or column in the matrix.
        other = strategies[1 - player][list(others)] if others else np.ones(1)
        worth = matrix @ other if player == 0 else float(solution.sum_to_go(state)) - other @ matrix
        return Expectations(own, strategies[player][list(own)], worth, 1.0)


class _Private:
    """Payoffs in games with private types: expectations over the opponent's type, given the player's type."""

    def __init__(self, solution: PrivateSolution) -> None:
        self._solution, self._form = solution, form_of(solution.game)
        self._payoffs = self._form.payoffs.astype(np.float64)

    def weighed(self, state: Any, player: int) -> Expectations:
        form, own = self._form, self._type(state, player)
        weights, payoffs = form.weights, self._payoffs
        if player == 1:  # the matrix of the same game with the seats exchanged
            weights, payoffs = weights.T, -payoffs.transpose(1, 0, 3, 2)
        given = weights[own] / weights[own].sum()
        worth = np.einsum("j,jb,jab->a", given, self._solution.behaviour[1 - player], payoffs[own])
        worth += float(self._solution.sum_to_go(state)) / 2
        return Expectations(form.actions[player], self._solution.behaviour[player][own], worth, 1.0)

    def to_go(self, state: Any) -> float:
        if not self._solution.game.acting_players(state):
            return 0.0
        types = [self._type(state, player) for player in (0, 1)]
        mixes = [self._solution.behaviour[player][types[player]] for player in (0, 1)]
        worth = float(mixes[0] @ self._payoffs[types[0], types[1]] @ mixes[1])
        return worth + float(self._solution.sum_to_go(state)) / 2

    def _type(self, state: Any, player: int) -> int:
        seen = self._solution.game.observation(state, player)
        return int(np.flatnonzero((self._form.observations[player] == seen).all(axis=1))[0])


class _Hidden:
    """Payoffs in games that hide information over several moves: see `Beliefs`."""

    def __init__(self, solution: TreeSolution) -> None:
        beliefs = Beliefs(solution.game, solution.policy)
        self.weighed = beliefs.at
        self.to_go: Callable[[Any], float] = lambda state: beliefs.to_go(state, 0)
