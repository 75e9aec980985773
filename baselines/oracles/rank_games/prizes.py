"""Computes all values of Goofspiel, layer by layer, on the same interleavings as for duels (see `layers.py`).

A position is an interleaving and a *context*: the prizes left and, if they matter, the score and carried points. Its
value is the expectation before the next prize is turned up. A layer has every interleaving in every context.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from baselines.matrix_game import solve_matrix
from baselines.matrix_game.limits import RELATIVE_GAP
from baselines.oracles.rank_games.engine import PrizeRules, ValueLayer, kernel
from baselines.oracles.rank_games.interleavings import packed_interleaving
from baselines.oracles.rank_games.layers import Layers, Size
from baselines.oracles.rank_games.read_only import read_only
from baselines.oracles.rank_games.strategies import Games
from cardwar_envs.games.duel.interleaving import Hand
from cardwar_envs.games.goofspiel import Goofspiel, GoofspielState
from cardwar_envs.games.goofspiel.state import next_prizes


class Context(NamedTuple):
    """All that matters besides the hands before a prize is turned up; fields as in `GoofspielState`."""

    prizes: Hand
    score: int = 0
    carried: int = 0

    @property
    def swapped(self) -> Context:
        """The context with the seats swapped."""
        return self._replace(score=-self.score)


class Stakes(NamedTuple):
    """The contexts of a layer by number, and the rules for compiled code."""

    contexts: dict[Context, int]
    rules: PrizeRules


def stakes_of(game: Goofspiel, start: Context) -> list[Stakes]:
    """Returns the contexts of each layer that can follow a start, from all cards left down to none."""
    layers = [list(dict.fromkeys((start, start.swapped)))]
    for _ in start.prizes:
        following: dict[Context, None] = {}
        for context in layers[-1]:
            for _, prize, left in next_prizes(game.prizes, context.prizes):
                for outcome in _outcomes(game, context, prize, left):
                    if outcome[1] is not None:
                        following |= {outcome[1]: None, outcome[1].swapped: None}
        layers.append(sorted(following))
    numbered = [{context: number for number, context in enumerate(layer)} for layer in layers]
    return [Stakes(numbered[k], _rules(game, numbered[k], numbered[k + 1])) for k in range(len(start.prizes))]


def shown(game: Goofspiel, contexts: Iterable[Context]) -> NDArray[np.float32]:
    """Returns `[places, 2 seats, rest of the observation]`: the observation except the hands.

    Each context and prize that can be turned up has a place.
    """
    rows = []
    for prizes, score, carried in contexts:
        for _, prize, left in next_prizes(game.prizes, prizes):
            later = [float(card in left) for card in game.cards]
            points = [float(carried)] if game.ties == "carry" else []
            scores = [[score], [-score]] if game.keeps_score else [[], []]
            rows.append([[*later, prize, *own, *points] for own in scores])
    return np.array(rows, dtype=np.float32)


def _outcomes(game: Goofspiel, context: Context, prize: int, left: Hand) -> list[tuple[float, Context | None]]:
    """Returns the points paid to player 0, and the next context, if nobody, player 0 or player 1 wins a prize.

    The next context is None if the game is settled; the payment then includes all remaining ones.
    """
    outcomes: list[tuple[float, Context | None]] = []
    stake = prize + context.carried
    for won in (0, stake, -stake):
        carried = stake if won == 0 and game.ties == "carry" else 0
        score = context.score + won if game.keeps_score else 0
        paid = 0.0 if game.keeps_score else float(won)
        if not left or (game.keeps_score and abs(score) > sum(left) + carried):
            outcomes.append((paid + float(np.sign(score)), None))
        else:
            outcomes.append((paid, Context(left, score, carried)))
    return outcomes


def _rules(game: Goofspiel, contexts: dict[Context, int], below: dict[Context, int]) -> PrizeRules:
    turned = [next_prizes(game.prizes, context.prizes) for context in contexts]
    most = max(map(len, turned))
    paid, following = np.zeros((len(contexts), most, 3)), np.full((len(contexts), most, 3), -1)
    for number, (context, prizes) in enumerate(zip(contexts, turned, strict=True)):
        for place, (_, prize, left) in enumerate(prizes):
            for winner, (points, after) in enumerate(_outcomes(game, context, prize, left)):
                paid[number, place, winner] = points
                following[number, place, winner] = -1 if after is None else below[after]
    rules = PrizeRules(
        turned=np.array([len(prizes) for prizes in turned]),
        paid=paid,
        following=following,
        swapped=np.array([below[context.swapped] for context in below], dtype=np.int64),
        own=np.array([context == context.swapped for context in contexts]),
        tolerance=RELATIVE_GAP * (1.0 if game.keeps_score else 4 * game.num_cards),  # the errors of all layers add up
    )
    return read_only(rules)


class GoofspielLayers(Layers[GoofspielState]):
    """The layers of Goofspiel from a start, before or after its prize is turned up.

    Args:
        game: The rules.
        start: A state; `solve` computes the values for every prize that could be turned up there.
    """

    def __init__(self, game: Goofspiel, start: GoofspielState, **more: Any) -> None:
        self._stakes = stakes_of(game, Context(prizes_of(start), start.score, start.carried))[::-1]
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


def prizes_of(state: GoofspielState) -> Hand:
    """Returns the prizes not won yet, ascending, including the one turned up."""
    return tuple(sorted((state.prize, *state.prizes)))
