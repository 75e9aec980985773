"""The argument of every check: a game, the states to examine, and their futures."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from cardwar_envs.contract.answers import Actions, Node, ask, asking, place, short
from cardwar_envs.contract.futures import Futures, Outlook, Outlooks
from cardwar_envs.contract.verdicts import Failed, NotApplicable
from cardwar_envs.contract.walk import Walk
from cardwar_envs.core.game import Canonical, Game, GameFacts, Transition

COMPARED = 300
NUMBER = (int, float, Fraction, np.integer, np.floating)


class Case:
    """A game under test.

    Attributes:
        game: The rules.
        walk: The states to examine.
    """

    def __init__(self, game: Game[Any], max_states: int, seed: int) -> None:
        self.game = game
        self.walk = Walk(game, max_states, seed)
        self._futures, self._outlooks = Futures(self.walk), Outlooks(self.walk)
        self._canonical: dict[Any, Canonical[Any]] = {}

    @property
    def facts(self) -> GameFacts:
        """The facts of the game; raises NotApplicable if they are malformed."""
        return self.walk.facts

    @property
    def nodes(self) -> list[Node]:
        """What the rules return for each examined state."""
        return self.walk.nodes

    @property
    def compared(self) -> list[Node]:
        """The nodes for checks that compare futures, nearest to the end first; a selection if the walk is a sample."""
        return (self.nodes if self.walk.complete else self.some(COMPARED))[::-1]

    def some(self, count: int) -> list[Node]:
        """At most `count` nodes, evenly spaced."""
        step = -(-len(self.nodes) // count)
        return self.nodes[::step]

    def ask(self, rule: str, state: Any, player: int | None = None, **arguments: Any) -> Any:
        """Queries a rule; see `answers.ask`."""
        return ask(self.game, rule, state, player, **arguments)

    @property
    def moves(self) -> Iterator[tuple[Node, Actions, Sequence[Transition[Any]]]]:
        """Each node with each of its joint actions and the outcomes."""
        return ((node, actions, outcomes) for node in self.nodes for actions, outcomes in node.moves.items())

    @cached_property
    def payment_fault(self) -> str:
        """Describes the first payment that is not one finite number per player; "" if there is none."""
        _ = self.nodes  # NotApplicable if there are none
        for start in self.walk.starts:
            if fault := self._fault_of(start.rewards):
                return f"start in {place(start.state)}: {fault}"
        for node, actions, outcomes in self.moves:
            for outcome in outcomes:
                if fault := self._fault_of(outcome.rewards):
                    return f"{node.place(actions)}: {fault}"
        return ""

    def _fault_of(self, rewards: Any) -> str:
        count = self.facts.num_players
        if not isinstance(rewards, tuple) or len(rewards) != count:
            return f"rewards are {short(rewards)}, which must be a tuple of {count} numbers"
        if not all(isinstance(paid, NUMBER) and math.isfinite(paid) for paid in rewards):
            return f"rewards are {short(rewards)}, which must be finite numbers"
        return ""

    def outlook(self, state: Any) -> Outlook | None:
        """Bounds on the remaining payments from a state; None if unknown in a sample."""
        self.require_payments()
        return self._outlooks.of(state)

    def differ(self, one: Any, other: Any, seats: tuple[int, ...] | None = None) -> bool:
        """Whether the futures of two states differ; see `Futures.differ`."""
        self.require_payments()
        return self._futures.differ(one, other, seats)

    def require_public_state(self) -> None:
        """Raises NotApplicable if players do not see the state."""
        if not self.facts.public_state:
            raise NotApplicable("players do not see the state")

    def require_payments(self) -> None:
        """Raises NotApplicable if payments are not one number per player."""
        if self.payment_fault:
            raise NotApplicable("payments are not one number per player")

    def canonical(self, state: Any) -> Canonical[Any]:
        """The representative of a state; raises Failed if it is not a `Canonical` whose seats are a permutation."""
        if state not in self._canonical:
            with asking("canonical", state):
                found = self.game.canonical(state)
                hash(found)
            seats = range(self.facts.num_players)
            if not isinstance(found, Canonical) or sorted(found.seats) != list(seats):
                raise Failed(f"{place(state)}: canonical returns {short(found)}, not a Canonical with all seats")
            self._canonical[state] = found
        return self._canonical[state]
