"""Computes all values of Goofspiel, layer by layer, on the same interleavings as for duels (see `layers.py`).

A position is an interleaving and a *context*: the prizes left and, if they matter, the score and carried points. Its
value is the expectation before the next prize is turned up. A layer has every interleaving in every context.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from baselines.matrix_game import solve_matrix
from baselines.matrix_game.limits import RELATIVE_GAP
from baselines.oracles.rank_games.engine import ValueLayer, kernel
from baselines.oracles.rank_games.interleavings import packed_interleaving, read_only
from baselines.oracles.rank_games.layers import Layers, Size
from baselines.oracles.rank_games.positions import Context, PrizeRules, Scoring, both_ways, next_stakes, scoring_of
from baselines.oracles.rank_games.strategies import Games
from cardwar_envs.games.duel.interleaving import Hand
from cardwar_envs.games.goofspiel import Goofspiel, GoofspielState
from cardwar_envs.games.goofspiel.state import next_prizes


class Stakes(NamedTuple):
    """The contexts of a layer by number, and the rules for compiled code."""

    contexts: dict[Context, int]
    rules: PrizeRules


class GoofspielLayers(Layers[GoofspielState]):
    """The layers of Goofspiel from a start, before or after its prize is turned up.

    Args:
        game: The rules.
        start: A state; `solve` computes the values for every prize that could be turned up there.
    """

    def __init__(self, game: Goofspiel, start: GoofspielState, **more: Any) -> None:
        scoring = scoring_of(game, scored=game.keeps_score, shown=game.keeps_score)
        most = 1.0 if game.payoff == "win" else 4.0 * game.facts.num_actions  # the errors of all layers add up
        context = Context(prizes_of(start), start.score, start.carried)
        self._stakes = stakes_of(scoring, context, RELATIVE_GAP * most)[::-1]
        games = np.mean([stakes.rules.turned.sum() for stakes in self._stakes])  # per interleaving
        # Contexts include the carried points and the score.
        super().__init__(start, RELATIVE_GAP, work=float(games), **more)
        self._order = game.prizes

    def _size(self, cards: int, size: Size) -> Size:
        turned = self._stakes[cards - 1].rules.turned
        return size._replace(values=size.values * len(turned), games=size.games * int(turned.sum()))

    def stakes(self, cards: int) -> Stakes:
        """Returns the contexts of the layer with this many cards left."""
        return self._stakes[cards - 1]

    def rules_of(self, cards: int) -> PrizeRules:
        return self._stakes[cards - 1].rules

    def _solve_failed(self, missing: list[int], layer: ValueLayer) -> float:
        word, context, prize = missing
        rules = self.rules_of(layer.cards)
        solution = solve_matrix(self._matrix(word, context, prize, layer.cards))
        place, _ = kernel(1e-5).place_of(word, 0, 0, self.letters, self._rules, read_only(layer))
        layer.values[place * len(rules.turned) + context] += solution.value / rules.turned[context]
        return solution.gap

    def matrix(self, state: GoofspielState) -> NDArray[np.float64] | None:
        cards, context = len(state.hands[0]), Context(prizes_of(state), state.score, state.carried)
        if cards > len(self._stakes) or cards - 1 not in self._layers:
            return None
        number = self._stakes[cards - 1].contexts.get(context)
        if number is None:
            return None
        try:
            word = packed_interleaving(state.hands, self.letters)
        except ValueError:
            return None
        if cards in self._layers:
            place, _ = kernel(1e-5).place_of(word, 0, 0, self.letters, self._rules, self._layers[cards])
            if place < 0:
                return None
        return self._matrix(word, number, self._place(context, state.prize), cards)

    def _place(self, context: Context, prize: int) -> int:
        """Returns the index of a prize among those that can be turned up."""
        return [turned for _, turned, _ in next_prizes(self._order, context.prizes)].index(prize)

    def games_of(self, states: Sequence[GoofspielState]) -> Games | None:
        """Returns the matrix games at states with the same number of cards left, given as hands and scores.

        None if a required layer is not kept.
        """
        cards = len(states[0].hands[0])
        if not self.has_games(cards):
            return None
        prizes = [prizes_of(state) for state in states]
        places = np.array([self._place(Context(all_), state.prize) for all_, state in zip(prizes, states, strict=True)])

        def games(rows: NDArray[np.int64], scores: NDArray[np.int64]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
            found = zip(prizes, scores.tolist(), (state.carried for state in states), strict=True)
            contexts = np.array([self._stakes[cards - 1].contexts.get(Context(*context), -1) for context in found])
            return self.games(cards, rows, contexts, places)

        return games


def stakes_of(scoring: Scoring, start: Context, tolerance: float) -> list[Stakes]:
    """Returns the stakes of each layer that can follow a start, from all cards left down to one."""
    contexts, layers = both_ways([start]), []
    for _ in start.prizes:
        numbers = {context: number for number, context in enumerate(contexts)}
        rules, contexts = next_stakes(scoring, contexts, numbers.values())
        layers.append(Stakes(numbers, read_only(rules._replace(tolerance=tolerance))))
    return layers


def prizes_of(state: GoofspielState) -> Hand:
    """Returns the prizes not won yet, ascending, including the one turned up."""
    return tuple(sorted((state.prize, *state.prizes)))
