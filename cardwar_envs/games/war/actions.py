"""The numbering of WAR's actions: play a card, choose discards and a battle card in a war, or wait.

With `ranks` ranks and `discards` discards, actions `0..ranks-1` play a card of that rank, lowest first. Then come the
war choices, ordered lexicographically by discards, then by battle card. The last action is to wait.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from functools import cached_property
from itertools import combinations_with_replacement
from math import comb
from operator import index
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

LOWEST_CARD = 2


class WarChoice(NamedTuple):
    """The cards that a player puts down in a war.

    Attributes:
        discards: Cards that go to the pot without fighting, ascending.
        battle: The card that fights.
    """

    discards: tuple[int, ...]
    battle: int


class WarActions:
    """The flat action space of WAR.

    Attributes:
        cards: The card of each rank, ascending: 2, 3, ...
        wait: The action of a player who has no choice.
        size: Number of actions.
    """

    def __init__(self, ranks: int, discards: int) -> None:
        self.cards = tuple(range(LOWEST_CARD, LOWEST_CARD + ranks))
        self._discards = discards
        self.size = war_action_count(ranks, discards)
        self.wait = self.size - 1

    def encode(self, play: int | WarChoice | tuple[Iterable[int], int] | None) -> int:
        """The action for a card, for a war choice `(discards, battle)`, or for None (wait).

        Raises:
            ValueError: If a card does not exist or the number of discards is wrong.
        """
        if play is None:
            return self.wait
        if isinstance(play, tuple):
            discards, battle = play
            ranks = tuple(sorted(self._rank(card) for card in discards))
            if len(ranks) != self._discards:
                raise ValueError(f"discards {tuple(discards)} must be {self._discards} cards")
            return len(self.cards) * (1 + bisect_left(self.sets, ranks)) + self._rank(battle)
        return self._rank(play)

    def decode(self, action: int) -> int | WarChoice | None:
        """The card, the war choice, or None (wait) that an action represents.

        Raises:
            ValueError: If there is no such action.
        """
        number = index(action)
        if not 0 <= number < self.size:
            raise ValueError(f"action ({action}) must be in 0..{self.size - 1}")
        if number < len(self.cards):
            return self.cards[number]
        if number == self.wait:
            return None
        group, rank = divmod(number, len(self.cards))
        return WarChoice(tuple(self.cards[r] for r in self.sets[group - 1]), self.cards[rank])

    def _rank(self, card: int) -> int:
        rank = index(card) - LOWEST_CARD
        if not 0 <= rank < len(self.cards):
            raise ValueError(f"card ({card}) must be in {self.cards[0]}..{self.cards[-1]}")
        return rank

    def war_mask(self, counts: NDArray[np.int64]) -> NDArray[np.int8]:
        """`[size]`: 1 for each war choice that a hand with `counts` (`[ranks]` cards per rank) can pay for."""
        mask = np.zeros(self.size, dtype=np.int8)
        left = counts - self.needs
        payable = left.min(axis=1, keepdims=True) >= 0
        mask[len(self.cards) : -1] = ((left > 0) & payable).ravel()
        return mask

    def war_ways(self, counts: NDArray[np.int64]) -> NDArray[np.float64]:
        """`[size]`: the number of ways to make each war choice from a hand with `counts` (as in `war_mask`)."""
        most = int(counts.max(initial=0))
        binomials = np.array([[comb(n, k) for k in range(self._discards + 1)] for n in range(most + 1)], dtype=float)
        ways = np.zeros(self.size)
        of_discards = binomials[counts, self.needs].prod(axis=1)
        ways[len(self.cards) : -1] = (of_discards[:, None] * np.maximum(counts - self.needs, 0)).ravel()
        return ways

    @cached_property
    def sets(self) -> list[tuple[int, ...]]:
        """All sets of discards, in the order of the war choices, as ranks from 0."""
        return list(combinations_with_replacement(range(len(self.cards)), self._discards))

    @cached_property
    def needs(self) -> NDArray[np.int64]:
        """`[sets, ranks]`: how many cards of each rank each set of discards takes."""
        needs: NDArray[np.int64] = (np.array(self.sets)[:, :, None] == np.arange(len(self.cards))).sum(axis=1)
        return needs

    def parts(self) -> NDArray[np.int64]:
        """`[size, 3 * ranks + 1]`: a round's card, number of discards of each rank, the battle card, waiting."""
        ranks, one_hot = len(self.cards), np.eye(len(self.cards), dtype=np.int64)
        parts = np.zeros((self.size, 3 * ranks + 1), dtype=np.int64)
        parts[:ranks, :ranks] = one_hot
        parts[ranks:-1, ranks : 2 * ranks] = np.repeat(self.needs, ranks, axis=0)
        parts[ranks:-1, 2 * ranks : -1] = np.tile(one_hot, (len(self.sets), 1))
        parts[self.wait, -1] = 1
        return parts

    def sets_below(self) -> NDArray[np.int64]:
        """`[discards, ranks]`: the number of ways to complete a set of discards from a given rank at a given index."""
        ranks, rest = len(self.cards), reversed(range(self._discards))
        counts = [[comb(ranks - rank + left - 1, left) for rank in range(ranks)] for left in rest]
        return np.array(counts, dtype=np.int64).reshape(self._discards, ranks)


def war_action_count(ranks: int, discards: int) -> int:
    """Number of actions: cards, war choices, and waiting."""
    return ranks * (1 + comb(ranks + discards - 1, discards)) + 1
