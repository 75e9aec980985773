"""Explains how to play a duel, in plain sentences."""

from __future__ import annotations

from collections.abc import Callable

from cardwar_envs.core.texts import numbers_in_words
from cardwar_envs.games.duel.interleaving import Hand, Hands

# Which part of the hands players see, by `view`.
SEEN = {
    "cards": "Both hands are open.",
    "word": "You see only the order of the cards in both hands: after each move the cards are renumbered from 1, and "
    "neighbouring cards of the same player get the same number.",
}


def cards_in_words(hand: Hand) -> str:
    """A hand of cards, e.g. "the cards 1 to 13"."""
    return f"the card{'' if len(hand) == 1 else 's'} {numbers_in_words(hand)}"


def stacks_in_words(hand: Hand) -> str:
    """A hand of stacks of dice, e.g. "stacks of 1 to 6 dice"."""
    stacks, dice = "a stack" if len(hand) == 1 else "stacks", "die" if hand[-1] == 1 else "dice"
    return f"{stacks} of {numbers_in_words(hand)} {dice}"


def how_to_play(
    hands: Hands,
    ties: str,
    payoff: str,
    view: str,
    *,
    held: Callable[[Hand], str] = cards_in_words,
    card: str = "card",
    trick: str = "trick",
    decided: str = "The higher card wins the trick",
    equal: str = "both cards are equal",
) -> str:
    """Explains how a duel is played and won: how a trick is `decided`, and when its cards are `equal`."""
    own, other = map(held, hands)
    who = f"You and your opponent each hold {own}" if own == other else f"In seat 0 you hold {own}, in seat 1 {other}"
    tie = f"nobody wins the {trick}"
    if ties == "carry":
        tie = f"the winner of the next {trick} that is not tied also wins this {trick}; if there is none, nobody does"
    paid = f"The loser of each {trick} pays 1 point to its winner: win as many as you can."
    if payoff == "win":
        paid = f"The player who has won more {trick}s wins 1 point from the other; with equal numbers, it is a draw."
    return (
        f"{paid} {who}. {SEEN[view]} In each {trick}, you both choose a {card} at the same time. {decided}; both "
        f"{card}s are gone. If {equal}, {tie}. The game ends when all {card}s are played."
    )


def hands_in_columns(hands: Hands, ranks: Hand, columns: Hands) -> str:
    """Both hands, with a column for each card of a rank that the larger of the hands in `columns` has."""
    width, lines = max(len(str(rank)) for rank in ranks), []
    for player, hand in enumerate(hands):
        cells = [
            str(rank) if place < hand.count(rank) else "."
            for rank in ranks
            for place in range(max(cards.count(rank) for cards in columns))
        ]
        lines.append(f"player_{player}  " + " ".join(cell.rjust(width) for cell in cells))
    return "\n".join(lines)
