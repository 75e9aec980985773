"""Policies of best responses in duels and Goofspiel, read from the actions chosen by a backward sweep."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baselines.oracles.rank_games.word_policy import packed_counts
from cardwar_envs.core.kernels import kernels
from cardwar_envs.games.duel import Duel
from cardwar_envs.games.goofspiel import Goofspiel


class RankResponse(ABC):
    """A deterministic best response from one seat; ties go to the lowest action.

    Plays uniformly over legal actions at states that are decided or unreachable.
    """

    def __init__(self, game: Duel | Goofspiel, player: int, *, renumbers: bool) -> None:
        """`renumbers` says whether states are given by hands of the lowest ranks with the same interleaving."""
        self._game, self._player, self._renumbers = game, player, renumbers

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: a best response of player_{self._player} in {self._game.facts.name}>"

    def action_probabilities(
        self, observations: NDArray[np.float32], action_masks: NDArray[np.int8]
    ) -> NDArray[np.float64]:
        """Returns `[batch, num_actions]` probabilities."""
        probabilities: NDArray[np.float64] = action_masks / action_masks.sum(axis=1, keepdims=True)
        ranks = action_masks.shape[1]
        own, other = observations[:, :ranks], observations[:, ranks : 2 * ranks]
        both, numbers = [own, other], np.broadcast_to(np.arange(ranks), own.shape)
        if self._renumbers:
            *both, numbers = packed_counts(own, other)
        hands = np.concatenate(both if self._player == 0 else both[::-1], axis=1)
        cards = own.sum(axis=1).astype(np.int64)
        for left in np.unique(cards[cards > 0]):
            some = np.flatnonzero(cards == left)
            chosen = self._chosen(int(left), hands[some], observations[some])
            some, chosen = some[chosen >= 0], chosen[chosen >= 0]
            # The lowest of interchangeable cards.
            played = ((numbers[some] == chosen[:, None]) & (own[some] > 0)).argmax(axis=1)
            probabilities[some] = 0.0
            probabilities[some, played] = 1.0
        return probabilities

    @abstractmethod
    def _chosen(self, cards: int, hands: NDArray[np.float32], observations: NDArray[np.float32]) -> NDArray[np.int64]:
        """Returns the best rank at states with this many cards left, -1 where it is unknown.

        `hands`, `[states, 2 * ranks]`, are player 0's cards of each rank, then player 1's.
        """


class DuelResponse(RankResponse):
    """A best response in a duel. For 13-card Jujitsu on interleavings it takes some fifty megabytes."""

    def __init__(
        self, game: Duel, player: int, rules: Any, layers: Sequence[Any], choices: Sequence[NDArray[np.int16]]
    ) -> None:
        """Takes the rules, layers and choices of a `DuelPlay`, from one card left to all."""
        super().__init__(game, player, renumbers=rules.packed and game.view == "cards")
        self._rules, self._layers, self._choices = rules, layers, [best[:, player].copy() for best in choices]

    def _chosen(self, cards: int, hands: NDArray[np.float32], observations: NDArray[np.float32]) -> NDArray[np.int64]:
        chosen = np.full(len(hands), -1, dtype=np.int64)
        if cards > len(self._layers):
            return chosen
        layer, found = self._layers[cards - 1], np.empty(len(hands), dtype=np.int64)
        rows = np.zeros((len(hands), layer.rows.shape[1]), dtype=np.uint8)
        rows[:, : hands.shape[1]] = hands
        scores, ties = observations[:, hands.shape[1] :].astype(np.int64).T
        kernels("baselines.oracles.rank_games.response_kernel", 2e-5 * len(rows)).find(
            self._rules, cards, layer.rows, layer.numbers, layer.table, rows, ties,
            scores if self._player == 0 else -scores, found,
        )  # fmt: skip
        known = found >= 0
        chosen[known] = self._choices[cards - 1][found[known]]  # none once the game is decided
        return chosen
