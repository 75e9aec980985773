"""The argument of every check: a game, the states to examine, and their successors to the end of the game."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple, TypeVar

import numpy as np

from cardwar_envs.contract.verdicts import Failed, NotApplicable, query, querying, short, where
from cardwar_envs.contract.walk import Actions, Node, Walk
from cardwar_envs.core.game import Canonical, Game, Transition

Seats = tuple[int, ...]
K = TypeVar("K", bound=Hashable)
V = TypeVar("V")
DIGITS = 9  # sums of payments differ by rounding


def in_seats(rewards: Sequence[float], seats: Seats) -> tuple[float, ...]:
    """Permutes payments: player `p` has seat `seats[p]`."""
    moved = [0.0] * len(seats)
    for player, paid in enumerate(rewards):
        moved[seats[player]] = round(float(paid), DIGITS)
    return tuple(moved)


def _now(node: Node, seats: Seats) -> Hashable:
    acting, live = (frozenset(seats[player] for player in players) for players in (node.acting, node.live))
    return acting, live, frozenset((seats[player], legal) for player, legal in node.legal.items())


def _future(node: Node, seats: Seats, follows: Callable[[Any], Hashable]) -> Hashable:
    moves = []
    for actions, outcomes in node.moves.items():
        odds: dict[Hashable, Fraction] = defaultdict(Fraction)
        for probability, state, rewards in outcomes:
            odds[in_seats(rewards, seats), follows(state)] += Fraction(probability)
        played = frozenset((seats[player], action) for player, action in node.chosen(actions).items())
        moves.append((played, frozenset(odds.items())))
    return _now(node, seats), frozenset(moves)


class Circle(NotApplicable):
    """A game can visit a state twice, so sums over its continuations do not terminate."""


def backward(root: K, known: dict[K, V], parts: Callable[[K], Iterable[K]], combine: Callable[[K], V]) -> V:
    """Computes something by backward induction up to `root`; raises Circle if an item depends on itself.

    `parts` returns the successors of an item, and `combine` computes an item whose parts are all `known`.
    """
    stack, begun = [root], set()
    while stack:
        top = stack[-1]
        missing = [] if top in known else [part for part in parts(top) if part not in known]
        if not missing:
            stack.pop()
            if top not in known:
                known[top] = combine(top)
        elif top in begun:
            raise Circle(f"a game can visit {where(top)} twice")
        else:
            begun.add(top)
            stack.extend(missing)
    return known[root]


class Outlook(NamedTuple):
    """Tight bounds over all continuations from a state.

    Each bound has an entry for each player's remaining payoff, one for their sum, and one for the number of remaining
    joint actions.
    """

    least: tuple[float, ...]
    most: tuple[float, ...]

    def after(self, paid: Sequence[float]) -> Outlook:
        """The bounds before a move that pays `paid`."""
        move = (*paid, sum(paid), 1)
        return Outlook(*(tuple(x + y for x, y in zip(move, bound, strict=True)) for bound in self))


def united(outlooks: Sequence[Outlook]) -> Outlook:
    """The bounds over all of these outlooks."""
    least, most = zip(*outlooks, strict=True)
    return Outlook(tuple(map(min, *least)), tuple(map(max, *most))) if len(outlooks) > 1 else outlooks[0]


COMPARED = 300
NUMBER = (int, float, Fraction, np.integer, np.floating)


class Case(Walk):
    """A game under test: the states to examine, and what follows from them."""

    def __init__(self, game: Game[Any], max_states: int, seed: int) -> None:
        super().__init__(game, max_states, seed)
        self._numbers: dict[tuple[Any, Seats], int] = {}  # (state, seats) -> the number of its future
        self._futures: dict[Hashable, int] = {}  # future -> number
        self._outlooks: dict[Any, Outlook] = {}
        self._canonical: dict[Any, Canonical[Any]] = {}

    @cached_property
    def same_seats(self) -> Seats:
        """The seats of all players if no seats are exchanged."""
        return tuple(range(self.facts.num_players))

    @property
    def compared(self) -> list[Node]:
        """The nodes for checks that compare futures, nearest to the end first; a selection if the walk is a sample."""
        return (self.nodes if self.complete else self.some(COMPARED))[::-1]

    def some(self, count: int) -> list[Node]:
        """At most `count` nodes, evenly spaced."""
        step = -(-len(self.nodes) // count)
        return self.nodes[::step]

    def query(self, rule: str, state: Any, player: int | None = None, **arguments: Any) -> Any:
        """Queries a rule; see `queries.query`."""
        return query(self.game, rule, state, player, **arguments)

    @property
    def moves(self) -> Iterator[tuple[Node, Actions, Sequence[Transition[Any]]]]:
        """Each node with each of its joint actions and the outcomes."""
        return ((node, actions, outcomes) for node in self.nodes for actions, outcomes in node.moves.items())

    @cached_property
    def payment_fault(self) -> str:
        """Describes the first payment that is not one finite number per player; "" if there is none."""
        _ = self.nodes  # NotApplicable if there are none
        for start in self.starts:
            if fault := self._fault_of(start.rewards):
                return f"start in {where(start.state)}: {fault}"
        for node, actions, outcomes in self.moves:
            for outcome in outcomes:
                if fault := self._fault_of(outcome.rewards):
                    return f"{node.at(actions)}: {fault}"
        return ""

    def _fault_of(self, rewards: Any) -> str:
        count = self.facts.num_players
        if not isinstance(rewards, tuple) or len(rewards) != count:
            return f"rewards are {short(rewards)}, which must be a tuple of {count} numbers"
        if not all(isinstance(paid, NUMBER) and math.isfinite(paid) for paid in rewards):
            return f"rewards are {short(rewards)}, which must be finite numbers"
        return ""

    # -- until the end of the game --------------------------------------------------------

    def outlook(self, state: Any) -> Outlook | None:
        """Bounds on the remaining payments, over all continuations; in a sample over the sampled games, if any."""
        self.require_payments()
        self._require_hashable()
        if self.complete:
            return backward(state, self._outlooks, lambda each: self.node(each).children(), self._combined)
        return self._sampled.get(state)

    @cached_property
    def _over(self) -> Outlook:
        nothing = (0.0,) * (self.facts.num_players + 2)
        return Outlook(nothing, nothing)

    def _combined(self, state: Any) -> Outlook:
        outcomes = [outcome for outcomes in self.node(state).moves.values() for outcome in outcomes]
        return united([self._outlooks[each.state].after(each.rewards) for each in outcomes]) if outcomes else self._over

    @cached_property
    def _sampled(self) -> dict[Any, Outlook]:
        found: dict[Any, Outlook] = {}
        for trajectory in self.trajectories:
            to_go = self._over
            for state, paid in zip(trajectory.states[-2::-1], trajectory.rewards[::-1], strict=True):
                to_go = to_go.after(paid)
                found[state] = united([found[state], to_go]) if state in found else to_go
        return found

    def differ(self, one: Any, other: Any, seats: Seats | None = None) -> bool:
        """Whether the futures of two states differ, if player `p` at `one` has seat `seats[p]` at `other`.

        On a complete walk, compares futures to the end of the game. In a sample, compares only the next move, so states
        that pass may still differ later.
        """
        self.require_payments()
        if one == other and seats in (None, self.same_seats):
            return False
        first, second = self._future_of(one, seats or self.same_seats), self._future_of(other, self.same_seats)
        return first is not None and second is not None and first != second

    def _future_of(self, state: Any, seats: Seats) -> Hashable | None:
        self._require_hashable()
        node = self.node(state)
        if self.complete:
            return backward((state, seats), self._numbers, self._following, self._numbered)
        return _future(node, seats, lambda after: _now(self.choices(after), seats)) if node.whole else None

    def _following(self, at: tuple[Any, Seats]) -> list[tuple[Any, Seats]]:
        state, seats = at
        return [(child, seats) for child in self.node(state).children()]

    def _numbered(self, at: tuple[Any, Seats]) -> int:
        state, seats = at
        found = _future(self.node(state), seats, lambda after: self._numbers[after, seats])
        return self._futures.setdefault(found, len(self._futures))

    def _require_hashable(self) -> None:
        if self.unhashable:
            raise NotApplicable("states cannot be hashed")

    def require_public_state(self) -> None:
        """Raises NotApplicable if players do not see the state."""
        if not self.facts.public_state:
            raise NotApplicable("players do not see the state")

    def require_private_state(self) -> None:
        """Raises NotApplicable if players see the state."""
        if self.facts.public_state:
            raise NotApplicable("players see the state")

    def require_payments(self) -> None:
        """Raises NotApplicable if payments are not one number per player."""
        if self.payment_fault:
            raise NotApplicable("payments are not one number per player")

    def canonical(self, state: Any) -> Canonical[Any]:
        """The representative of a state; raises Failed if it is not a `Canonical` whose seats are a permutation."""
        if state not in self._canonical:
            with querying("canonical", state):
                found = self.game.canonical(state)
                hash(found)
            if not isinstance(found, Canonical) or tuple(sorted(found.seats)) != self.same_seats:
                raise Failed(f"{where(state)}: canonical returns {short(found)}, not a Canonical with all seats")
            self._canonical[state] = found
        return self._canonical[state]
