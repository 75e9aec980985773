"""Bounds on remaining payments and remaining length from a state on, over all courses of play."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from cardwar_envs.conformance.verdicts import NotApplicable
from cardwar_envs.contract.answers import Node
from cardwar_envs.contract.walk import Walk, backward


@dataclass(frozen=True)
class Outlook:
    """Tight bounds over all courses of play from a state on.

    Attributes:
        least: Each player's least remaining payoff, payoff points.
        most: Each player's greatest remaining payoff.
        least_sum: The least sum of remaining payoffs.
        most_sum: The greatest sum.
        longest: The greatest number of joint actions.
    """

    least: tuple[float, ...]
    most: tuple[float, ...]
    least_sum: float
    most_sum: float
    longest: int

    def after(self, paid: Sequence[float]) -> Outlook:
        """The bounds one move earlier, if that move pays `paid`."""
        least, most = (tuple(x + y for x, y in zip(paid, bound, strict=True)) for bound in (self.least, self.most))
        total = sum(paid)
        return Outlook(least, most, self.least_sum + total, self.most_sum + total, self.longest + 1)


def united(outlooks: Sequence[Outlook]) -> Outlook:
    """The bounds over several outlooks."""
    if len(outlooks) == 1:
        return outlooks[0]
    return Outlook(
        tuple(map(min, zip(*(each.least for each in outlooks), strict=True))),
        tuple(map(max, zip(*(each.most for each in outlooks), strict=True))),
        min(each.least_sum for each in outlooks),
        max(each.most_sum for each in outlooks),
        max(each.longest for each in outlooks),
    )


class Outlooks:
    """The outlook of each state, over all continuations or, in a sample, over the games played."""

    def __init__(self, walk: Walk) -> None:
        self._walk = walk
        self._known: dict[Any, Outlook] = {}

    @cached_property
    def _over(self) -> Outlook:
        nothing = (0.0,) * self._walk.facts.num_players
        return Outlook(nothing, nothing, 0.0, 0.0, 0)

    def of(self, state: Any) -> Outlook | None:
        """The outlook of a state, visited or not; None if unknown in a sample.

        Raises:
            NotApplicable: If the rules fail somewhere, or a play can pass a state twice.
        """
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
