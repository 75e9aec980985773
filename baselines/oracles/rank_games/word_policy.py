"""Policies that depend only on the interleaving of the hands (see `interleavings.py`), in duels and Goofspiel.

`WordPolicy` lets a policy for the word view play the card view. A policy that declares `by_words` is queried only at
hands of the lowest ranks, so it must play the same in all states of an interleaving; this is checked on a sample.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baselines.oracles.answers.guards import difference, first_difference, state_behind
from cardwar_envs.core.cached import cached_by_game
from cardwar_envs.core.game import Game
from cardwar_envs.core.play import random_state
from cardwar_envs.core.policy import Policy, checked_probabilities
from cardwar_envs.core.policy_names import as_policy
from cardwar_envs.games.duel import Duel
from cardwar_envs.games.goofspiel import Goofspiel

# States sampled per seat, each from a different random game.
STATES = 128
SEED = 0


def packed_counts(
    own: NDArray[np.float32], other: NDArray[np.float32]
) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.int64]]:
    """Renumbers ranks as the word view does: neighbouring ranks held by the same player alone become one rank.

    For example, own cards of ranks 2 and 5 and an opponent's card of rank 7 become two cards of rank 0 and one of rank
    1. Takes both players' cards of each rank, `[batch, ranks]`. Returns both after renumbering, and the new number of
    each rank, `[batch, ranks]`, -1 if no player holds it.
    """
    packed = np.zeros_like(own), np.zeros_like(other)
    numbers = np.full(own.shape, -1, dtype=np.int64)
    number, before = np.full(len(own), -1), np.full(len(own), 3)
    for rank in range(own.shape[1]):
        holders = (own[:, rank] > 0) + 2 * (other[:, rank] > 0)
        held = np.flatnonzero(holders)
        number[held] += (holders != before)[held] | (holders == 3)[held]
        before[held] = holders[held]
        numbers[held, rank] = number[held]
        packed[0][held, number[held]] += own[held, rank]
        packed[1][held, number[held]] += other[held, rank]
    return *packed, numbers


def word_view(game: Game[Any]) -> Duel | Goofspiel | None:
    """Returns the same game with `view="word"`; None if the game has that view already or lacks it."""
    if not isinstance(game, Duel | Goofspiel) or game.view == "word" or not game.facts.public_state:
        return None
    return None if isinstance(game, Duel) and not game.ranks_are_ordinal else replace(game, view="word")


class WordPolicy:
    """Lets a policy for a game with `view="word"` play the same game with `view="cards"`.

    Ranks that the word view merges split the probability of the merged rank in proportion to their cards.

    Args:
        game: The duel, or Goofspiel, with `view="cards"`.
        policy: A policy, or the name of one, for the same game with `view="word"`.

    Raises:
        ValueError: If the game is neither a duel nor Goofspiel, or has another view.
    """

    by_words = True

    def __init__(self, game: Game[Any], policy: Policy | str) -> None:
        if not isinstance(game, Duel | Goofspiel) or game.view != "cards":
            raise ValueError(f"{game.facts.name}: not a duel or goofspiel with view='cards'")
        self._words = replace(game, view="word")
        self._policy = as_policy(policy, self._words)

    def __repr__(self) -> str:
        return f"<{self._policy!r} for words, playing cards>"

    def action_probabilities(
        self, observations: NDArray[np.float32], action_masks: NDArray[np.int8]
    ) -> NDArray[np.float64]:
        """Returns `[batch, num_actions]` probabilities."""
        ranks, size = action_masks.shape[1], self._words.facts.num_actions
        own, other, numbers = packed_counts(observations[:, :ranks], observations[:, ranks : 2 * ranks])
        seen = np.concatenate((own[:, :size], other[:, :size], observations[:, 2 * ranks :]), axis=1)
        if isinstance(self._words, Duel) and not self._words.keeps_score:
            seen[:, 2 * size] = 0.0
        masks = (own[:, :size] > 0).astype(np.int8)
        answer = np.asarray(self._policy.action_probabilities(seen, masks), dtype=np.float64)
        share = np.divide(answer, own[:, :size], out=np.zeros_like(answer), where=masks == 1)
        probabilities: NDArray[np.float64] = np.take_along_axis(share, np.clip(numbers, 0, None), axis=1)
        return probabilities * observations[:, :ranks]


def check_by_words(game: Duel | Goofspiel, policies: Sequence[Policy | None]) -> int:
    """Compares each policy's answers at random states and at the lowest hands with the same interleaving.

    There is one policy, or None, per seat, and the game shows cards. Returns the number of compared states. If two
    answers differ, raises a ValueError that names both states and both answers.
    """
    return sum(_check(game, policy, seat) for seat, policy in enumerate(policies) if policy is not None)


def _check(game: Duel | Goofspiel, policy: Policy, seat: int) -> int:
    seen = _random_observations(game, seat).copy()  # policies may write into their arguments
    ranks, rows = game.facts.num_actions, np.arange(len(seen))[:, None]
    *packed, letters = packed_counts(seen[:, :ranks], seen[:, ranks : 2 * ranks])
    in_words = np.concatenate((*packed, seen[:, 2 * ranks :]), axis=1)
    if isinstance(game, Duel) and game.payoff == "margin":
        in_words[:, 2 * ranks] = 0.0  # an irrelevant score is not shown
    cards, words = (
        checked_probabilities(policy, each, (each[:, :ranks] > 0).astype(np.int8)) for each in (seen, in_words)
    )
    by_letter = np.zeros_like(cards)
    np.add.at(by_letter, (rows, letters), cards)  # ranks that no player holds have letter -1 and probability 0
    row = first_difference(by_letter, words)
    if row is not None:
        raise ValueError(
            f"policy {type(policy).__name__} declares by_words, but plays differently in states with the same "
            f"interleaving, {state_behind(game, seen[row])} and {state_behind(game, in_words[row])}: "
            f"{difference(by_letter[row], words[row])} (actions of the latter)"
        )
    return len(seen)


@cached_by_game(8)
def _random_observations(game: Duel | Goofspiel, player: int) -> NDArray[np.float32]:
    """Returns `[states, observation_size]`, observations of undecided states at random times of random games."""
    rng = np.random.default_rng(SEED)
    seen: list[NDArray[np.float32]] = []
    while len(seen) < STATES:
        state = random_state(game, rng)
        if game.settled(state) is None:
            seen.append(game.observation(state, player))
    return np.array(seen)
