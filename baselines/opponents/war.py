"""Strategies of WAR that depend only on the cards on the table: those of "WAR with Auction Rounds" (2017), and our own.

`WeightedCards` is ours. The paper's text (section III) and the program in its appendix differ. The plain names follow
the program, which produced the paper's figures. The names ending in `_as_written` follow the text.

The paper assumes wars with 3 discards: a player needs 4 cards to pay for a war, and risks one only with 5. Here these
numbers are `discards` + 1 and `discards` + 2. In a war all strategies discard their lowest cards and choose among the
rest, the "upper hand". For example, with 2 discards a player with 2 3 5 9 discards 2 and 3 and battles with 5 or 9.
"""

from __future__ import annotations

from functools import cache
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baselines.opponents import word_for
from cardwar_envs.core.game import Game
from cardwar_envs.core.policy import Masks, Observations, Policy, Probabilities, Uniform
from cardwar_envs.games.war import War

Cards = NDArray[np.float32]  # [batch, ..., ranks]: how many cards of each rank
Ranks = NDArray[np.int64]  # [batch, ...]: a rank from 0, -1 for none


def checked_war(game: Game[Any], player: Policy) -> War:
    """Returns the game if it is WAR; else raises a ValueError that names the player."""
    if not isinstance(game, War):
        raise ValueError(f"{word_for(player)} plays war, not {game.facts.name}")
    return game


class WarPlayer:
    """Chooses one card of its hand; in a war, one of its upper hand."""

    stationary = True

    def __init__(self, game: Game[Any]) -> None:
        self._game = checked_war(game, self)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} for {self._game.facts.name}>"

    def action_probabilities(self, observations: Observations, action_masks: Masks) -> Probabilities:
        game, rows = self._game, np.arange(len(observations))
        players, ranks, wait = game.num_players, game.ranks, game.actions.wait
        hands = observations[:, : 2 * players * ranks].reshape(-1, players, 2, ranks)[:, :, 0]
        tied: NDArray[np.bool_] = observations[:, -2 * players - 1 : -players - 1] > 0
        waiting, at_war = action_masks[:, wait] > 0, np.asarray(tied.any(axis=1))
        chooses = np.flatnonzero(at_war & ~waiting)
        hand = hands[:, 0].copy()
        hand[chooses] = _upper(hand[chooses], game.discards)
        # In a war only the tied players matter, including those who cannot pay for it.
        others = hands[:, 1:] * (tied[:, 1:] | ~at_war[:, None])[:, :, None]
        pot = observations[:, 2 * players * ranks : (2 * players + 1) * ranks]
        first = np.zeros(len(rows), dtype=np.int64)  # the action with the lowest battle card
        first[chooses] = ranks * (1 + _lowest_set(hands[chooses, 0], game.discards))
        probabilities = np.zeros(action_masks.shape)
        probabilities[rows[:, None], first[:, None] + np.arange(ranks)] = self._mix(hand, others, at_war, pot)
        probabilities[waiting] = np.arange(action_masks.shape[1]) == wait
        return probabilities

    def _mix(self, hand: Cards, others: Cards, at_war: NDArray[np.bool_], pot: Cards) -> NDArray[np.float64]:
        """Returns `[batch, ranks]`: the probability of each rank as the battle card; arguments as in `_rank`."""
        return np.eye(self._game.ranks)[self._rank(hand, others, at_war, pot)]

    def _rank(self, hand: Cards, others: Cards, at_war: NDArray[np.bool_], pot: Cards) -> Ranks:
        """Chooses the rank of the battle card: `[batch]`, a new array.

        In a war `hand` is the upper hand, and `others`, `[batch, players - 1, ranks]`, is 0 for players not in the war.
        """
        raise NotImplementedError


class MinPlayer(WarPlayer):
    """Plays its lowest card; in a war it discards its lowest cards and battles with the next one.

    Names: "MinPlayer" in WAR 2017, section III.A.
    """

    def _rank(self, hand: Cards, others: Cards, at_war: NDArray[np.bool_], pot: Cards) -> Ranks:
        return _lowest_above(hand)


