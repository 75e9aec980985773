"""Checks policies that declare `by_words` on a sample of states.

Such a policy is queried only at hands of the lowest ranks, so it must play alike wherever the interleaving is the same.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from baselines.oracles.consistency import difference, first_difference, place
from baselines.oracles.rank_games.word_policy import packed_counts
from cardwar_envs.core.policy import Policy, checked_probabilities
from cardwar_envs.games.duel import Duel

# States sampled per seat, each from a different random game.
STATES = 128
SEED = 0


def check_by_words(game: Duel, policies: Sequence[Policy | None]) -> int:
    """Compares policies for a duel that shows cards at random states and at the lowest hands of their interleavings.

    Policies are one per seat, or None. Returns the number of states compared. If two answers differ, raises a
    ValueError that names both states and both answers.
    """
    return sum(_check(game, policy, seat) for seat, policy in enumerate(policies) if policy is not None)


def _check(game: Duel, policy: Policy, seat: int) -> int:
    seen = _random_observations(game, seat)
    ranks, rows = len(game.ranks), np.arange(len(seen))[:, None]
    *packed, letters = packed_counts(seen[:, :ranks], seen[:, ranks : 2 * ranks])
    in_words = np.concatenate((*packed, seen[:, 2 * ranks :]), axis=1)
    if game.payoff == "margin":
        in_words[:, 2 * ranks] = 0.0  # an irrelevant score is not shown
    cards, words = (
        checked_probabilities(policy, each, (each[:, :ranks] > 0).astype(np.int8)) for each in (seen, in_words)
    )
    by_letter = np.zeros_like(cards)
    np.add.at(by_letter, (rows, letters), cards)  # ranks that no player holds have letter -1 and probability 0
    row = first_difference(by_letter, words)
    if row is not None:
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
    # Each row: cards in order of play, the player's own first.
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
