"""Best responses in duels and Goofspiel, as policies."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from baselines.oracles.rank_games.positions import Layer, kernel
from baselines.oracles.rank_games.word_policy import packed_counts
from cardwar_envs.games.duel import Duel
from cardwar_envs.games.goofspiel import Goofspiel


class RankResponse:
    """A deterministic best response from one seat of a duel or of Goofspiel; ties go to the lowest action.

    Plays uniformly over legal actions at states that are decided or unreachable. For 13-card Jujitsu on interleavings
    it takes some fifty megabytes.
    """

    def __init__(
        self,
        game: Duel | Goofspiel,
        player: int,
        layers: Sequence[Layer],
        choices: Sequence[NDArray[np.int16]],
        *,
        packed: bool,
        shows_score: bool,
    ) -> None:
        """Takes the layers and `choices` of an evaluation against the other player's policy."""
        self._game, self._player, self._shows_score = game, player, shows_score
        self._renumbers = packed and game.view == "cards"
        self._layers, self._tables = layers, [layer.table() for layer in layers]
        self._choices = [best[:, player].copy() for best in choices]
        seen = [layer.rest[:, player] for layer in layers]
        self._rows_of_rest = [{each.tobytes(): row for row, each in enumerate(rest)} for rest in seen]

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: a best response of player_{self._player} in {self._game.facts.name}>"

    def action_probabilities(
        self, observations: NDArray[np.float32], action_masks: NDArray[np.int8]
    ) -> NDArray[np.float64]:
        """Returns `[batch, num_actions]` probabilities."""
        probabilities: NDArray[np.float64] = action_masks / action_masks.sum(axis=1, keepdims=True)
        ranks = action_masks.shape[1]
        own, other, rest = np.split(np.asarray(observations, dtype=np.float32), [ranks, 2 * ranks], axis=1)
        both, numbers = [own, other], np.broadcast_to(np.arange(ranks), own.shape)
        if self._renumbers:
            *both, numbers = packed_counts(own, other)
        hands = np.concatenate(both if self._player == 0 else both[::-1], axis=1)
        if isinstance(self._game, Duel) and not self._shows_score:
            rest = rest * np.array([0, 1], dtype=np.float32)
        rest = rest + np.float32(0)  # no -0
        cards = own.sum(axis=1).astype(np.int64)
        for left in np.unique(cards[(cards > 0) & (cards <= len(self._layers))]):
            some = np.flatnonzero(cards == left)
            chosen = self._chosen(int(left), hands[some], rest[some])
            some, chosen = some[chosen >= 0], chosen[chosen >= 0]
            # The lowest of interchangeable cards.
            played = ((numbers[some] == chosen[:, None]) & (own[some] > 0)).argmax(axis=1)
            probabilities[some] = 0.0
            probabilities[some, played] = 1.0
        return probabilities

    def _chosen(self, cards: int, hands: NDArray[np.float32], rest: NDArray[np.float32]) -> NDArray[np.int64]:
        """Returns the best rank at states with this many cards left, -1 where it is unknown."""
        layer, table, compute = self._layers[cards - 1], self._tables[cards - 1], kernel(2e-5 * len(hands))
        rows, chosen = np.zeros((len(hands), layer.rows.shape[1]), dtype=np.uint8), np.full(len(hands), -1)
        rows[:, : hands.shape[1]] = hands
        found, keys = self._rows_of_rest[cards - 1], layer.rows.view(np.uint64)
        for i, (key, each) in enumerate(zip(rows.view(np.uint64), rest, strict=True)):
            context, prize = divmod(found.get(each.tobytes(), -1), max(layer.prizes, 1))
            pair = table[compute.slot_of(key, keys, table)]
            position = compute.position_of(layer.marks, pair, context) if context >= 0 else -1
            if position >= 0:
                chosen[i] = self._choices[cards - 1][position * layer.prizes + prize]
        return chosen
