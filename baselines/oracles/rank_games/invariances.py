"""Holds policies that say that they play by words to it, on a sample of states.

Such a policy is asked once for all states with one word: about the word's own hands, of the lowest ranks (see
`baselines.oracles.rank_games.interleavings`). So in states of the game as it is played it must do what it does there.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from baselines.oracles.consistency import SAME_TO, difference, place
from baselines.oracles.rank_games.word_policy import packed_counts
from cardwar_envs.core.policy import Policy, checked_probabilities
from cardwar_envs.games.duel import Duel

# So many states are asked about in each seat, each of another game that is played at random.
STATES = 128
SEED = 0


def check_by_words(game: Duel, policies: Sequence[Policy | None]) -> int:
    """Asks policies about random states and about the hands of their words.

    Args:
        game: A duel that shows cards.
        policies: One for each seat; None for one that is not asked.

    Returns:
        How many states they were asked about.

    Raises:
        ValueError: If two answers differ; it names both states and both answers.
    """
    return sum(_held(game, policy, seat) for seat, policy in enumerate(policies) if policy is not None)


def _held(game: Duel, policy: Policy, seat: int) -> int:
    seen = _random_observations(game, seat)
    ranks, rows = len(game.ranks), np.arange(len(seen))[:, None]
    *packed, letters = packed_counts(seen[:, :ranks], seen[:, ranks : 2 * ranks])
    in_words = np.concatenate((*packed, seen[:, 2 * ranks :]), axis=1)
    if game.payoff == "margin":
        in_words[:, 2 * ranks] = 0.0  # a score that does not matter is not shown
    cards, words = (
        checked_probabilities(policy, each, (each[:, :ranks] > 0).astype(np.int8)) for each in (seen, in_words)
    )
    by_letter = np.zeros_like(cards)
    np.add.at(by_letter, (rows, letters), cards)  # of ranks that nobody holds the letter is -1, the probability 0
    differs = ~(np.abs(by_letter - words) <= SAME_TO).all(axis=1)
    if differs.any():
        row = int(differs.argmax())
        raise ValueError(
            f"policy {type(policy).__name__} says that it plays by words, but not where one word is "
            f"{place(game, seen[row])} and {place(game, in_words[row])}: {difference(by_letter[row], words[row])} "
            "(actions of the latter)"
        )
    return len(seen)


def _random_observations(game: Duel, player: int) -> NDArray[np.float32]:
    """`[states, observation_size]`: what a player sees in undecided states, each at a random time of a random game."""
    rng, cards, ranks = np.random.default_rng(SEED), len(game.hands[0]), len(game.ranks)
    left = rng.integers(min(2, cards), cards, STATES, endpoint=True)
    hands = [np.searchsorted(game.ranks, hand) for hand in game.hands]
    # Row by row the cards in the order in which they are played, the player's own first.
    played = np.stack(
        [rng.permuted(np.tile(hands[seat], (STATES, 1)), axis=1) for seat in (player, 1 - player)], axis=1
    )
    score, ties = np.zeros(STATES, dtype=np.int64), np.zeros(STATES, dtype=np.int64)
    counts = np.zeros((STATES, 2, ranks), dtype=np.float32)
    for trick in range(cards):
        over = trick < cards - left
        winner = np.sign(played[:, 0, trick] - played[:, 1, trick])
        score += np.where(over, winner * (1 + ties), 0)
        ties = np.where(over, np.where((winner == 0) & (game.ties == "carry"), ties + 1, 0), ties)
        for seat in (0, 1):
            counts[np.flatnonzero(~over), seat, played[~over, seat, trick]] += 1.0
    undecided = (np.abs(score) <= left + ties) | (game.payoff == "margin")
    seen = np.concatenate((counts.reshape(STATES, -1), score[:, None], ties[:, None]), axis=1, dtype=np.float32)
    return np.asarray(seen[undecided])
