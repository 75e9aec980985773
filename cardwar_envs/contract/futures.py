"""Futures of states: comparable descriptions, and bounds on remaining payments and length."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

from cardwar_envs.contract.answers import Node
from cardwar_envs.contract.verdicts import NotApplicable
from cardwar_envs.contract.walk import Walk, backward

Seats = tuple[int, ...]
DIGITS = 9  # sums of payments differ by rounding


class Futures:
    """The future of each state, in comparable form.

    On a complete walk, compares futures to the end of the game. In a sample, compares only the next move, so states
    that pass may still differ later.
    """

    def __init__(self, walk: Walk) -> None:
        self._walk = walk
        self._known: dict[tuple[Any, Seats], int] = {}
        self._numbers: dict[Hashable, int] = {}

    def differ(self, one: Any, other: Any, seats: Seats | None = None) -> bool:
        """Whether the futures of two states differ, if player `p` at `one` has seat `seats[p]` at `other`."""
        same = tuple(range(self._walk.facts.num_players))
        if one == other and seats in (None, same):
            return False
        first, second = self._of(one, seats or same), self._of(other, same)
        return first is not None and second is not None and first != second

    def _of(self, state: Any, seats: Seats) -> Hashable | None:
        if self._walk.unhashable:
            raise NotApplicable("states cannot be hashed")
        node = self._walk.node(state)
        if self._walk.complete:
            return backward((state, seats), self._known, self._parts, self._number)
        return _future(node, seats, lambda each: _now(self._walk.choices(each), seats)) if node.whole else None

    def _parts(self, at: tuple[Any, Seats]) -> list[tuple[Any, Seats]]:
        state, seats = at
        return [(child, seats) for child in self._walk.node(state).children()]

    def _number(self, at: tuple[Any, Seats]) -> int:
        state, seats = at
        found = _future(self._walk.node(state), seats, lambda each: self._known[each, seats])
        return self._numbers.setdefault(found, len(self._numbers))


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


class Outlooks:
    """Bounds for each state, over all continuations or, in a sample, over the sampled games."""

    def __init__(self, walk: Walk) -> None:
        self._walk = walk
        self._known: dict[Any, Outlook] = {}

    @cached_property
    def _over(self) -> Outlook:
        nothing = (0.0,) * (self._walk.facts.num_players + 2)
        return Outlook(nothing, nothing)

    def of(self, state: Any) -> Outlook | None:
        """The outlook of a state, visited or not; None if no sampled game visits it."""
        if self._walk.unhashable:
            raise NotApplicable("states cannot be hashed")
        if self._walk.complete:
            return backward(state, self._known, lambda each: self._walk.node(each).children(), self._combined)
        return self._played.get(state)

    def _combined(self, state: Any) -> Outlook:
        node: Node = self._walk.node(state)
        if not node.acting:
            return self._over
        return united(
            [self._known[each.state].after(each.rewards) for outcomes in node.moves.values() for each in outcomes]
        )

    @cached_property
    def _played(self) -> dict[Any, Outlook]:
        found: dict[Any, Outlook] = {}
        for course in self._walk.courses:
            to_go = self._over
            for state, paid in zip(course.states[-2::-1], course.rewards[::-1], strict=True):
                to_go = to_go.after(paid)
                found[state] = united([found[state], to_go]) if state in found else to_go
        return found
