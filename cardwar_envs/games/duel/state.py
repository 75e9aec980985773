"""States of duels, and checks of states."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import partial
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cardwar_envs.core.parameters import checked_tuple, reading_state, whole_number, whole_numbers
from cardwar_envs.core.texts import counted
from cardwar_envs.games.duel.interleaving import Hand, Hands

# Odds below 0 or above 1 mark a certain trick, for which the kernel draws no random number, as in the Python rules.
CERTAIN_ODDS = {1: (2.0, 2.0), 0: (-1.0, 2.0), -1: (-1.0, -1.0)}


class _DuelFields(NamedTuple):
    hands: Hands
    score: int
    ties: int


class DuelState(_DuelFields):
    """A state of a duel.

    Attributes:
        hands: The cards that each player still holds, ascending.
        score: Tricks won by player 0 minus tricks won by player 1.
        ties: Tied tricks that the next decided trick will win.
    """

    __slots__ = ()

    def __new__(cls, hands: Iterable[Iterable[int]], score: int = 0, ties: int = 0) -> DuelState:
        """Sorts the hands."""
        ordered = tuple(tuple(sorted(hand)) for hand in hands)
        if len(ordered) != 2:
            raise ValueError(f"a duel has two hands, not {len(ordered)}")
        return super().__new__(cls, ordered, score, ties)


# Makes a DuelState from (hands, score, ties) without sorting the hands, which saves time in every step.
new_state: Callable[[tuple[Hands, int, int]], DuelState] = partial(tuple.__new__, DuelState)


# Single entries of a Python array are set much faster than those of a NumPy array.
ZERO = array("f", [0.0])
# Two hands; the numbers of cards of each rank that player 0, player 1 and again player 0 hold, of which each player's
# observation is a slice; both masks.
Seen = tuple[Hands | None, "array[float]", bytearray]


class SeenHands:
    """What players see of two hands: the numbers of cards of each rank, the player's own first, and the mask.

    All players' observations and masks of a state are usually made one after another, and the next state is often that
    after a trick. So the last hands are kept, and a trick takes the two cards off.

    Attributes:
        trick: The hands before and after the last trick, and the two ranks played.
    """

    def __init__(self, action_of: Mapping[int, int], others: int) -> None:
        """Sets up empty rows; `action_of` maps ranks to actions, and `others` entries come after the hands."""
        ranks = len(action_of)
        self._action_of = action_of
        self._row, self._masks = ZERO * (3 * ranks + others), bytearray(2 * ranks)
        self._row_of = slice(2 * ranks + others), slice(ranks, 3 * ranks + others)
        self._mask_of = slice(ranks), slice(ranks, 2 * ranks)
        self._last: Seen = (None, self._row, self._masks)  # replaced as a whole, because threads can share a game
        self.trick: tuple[Hands, Hands, int, int] = (((), ()), ((), ()), 0, 0)

    def row(self, hands: Hands, player: int) -> array[float]:
        """A new observation of the player, in which the entries after the hands are arbitrary."""
        last = self._last
        return (last if last[0] is hands else self._next(hands))[1][self._row_of[player]]

    def mask(self, hands: Hands, player: int) -> bytearray:
        """A new mask of the player."""
        last = self._last
        return (last if last[0] is hands else self._next(hands))[2][self._mask_of[player]]

    def _next(self, hands: Hands) -> Seen:
        before, after, rank_0, rank_1 = self.trick
        last, row, masks = self._last
        if after is not hands or before is not last:
            return self._counted(hands)
        ranks, row, masks = len(self._action_of), row[:], masks[:]
        action_0, action_1 = self._action_of[rank_0], self._action_of[rank_1] + ranks
        row[action_0] -= 1.0
        row[action_1] -= 1.0
        row[action_0 + 2 * ranks] -= 1.0
        if not row[action_0]:
            masks[action_0] = 0
        if not row[action_1]:
            masks[action_1] = 0
        self._last = seen = hands, row, masks
        return seen

    def _counted(self, hands: Hands) -> Seen:
        action_of, ranks = self._action_of, len(self._action_of)
        row, masks = self._row[:], self._masks[:]
        for player, hand in enumerate(hands):
            for rank in hand:
                action = action_of[rank] + player * ranks
                row[action] += 1.0
                masks[action] = 1
        row[2 * ranks : 3 * ranks] = row[:ranks]
        self._last = seen = hands, row, masks
        return seen


def checked_state(state: DuelState) -> DuelState:
    """Returns the state; raises a ValueError unless it consists of two sorted hands of equal size and integers."""
    with reading_state(state, "a DuelState of two hands, a score and ties"):
        hand_0, hand_1 = (whole_numbers("hand", hand) for hand in checked_tuple("hands", state.hands))
        score, ties = whole_number("score", state.score), whole_number("ties", state.ties)
    if len(hand_0) != len(hand_1):
        raise ValueError(f"state has hands of unequal size, {len(hand_0)} and {len(hand_1)}")
    for hand in (hand_0, hand_1):
        if tuple(sorted(hand)) != hand:
            raise ValueError(f"state has an unsorted hand {hand}")
    return new_state(((hand_0, hand_1), score, ties))


def checked_hand(field: str, hand: Sequence[int], lowest_rank: int | None) -> Hand:
    """Returns a hand in ascending order; raises a ValueError unless it is a sequence of ranks that are allowed."""
    try:
        if isinstance(hand, str):
            raise TypeError
        cards = tuple(hand)
    except TypeError:
        raise ValueError(f"{field} ({hand}) must be a sequence of integers") from None
    ranks = tuple(sorted(whole_number(field, rank) for rank in cards))
    if lowest_rank is not None and ranks and ranks[0] < lowest_rank:
        raise ValueError(f"{field}: {ranks[0]} must be at least {lowest_rank}")
    return ranks


def check_held(start: Hands, hands: Hands) -> None:
    """Raises a ValueError if a player holds cards that it did not hold at the start."""
    for player in (0, 1):
        if extra := Counter(hands[player]) - Counter(start[player]):
            raise ValueError(f"state gives player_{player} cards that it cannot hold: {sorted(extra)}")


def check_score(state: DuelState, played: int, could_tie: int, *, carry: bool, kept: bool) -> None:
    """Raises a ValueError if score or ties are impossible after `played` tricks, of which `could_tie` can have tied.

    `carry` and `kept` say whether ties are carried, and whether states include the score.
    """
    _, score, ties = state
    carried = range(could_tie + 1) if carry else range(1)
    if not kept and score:
        raise ValueError(f"state has score {score}, which must be 0 in a game in which the score does not matter")
    if ties not in carried:
        raise ValueError(f"state has {counted(ties, 'carried tie')}, which must be in 0..{carried[-1]}")
    # A carried trick counts for its later winner; a discarded trick counts for neither player.
    lost = range(ties, ties + 1) if carry else range(could_tie + 1)
    possible = (abs(score) <= played - n and (score - played + n) % 2 == 0 for n in lost)
    if kept and not any(possible):
        tied = counted(ties, "carried tie")
        raise ValueError(f"state has score {score}, impossible after {played} tricks with {tied}")


def odds_of(ranks: Hand, outcomes: Callable[[int, int], Iterable[tuple[Fraction, int]]]) -> NDArray[np.float64]:
    """`[2, ranks, ranks]` probabilities that player 0's rank wins, and that it wins or ties, against player 1's.

    All pairs of ranks are needed, because hands are renumbered and states can be seen from either seat.
    """
    odds = np.empty((2, len(ranks), len(ranks)))
    for (i, own), (j, other) in product(enumerate(ranks), repeat=2):
        chances = {winner: probability for probability, winner in outcomes(own, other)}
        win, tie = chances.get(1, 0), chances.get(0, 0)
        odds[:, i, j] = (win, win + tie) if len(chances) > 1 else CERTAIN_ODDS[next(iter(chances))]
    return odds


def sign(number: int) -> float:
    """Returns the sign of a number: 1, 0 or -1."""
    return float(number > 0) - float(number < 0)  # NumPy cannot subtract bools
