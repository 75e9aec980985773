"""Explains how to play WAR, in plain sentences."""

from __future__ import annotations

from collections.abc import Sequence

from cardwar_envs.core.texts import counted, numbers_in_words


def how_to_play(players: int, cards: Sequence[int], discards: int, rounds: int) -> str:
    """Explains how WAR is played and won."""
    put, lacking = "another card", "no cards left"
    if discards:
        put = f"{counted(discards, 'discard')} and a battle card"
        lacking = f"fewer than {discards + 1} cards left loses them to the table and"
    opponents = "your opponent"
    won = "A player without cards is out of the game; the last player in the game wins 1 point from the other."
    limit = f"after {counted(rounds, 'round')}"
    ending = f"If both of you go out at the same time, or {limit}, it is a draw."
    if players > 2:
        opponents = f"your {players - 1} opponents"
        won = (
            f"A player without cards is out of the game and pays 1/{players - 1} point; the last player in the game "
            "gets all payments."
        )
        ending = f"If the last players go out together, or several players are left {limit}, they share the payments."
    sentences = (
        won,
        f"You and {opponents} each hold the cards {numbers_in_words(cards)}. All cards are open.",
        "In each round, everyone plays a card at the same time, and the highest card wins all cards on the table.",
        f"Players who tie for the highest card go to war: each puts down {put}, all at the same time, and the highest "
        f"{'battle card' if discards else 'card'} wins all cards on the table. Another tie starts another war.",
        f"A tied player with {lacking} is out of that war; if nobody is left in it, the cards stay on the table for "
        "the winner of the next round.",
        "Cards that you win lie beside your hand; pictures show them with a plus. If your hand is empty at the end of "
        "a round, you pick these cards up; if there are none, you are out of the game.",
        f"In the texts, the cards beside a hand are its wins, 2x{cards[-1]} means two cards of rank {cards[-1]}, and "
        "the pot is the cards on the table.",
        ending,
    )
    return " ".join(sentences)
