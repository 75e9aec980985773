"""Checks policies that declare `by_words` on a sample of states.

Such a policy is queried only at hands of the lowest ranks, so it must play the same in all states of an interleaving.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from baselines.oracles.answers.guards import difference, first_difference, state_behind
from baselines.oracles.rank_games.word_policy import packed_counts
from cardwar_envs.core.cached import cached_by_game
from cardwar_envs.core.play import random_state
from cardwar_envs.core.policy import Policy, checked_probabilities
from cardwar_envs.games.duel import Duel
from cardwar_envs.games.goofspiel import Goofspiel

# States sampled per seat, each from a different random game.
STATES = 128
SEED = 0


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
