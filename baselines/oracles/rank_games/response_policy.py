"""The policy of a best response in a duel, read from the actions chosen by the backward sweep."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baselines.oracles.rank_games.word_policy import packed_counts
from cardwar_envs.core.kernels import kernels
from cardwar_envs.games.duel import Duel


class DuelResponse:
    """A deterministic best response from one seat; ties go to the lowest action.

    Plays uniformly over legal actions at states that are decided or unreachable. For 13-card Jujitsu on interleavings
    it takes some fifty megabytes.
    """

    def __init__(
        self, game: Duel, player: int, rules: Any, layers: Sequence[Any], choices: Sequence[NDArray[np.int16]]
    ) -> None:
        """Takes the rules, layers and choices of a `DuelPlay`, from one card left to all."""
        self._rules, self._player = rules, player
        self._renumbers = rules.packed and game.view == "cards"
        self._layers, self._choices = layers, [best[:, player].copy() for best in choices]
        self._name = game.facts.name

    def __repr__(self) -> str:
        return f"<DuelResponse: a best response of player_{self._player} in {self._name}>"

    def action_probabilities(
        self, observations: NDArray[np.float32], action_masks: NDArray[np.int8]
    ) -> NDArray[np.float64]:
        """Returns `[batch, num_actions]` probabilities."""
        probabilities: NDArray[np.float64] = action_masks / action_masks.sum(axis=1, keepdims=True)
        ranks = self._rules.ranks
        own, other = observations[:, :ranks], observations[:, ranks : 2 * ranks]
        hands, numbers = [own, other], np.broadcast_to(np.arange(ranks), own.shape)
        if self._renumbers:
            *hands, numbers = packed_counts(own, other)
        scores, ties = observations[:, 2 * ranks :].astype(np.int64).T
        rows = np.zeros((len(own), self._layers[0].rows.shape[1]), dtype=np.uint8)
        rows[:, : 2 * ranks] = np.concatenate(hands if self._player == 0 else hands[::-1], axis=1)
        cards = own.sum(axis=1).astype(np.int64)
        for count in np.unique(cards[(cards > 0) & (cards <= self._rules.cards)]):
            some = np.flatnonzero(cards == count)
            scored = scores[some] if self._player == 0 else -scores[some]
            chosen = self._chosen(int(count), rows[some], ties[some], scored)
            some, chosen = some[chosen >= 0], chosen[chosen >= 0]
            # The lowest of interchangeable cards.
            played = ((numbers[some] == chosen[:, None]) & (own[some] > 0)).argmax(axis=1)
            probabilities[some] = 0.0
            probabilities[some, played] = 1.0
        return probabilities

    def _chosen(
        self, cards: int, rows: NDArray[np.uint8], ties: NDArray[np.int64], scores: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        layer, found = self._layers[cards - 1], np.empty(len(rows), dtype=np.int64)
        kernels("baselines.oracles.rank_games.response_kernel", 2e-5 * len(rows)).find(
            self._rules, cards, layer.rows, layer.numbers, layer.table, rows, ties, scores, found
        )
        known, chosen = found >= 0, np.full(len(rows), -1, dtype=np.int64)
        chosen[known] = self._choices[cards - 1][found[known]]  # none once the game is decided
        return chosen