class MaxPlayer(WarPlayer):
    """Plays its highest card; in a war it discards its lowest cards and battles with its highest.

    Names: "MaxPlayer" in WAR 2017, section III.B.
    """

    def _rank(self, hand: Cards, others: Cards, at_war: NDArray[np.bool_], pot: Cards) -> Ranks:
        return _highest(hand)


class DummiePlayer(Uniform):
    """Plays at random, in a war too.

    Every card is equally likely; in a war it draws the discards, then the battle card, uniformly.

    `uniform` does the same, because `War.action_counts` counts the ways to draw them.

    Names: "DummiePlayer" in WAR 2017, section III.C; appendix, lines 18-34.
    """

    def __init__(self, game: Game[Any]) -> None:
        super().__init__(checked_war(game, self))


class _SimpleMinded(WarPlayer):
    """Plays the lowest card that is certain to win; otherwise risks a tie or plays its lowest card."""

    def _rank(self, hand: Cards, others: Cards, at_war: NDArray[np.bool_], pot: Cards) -> Ranks:
        top = _highest(others).max(axis=1)
        dare = np.where(hand.sum(axis=1) >= self._game.discards + 2, self._dare(hand, others, at_war), -1)
        careful = np.where(dare >= 0, dare, _lowest_above(hand))
        return np.where(_highest(hand) > top, _lowest_above(hand, top), careful)

    def _dare(self, hand: Cards, others: Cards, at_war: NDArray[np.bool_]) -> Ranks:
        """Returns the rank with which it risks a tie if it holds enough cards, or -1; arguments as in `_rank`."""
        raise NotImplementedError


class SimpleMindedPlayer1(_SimpleMinded):
    """Plays the lowest card that is sure to win, or else risks a tie if its second-highest card is good enough.

    It risks the tie with its highest card if no other player's second-highest card is above its own, or if no other
    player has a second card. Otherwise it plays its lowest card.

    Names: "SimpleMindedPlayer" in WAR 2017, appendix, lines 35-79; "SimpleMindedPlayer1" in the text.
    """

    def _dare(self, hand: Cards, others: Cards, at_war: NDArray[np.bool_]) -> Ranks:
        highest = _highest(hand)
        ties = highest == _highest(others).max(axis=1)
        return np.where(ties & (_highest(hand, 2) >= _highest(others, 2).max(axis=1)), highest, -1)


class SimpleMindedPlayer2(SimpleMindedPlayer1):
    """Plays the lowest card that is sure to win, or else risks a tie for the highest card outside wars.

    In a war it plays like `SimpleMindedPlayer1`.

    Names: "SimpleMindedPlayer2" in WAR 2017, appendix, lines 80-116.
    """

    def _dare(self, hand: Cards, others: Cards, at_war: NDArray[np.bool_]) -> Ranks:
        highest = _highest(hand)
        ties = highest == _highest(others).max(axis=1)
        return np.where(ties & ~at_war, highest, super()._dare(hand, others, at_war))


class SimpleMindedPlayer1AsWritten(_SimpleMinded):
    """Plays the lowest card that is sure to win, or else risks a tie with a player whose second card is no better.

    The text requires an opponent `j` and an own card `c` with `c = max(H_j)` and `max2` of its hand at least
    `max2(H_j)`. It does not say which of several such cards to play; this class plays the highest. If an opponent has
    no second card, the condition on `max2` holds.

    Names: "SimpleMindedPlayer1" in WAR 2017, section III.D, step 3.
    """

    def _dare(self, hand: Cards, others: Cards, at_war: NDArray[np.bool_]) -> Ranks:
        tops = _highest(others)
        held = np.take_along_axis(hand, np.maximum(tops, 0), axis=1) > 0
        no_better = _highest(others, 2) <= _highest(hand, 2)[:, None]
        return np.asarray(np.where(held & no_better, tops, -1).max(axis=1))


