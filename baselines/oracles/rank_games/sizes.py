"""Limits on duels whose policies are measured exactly."""

from __future__ import annotations

from collections import Counter

from cardwar_envs.games.duel import Duel
from cardwar_envs.games.duel.interleaving import Hand

# Pairs of hands are rows of bytes.
MOST_CARDS = 255
# A small network takes minutes to answer at this many states.
MOST_STATES = 50_000_000


def require_size(game: Duel) -> None:
    """Raises a ValueError if a policy would have to be queried at too many states."""
    pairs, states = states_at_most(game)
    if states > MOST_STATES:
        raise ValueError(
            f"{game.facts.name} has {pairs:,} pairs of hands and up to {states:,} states to decide in, more than "
            f"{MOST_STATES:,}; view='word' has far fewer, as have policies that declare by_words"
        )


def states_at_most(game: Duel) -> tuple[int, int]:
    """Counts pairs of hands with cards left, and bounds the number of undecided states.

    The bound counts every score and every number of carried ties that the tricks played allow.
    """
    cards, hands = len(game.hands[0]), [_hands_left(hand) for hand in game.hands]
    pairs = [first * second for first, second in zip(*hands, strict=True)]
    states = 0
    for left in range(1, cards + 1):
        played = cards - left
        for ties in range(played + 1 if game.ties == "carry" else 1):
            most = min(played - ties, left + ties) if game.payoff == "win" else played - ties
            states += pairs[left] * (most + 1 if game.ties == "carry" else 2 * most + 1)
    return sum(pairs[1:]), states


def _hands_left(hand: Hand) -> list[int]:
    """The number of different hands of 0, 1, ... cards left of a hand."""
    ways = [1]
    for held in Counter(hand).values():
        ways = [sum(ways[max(0, n - held) : n + 1]) for n in range(len(ways) + held)]
    return ways
