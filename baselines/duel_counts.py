"""How many states a duel seen as cards has, without listing them."""

from __future__ import annotations

from collections import Counter

from cardwar_envs.games.duel import Duel
from cardwar_envs.games.interleaving import Hand


def states_at_most(game: Duel) -> tuple[int, int]:
    """Pairs of hands with cards left, and a bound on the states in which something is decided.

    The bound counts every score and every number of carried ties that so many tricks allow.
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
    """How many different hands of 0, 1, ... cards can be left of a hand."""
    ways = [1]
    for held in Counter(hand).values():
        ways = [sum(ways[max(0, n - held) : n + 1]) for n in range(len(ways) + held)]
    return ways
