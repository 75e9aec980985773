"""Payoffs of policies and of best responses to them on an enumerated game, in fractions."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any

from baselines.oracles.answers.continuation import exactly
from baselines.oracles.answers.guards import exact_probabilities
from baselines.oracles.answers.protocol import BATCH
from baselines.oracles.state_graph.game_graph import GameGraph
from cardwar_envs.core.game import Transition
from cardwar_envs.core.policy import Policy

# For each state in which a player acts: the probability of each action.
Mixes = dict[Any, Sequence[Fraction]]


def exact_mixes(graph: GameGraph[Any], policy: Policy, player: int) -> Mixes:
    """Queries a policy at every state in which a player acts; raises ValueError like `exact_probabilities`."""
    states, observations, masks = graph.seen_by(player)
    mixes: Mixes = {}
    for start in range(0, len(states), BATCH):
        rows = slice(start, start + BATCH)
        answers = exact_probabilities(policy, observations[rows], masks[rows]).tolist()
        mixes |= {graph.states[s]: answer for s, answer in zip(states[rows], answers, strict=True)}
    return mixes


class ExactWorth:
    """A player's continuation payoff at every state: of its own policy, or of a best response to the other policies.

    Attributes:
        at_start: The payoff of the whole game, in points.
        best: A best response: state -> action, the lowest one in case of ties. Empty for the player's own policy.
    """

    def __init__(self, graph: GameGraph[Any], mixes: Sequence[Mixes], player: int, responds: bool) -> None:
        """Takes one mix per player; ignores the mix of `player` if it responds."""
        self._game, self._mixes, self._player, self._responds = graph.game, mixes, player, responds
        self._to_go: dict[Any, Fraction] = {}
        self.best: dict[Any, int] = {}
        for state in graph.states:  # those closest to the end come first
            worth = self._worth(state)
            own = max(worth, key=lambda action: worth[action])
            self._to_go[state] = worth[own]
            if own is not None:
                self.best[state] = own
        self.at_start = self._mean(graph.game.initial())

    def _worth(self, state: Any) -> dict[int | None, Fraction]:
        """Returns each action's continuation payoff; under None if the player has no choice or does not respond."""
        acting, worth = self._game.acting_players(state), dict[int | None, Fraction]()
        chooses = self._responds and self._player in acting
        for choice in product(*(self._game.legal_actions(state, seat) for seat in acting)):
            actions = dict(zip(acting, choice, strict=True))
            own = actions[self._player] if chooses else None
            fixed = (seat for seat in acting if not (chooses and seat == self._player))
            weight = prod((self._mixes[seat][state][actions[seat]] for seat in fixed), start=Fraction(1))
            worth.setdefault(own, Fraction(0))
            if weight:
                worth[own] += weight * self._mean(self._game.transitions(state, actions))
        return worth

    def _mean(self, outcomes: Sequence[Transition[Any]]) -> Fraction:
        return sum(
            (exactly(each.probability) * (exactly(each.rewards[self._player]) + self._after(each.state))
             for each in outcomes),
            Fraction(0),
        )  # fmt: skip

    def _after(self, state: Any) -> Fraction:
        if state in self._to_go:
            return self._to_go[state]
        settled = self._game.settled(state) if self._game.acting_players(state) else None
        return Fraction(0) if settled is None else exactly(settled[self._player])