class SimpleMindedPlayer2AsWritten(_SimpleMinded):
    """Plays the lowest card that is sure to win, or else its highest card if it holds enough cards.

    Implements the text's `max(H_i - S)`: `S`, the set of cards that are certain to win, is empty in this case.

    Names: "SimpleMindedPlayer2" in WAR 2017, section III.E, step 3.
    """

    def _dare(self, hand: Cards, others: Cards, at_war: NDArray[np.bool_]) -> Ranks:
        return _highest(hand)


class WeightedCards(WarPlayer):
    """Draws a card: most likely one that is sure to win or, in a war, its highest.

    Each card of the hand has a weight, and is drawn with a probability in proportion to it. In a round the weight is
    `SURE` for a card above all cards of the other players. It is `TIE` for a card equal to the highest of them, if the
    hand has `discards` + 2 cards or more. In a war it discards its lowest cards, and the weight is `AT_WAR` for its
    highest card. All other cards have weight 1.

    None of the strategies of the paper's program beats it on the full deck with 99 % confidence, with two players or
    alone against ten of it; the adversary of the text does (`python -m lab.benchmarks.war_unbeaten`). The three weights
    were selected on other simulated games.
    """

    SURE, TIE, AT_WAR = 30.0, 7.0, 50.0

    def _mix(self, hand: Cards, others: Cards, at_war: NDArray[np.bool_], pot: Cards) -> NDArray[np.float64]:
        top, ranks = _highest(others).max(axis=1)[:, None], np.arange(self._game.ranks)
        can_tie = hand.sum(axis=1, keepdims=True) >= self._game.discards + 2
        in_round = np.where(ranks > top, self.SURE, np.where((ranks == top) & can_tie, self.TIE, 1.0))
        in_war = np.where(ranks == _highest(hand)[:, None], self.AT_WAR, 1.0)
        weights = np.maximum(hand, 0) * np.where(at_war[:, None], in_war, in_round)
        return np.asarray(weights / np.maximum(weights.sum(axis=1, keepdims=True), 1.0))


def _highest(cards: Cards, nth: int = 1) -> Ranks:
    """Returns the rank of the highest card (second highest with `nth` 2, ...), or -1 if there are too few."""
    at_least = cards[..., ::-1].cumsum(axis=-1) >= nth  # counts cards at or above each rank, from the top
    return np.asarray(at_least.sum(axis=-1) - 1)


def _lowest_above(hand: Cards, rank: Ranks | None = None) -> Ranks:
    """Returns the lowest held rank, or the lowest above `rank`; 0 if there is none."""
    held = hand > 0
    if rank is not None:
        held &= np.arange(hand.shape[1]) > rank[:, None]
    return np.asarray(held.argmax(axis=1))


def _upper(hand: Cards, discards: int) -> Cards:
    """Returns `[batch, ranks]`: the hand without its lowest cards."""
    up_to = np.maximum(hand.cumsum(axis=1) - discards, 0)
    return np.diff(up_to, axis=1, prepend=np.float32(0))


def _lowest_set(hand: Cards, discards: int) -> Ranks:
    """Returns `[batch]` indices of the set of the lowest cards, in the lexicographic order of all discards."""
    ranks, up_to = hand.shape[1], hand.cumsum(axis=1)
    after = _sets_after(ranks, discards)
    index = np.full(len(hand), comb(ranks + discards - 1, discards) - 1)
    for card in range(discards):
        index -= after[card, (up_to <= card).sum(axis=1)]
    return index


@cache
def _sets_after(ranks: int, discards: int) -> NDArray[np.int64]:
    """Returns `[discards, ranks]`: for each card of a set of discards, how many sets differ first there and are higher.

    The sum of this over a set's cards is the number of sets that come after it.
    """
    after = [
        [comb(ranks + discards - 2 - card - rank, discards - card) for rank in range(ranks)] for card in range(discards)
    ]
    return np.array(after, dtype=np.int64).reshape(discards, ranks)
