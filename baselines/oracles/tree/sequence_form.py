"""The sequence form of a game: payoffs by the players' sequences of own moves (von Stengel 1996).

With perfect recall, a player's information states form a tree: before each lies one *sequence*, the player's own moves
and what it saw. The probability that a player plays a sequence is a product along it, so every payoff is a sum over
outcomes of chance times one such probability per player. Best responses, payoffs, linear programs and regret
minimisation all work on these arrays.

Source: B. von Stengel, "Efficient computation of behavior strategies", Games and Economic Behavior 14 (1996),
section 3.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baselines.oracles.state_graph.game_graph import group_sums

Floats = NDArray[np.float64]
Numbers = NDArray[np.int64]


@dataclass(frozen=True)
class Decisions:
    """The information states in which one player acts, and its sequences.

    Sequence 0 is empty. The sequences of information state `i`, one per legal action in ascending order, are
    `first[i]:first[i + 1]`. States with fewer earlier decisions of the player come first.

    Attributes:
        levels: Bounds of runs of states with equally many earlier decisions: `levels[k]:levels[k + 1]`.
        first: `[states + 1]`.
        parents: `[states]` the sequence that ends at the state.
        actions: `[sequences]` the last action of each sequence; -1 for the empty one.
        seen: `[states]` the row of `observations` that the player sees.
        observations: `[distinct observations, observation_size]`.
        masks: `[distinct observations, num_actions]`.
        examples: `[distinct observations]` a state with this observation.
    """

    levels: Numbers
    first: Numbers
    parents: Numbers
    actions: Numbers
    seen: Numbers
    observations: NDArray[np.float32]
    masks: NDArray[np.int8]
    examples: Sequence[Any]

    @cached_property
    def owners(self) -> Numbers:
        """`[sequences - 1]` the information state of each sequence but the empty one."""
        return np.repeat(np.arange(len(self.parents)), np.diff(self.first))

    @cached_property
    def _runs(self) -> list[tuple[slice, Numbers, Numbers, Numbers]]:
        """For each level: its sequences, their parents, where each state begins in the run, and states' parents."""
        runs = []
        for low, high in zip(self.levels[:-1], self.levels[1:], strict=True):
            sequences = slice(int(self.first[low]), int(self.first[high]))
            before = np.repeat(self.parents[low:high], np.diff(self.first[low : high + 1]))
            runs.append((sequences, before, self.first[low:high] - sequences.start, self.parents[low:high]))
        return runs

    def behaviour(self, probabilities: Floats) -> Floats:
        """Returns each sequence's last choice, `[sequences]`, given `[distinct observations, num_actions]`."""
        chosen = np.ones(len(self.actions), dtype=probabilities.dtype)
        chosen[1:] = probabilities[self.seen[self.owners], self.actions[1:]]
        return chosen

    def plan(self, behaviour: Floats) -> Floats:
        """Returns the probability that the player plays each sequence, given the last choices; both `[sequences]`."""
        plan = behaviour.copy()
        for sequences, before, _, _ in self._runs:
            plan[sequences] *= plan[before]
        return plan

    def choices(self, weights: Floats) -> Floats:
        """Normalises non-negative `[sequences]` weights in each information state; uniform where all are 0."""
        behaviour, sizes = np.ones(len(weights)), np.diff(self.first)
        if len(sizes):
            sums = np.add.reduceat(weights[1:], self.first[:-1] - 1)[self.owners]
            behaviour[1:] = np.divide(weights[1:], sums, out=1.0 / sizes[self.owners], where=sums > 0.0)
        return behaviour

    def best(self, worth: Floats) -> Floats:
        """Returns `[sequences]`: what each sequence pays if a best response follows, given what it pays itself."""
        to_go = worth.copy()
        for sequences, _, starts, parents in reversed(self._runs):
            np.add.at(to_go, parents, np.maximum.reduceat(to_go[sequences], starts))
        return to_go

    def following(self, worth: Floats, behaviour: Floats) -> tuple[Floats, Floats]:
        """Like `best` if the player follows `behaviour`; also returns the value of each information state."""
        to_go, values = worth.copy(), np.empty(len(self.parents))
        for level in range(len(self._runs) - 1, -1, -1):
            sequences, _, starts, parents = self._runs[level]
            sums = np.add.reduceat(to_go[sequences] * behaviour[sequences], starts)
            values[self.levels[level] : self.levels[level + 1]] = sums
            np.add.at(to_go, parents, sums)
        return to_go, values


@dataclass(frozen=True)
class SequenceForm:
    """A game as arrays over its outcomes; an outcome has one sequence per player.

    Chances and payoffs are floats or, in object arrays, fractions; plans and behaviours are then fractions too.

    Attributes:
        decisions: One per player.
        sequences: `[outcomes, players]` the last sequence of each player.
        chances: `[outcomes]` the product of the probabilities of chance.
        payoffs: `[outcomes, players]` payoff points of the whole game.
        histories: The number of histories after which a player acts.
    """

    decisions: tuple[Decisions, ...]
    sequences: Numbers
    chances: Floats
    payoffs: Floats
    histories: int

    @cached_property
    def matrices(self) -> tuple[Any, Any]:
        """For two players: payoffs times chance, sparse, `[own sequences, the other player's sequences]` each."""
        from scipy import sparse  # takes half a second to import

        shape = tuple(len(each.actions) for each in self.decisions)
        where = self.sequences[:, 0], self.sequences[:, 1]
        first, second = (
            sparse.coo_matrix((self.chances * self.payoffs[:, player], where), shape=shape) for player in (0, 1)
        )
        return first.tocsr(), second.T.tocsr()

    def worth(self, player: int, plans: Sequence[Floats]) -> Floats:
        """Returns what each sequence of a player pays at its outcomes, `[sequences]`, against the others' plans."""
        exact = self.chances.dtype == object
        if len(plans) == 2 and not exact:
            return np.asarray(self.matrices[player] @ plans[1 - player])
        weights = self.weights([None if seat == player else plan for seat, plan in enumerate(plans)])
        own, paid, count = (
            self.sequences[:, player],
            weights * self.payoffs[:, player],
            len(self.decisions[player].actions),
        )
        if not exact:
            return group_sums(own, paid, count)
        sums = np.full(count, Fraction(0), dtype=object)
        np.add.at(sums, own, paid)
        return sums

    def weights(self, plans: Sequence[Floats | None]) -> Floats:
        """Returns the probability of each outcome, `[outcomes]`; None leaves out a player's choices."""
        weights = self.chances.copy()
        for seat, plan in enumerate(plans):
            if plan is not None:
                weights *= plan[self.sequences[:, seat]]
        return weights


def bounds(form: SequenceForm, behaviours: Sequence[Floats]) -> tuple[Any, Any]:
    """Returns what player 0's strategy guarantees, and the most that player 1's concedes, in payoff points.

    The game has two players and is zero-sum.
    """
    plans = [own.plan(each) for own, each in zip(form.decisions, behaviours, strict=True)]
    first, second = (own.best(form.worth(player, plans))[0] for player, own in enumerate(form.decisions))
    return -second, first
