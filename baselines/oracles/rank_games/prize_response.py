"""Evaluates policies in Goofspiel, layer by layer, on the interleavings and contexts of `prizes.py`.

Policies must play the same in all states with the same interleaving. Policies are queried in batches, once per
observation at a reachable undecided state. Uniform play needs no queries; an equilibrium too large to query is
recomputed.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from baselines.oracles.answers.estimates import announce
from baselines.oracles.answers.protocol import BATCH
from baselines.oracles.rank_games.engine import PrizeRules, ValueLayer, work_for
from baselines.oracles.rank_games.prizes import Context, GoofspielLayers, prizes_of, shown
from baselines.oracles.rank_games.read_only import read_only
from baselines.oracles.rank_games.response_policy import RankResponse
from baselines.oracles.rank_games.sizes import MOST_STATES, matrix_games, require_matrix_games
from baselines.oracles.rank_games.solver import GoofspielTable
from baselines.oracles.rank_games.strategies import letter_numbers
from baselines.system.threads import map_in_threads, processors
from cardwar_envs.core.kernels import kernels
from cardwar_envs.core.policy import Policy, checked_probabilities
from cardwar_envs.games.goofspiel import Goofspiel
from cardwar_envs.games.goofspiel.state import next_prizes

# Limit on matrix games evaluated without queries: 13 cards in random order have 1.3 billion.
MOST_GAMES = 2_000_000_000
# Time per joint action in plain Python.
SECONDS_PER_JOINT_ACTION = 2e-5
PIECES_PER_THREAD = 8
# CPU time per matrix game, compiled, by mode (ASKED, UNIFORM, SOLVED).
SECONDS_PER_GAME = (0.0, 0.8e-6, 2e-6)


def kernel(seconds: float) -> Any:
    """Returns the kernels, compiled only if the work would take plain Python (about `seconds`) too long."""
    return kernels("baselines.oracles.rank_games.prize_response_kernel", seconds)


class PrizeLayer(NamedTuple):
    """A layer of `PrizePlay`.

    Attributes:
        layer: Its layout.
        words: `[rows]`, the interleaving of each row.
        contexts: The contexts by number.
        rules: The stakes.
        shown: `[queries of a row, 2 seats, rest of the observation]`: the observation except the hands, for each
            context and turned-up prize.
    """

    layer: ValueLayer
    words: NDArray[np.int64]
    contexts: dict[Context, int]
    rules: PrizeRules
    shown: NDArray[np.float32]


class PrizePlay:
    """Two policies in Goofspiel, and best responses to them.

    Args:
        game: The rules.
        policies: One per seat; they must play the same in all states with the same interleaving.
        outcomes: Whether to compute which player gets more points, instead of the payoffs.
        most: Maximum number of queries (`MOST_STATES` by default), or of matrix games if no queries are needed
            (`MOST_GAMES` by default).

    Attributes:
        games: Approximate number of matrix games.
        letters: The alphabet of the interleavings.

    Raises:
        ValueError: If there are too many states.
    """

    def __init__(
        self, game: Goofspiel, policies: Sequence[Policy], *, outcomes: bool = False, most: int | None = None
    ) -> None:
        self.game, self._outcomes = game, outcomes
        self._asked, self._asking = 0, 0.0
        self._policies = list({id(policy): policy for policy in policies}.values())
        paid = replace(game, payoff="win") if outcomes else game
        self.games = matrix_games(paid)
        self._mode = self._chosen_mode(policies)
        if self._mode == kernel(0.0).ASKED:
            queries = 2 * len(self._policies)
            require_matrix_games(paid, (most or MOST_STATES) // queries, f"can be queried {queries} times each")
        else:
            require_matrix_games(paid, most or MOST_GAMES, "can be evaluated")
        self._layers = GoofspielLayers(paid, game.initial()[0].state)
        self.letters = read_only(self._layers.letters)

    def _chosen_mode(self, policies: Sequence[Policy]) -> int:
        modes = kernel(0.0)
        mode = modes.ASKED
        if all(getattr(each, "plays_uniformly", False) for each in policies):
            mode = modes.UNIFORM
        elif 2 * len(self._policies) * self.games > MOST_STATES and all(map(self._is_equilibrium, policies)):
            mode = modes.SOLVED
        if mode != modes.ASKED:
            self._policies = self._policies[:1]  # the same in both seats
        return int(mode)

    def _is_equilibrium(self, policy: Policy) -> bool:
        table = getattr(policy, "table", None)
        return isinstance(table, GoofspielTable) and replace(table.game, view=self.game.view) == self.game

    def layer(self, cards: int) -> PrizeLayer:
        """Returns the layer with this many cards left, from 1 to a full hand."""
        layer, (contexts, rules) = read_only(self._layers.empty_layer(cards)), self._layers.stakes(cards)
        words = np.empty(len(layer.base), dtype=np.int64)
        kernel(1e-5 * len(layer.row_of)).list_words(self.letters, layer, words)
        return PrizeLayer(layer, words, contexts, rules, shown(self.game, contexts))

    def results(self, choices: list[NDArray[np.int8]] | None = None) -> list[float]:
        """Evaluates the policies by backward induction.

        `choices` receives, layer by layer, the best ranks at every state, `[queries, pairings, 2]`.

        Returns:
            Payoff points to player 0: with its best response, against player 1's best response, and if both follow
            their policies; with `outcomes` also the probability that either player gets more points.

        Raises:
            ValueError: If an answer is not a behaviour strategy.
        """
        if self._mode != kernel(0.0).ASKED:
            announce(f"{self.games:,} matrix games", self.games * SECONDS_PER_GAME[self._mode] / processors())
        pairings, columns = len(self._policies), 4 if self._outcomes else 3
        below = self._layers.empty_layer(0)
        values = np.zeros((1, pairings, columns))
        reached = self._reached() if self._mode == kernel(0.0).ASKED else None
        for cards in range(1, self.game.num_cards + 1):
            here = self.layer(cards)
            values_below, values = values, np.empty((len(here.words) * len(here.contexts), pairings, columns))
            best = np.empty((len(here.words) * len(here.shown) if choices is not None else 0, pairings, 2), np.int8)
            self._evaluate(
                here, read_only(below), values_below, values, best, None if reached is None else reached[cards - 1]
            )
            if choices is not None:
                choices.append(best)
            below = here.layer
        results: list[float] = values[0, 0].tolist()
        return results

    def _evaluate(
        self,
        here: PrizeLayer,
        below: ValueLayer,
        values_below: NDArray[np.float64],
        values: NDArray[np.float64],
        best: NDArray[np.int8],
        reached: NDArray[np.uint8] | None,
    ) -> None:
        queries, cards = len(here.shown), here.layer.cards
        compute = kernel(SECONDS_PER_JOINT_ACTION * len(here.words) * queries * cards**2)
        size = max(BATCH // queries, 1)
        if reached is None:
            size = max(-(-len(here.words) // (PIECES_PER_THREAD * processors())), 1)

        def work(first: int) -> None:
            words = here.words[first : first + size]
            some = slice(first * queries, (first + len(words)) * queries)
            answers = np.zeros((1, 2, 0, 0))
            if reached is not None:
                answers = self._answers(
                    here, words, reached[first * len(here.contexts) :][: len(words) * len(here.contexts)]
                )
            compute.evaluate(
                self._mode, first, words, self.letters, here.rules, below, work_for(cards, compute),
                values_below, answers, values, best[some],
            )  # fmt: skip

        starts = range(0, len(here.words), size)
        for _ in map_in_threads(work, starts, 1 if reached is not None else None):  # policies may not be thread-safe
            pass

    # -- querying policies -----------------------------------------------------------------------

    def _reached(self) -> list[NDArray[np.uint8]]:
        """Returns, per layer from one card left to all, `[rows * contexts]`: whether a reachable state is undecided."""
        here, marks = self.layer(self.game.num_cards), [np.ones(1, dtype=np.uint8)]
        for cards in range(self.game.num_cards, 1, -1):
            below = self.layer(cards - 1)
            compute = kernel(SECONDS_PER_JOINT_ACTION * len(here.words) * len(here.shown) * cards**2)
            following = np.zeros(len(below.words) * len(below.contexts), dtype=np.uint8)
            compute.reach(
                here.words, self.letters, here.rules, below.layer, work_for(cards, compute), marks[-1], following
            )
            places, held = following.reshape(len(below.words), -1), self._held(below.words)
            own = (held[:, 0] == held[:, 1]).all(
                axis=1
            )  # its own mirror image, so it is also reachable with the seats swapped
            places[own] |= places[own][:, here.rules.swapped]
            marks.append(following)
            here = below
        return marks[::-1]

    def _held(self, words: NDArray[np.int64]) -> NDArray[np.int64]:
        """Returns `[words, 2, ranks]`: each player's cards of each rank of the packed hands."""
        counts = np.zeros((len(words), 2, self.letters.length), dtype=np.int64)
        kernel(1e-5 * counts.size).spell_out(words, self.letters, counts)
        return counts

    def _answers(self, here: PrizeLayer, words: NDArray[np.int64], reached: NDArray[np.uint8]) -> NDArray[np.float64]:
        """Queries the policies: `[policies, 2 seats, queries, ranks]` probabilities, 0 at unreachable states."""
        ranks, queries = self.game.num_cards, len(here.shown)
        counts = self._held(words)
        asked = np.flatnonzero(np.repeat(reached.reshape(len(words), -1), here.rules.turned, axis=1))
        answers = np.zeros((len(self._policies), 2, len(words) * queries, ranks))
        for seat in (0, 1):
            held = counts[:, [seat, 1 - seat], :ranks].reshape(len(words), -1)
            seen = np.concatenate((held[asked // queries], here.shown[asked % queries, seat]), axis=1, dtype=np.float32)
            masks = (seen[:, :ranks] > 0).astype(np.int8)
            begin = time.perf_counter()
            for policy, answer in zip(self._policies, answers, strict=True):
                answer[seat, asked] = checked_probabilities(policy, seen, masks)
            self._estimate(len(asked), time.perf_counter() - begin)
        return answers

    def _estimate(self, asked: int, seconds: float) -> None:
        """Announces once, after the first queries, how long all of them take."""
        before = self._asked
        self._asked, self._asking = before + asked, self._asking + seconds
        if before < BATCH <= self._asked:
            announce(f"{2 * self.games:,} queries", self._asking / self._asked * 2 * self.games)


class PrizeResponse(RankResponse):
    """A best response in Goofspiel."""

    def __init__(self, play: PrizePlay, player: int, choices: Sequence[NDArray[np.int8]]) -> None:
        """Takes a play against the other player's policy, and its `choices` from one card left to all."""
        super().__init__(play.game, player, renumbers=True)
        self._rules, self._choices = play.game, choices
        self._letters, self._layers = play.letters, [play.layer(cards + 1) for cards in range(len(choices))]

    def _chosen(self, cards: int, hands: NDArray[np.float32], observations: NDArray[np.float32]) -> NDArray[np.int64]:
        here, best = self._layers[cards - 1], self._choices[cards - 1]
        places, swapped = np.empty(len(hands), dtype=np.int64), np.empty(len(hands), dtype=np.bool_)
        kernel(1e-4 * len(hands)).find(
            hands.astype(np.int64), self._rules.num_cards, letter_numbers(self._letters), self._letters, here.layer,
            places, swapped,
        )  # fmt: skip
        before, chosen = np.cumsum(here.rules.turned) - here.rules.turned, np.full(len(hands), -1, dtype=np.int64)
        for i in np.flatnonzero(places >= 0):
            state, _ = self._rules.state_of(observations[i])  # the observer in seat 0
            flipped = bool(swapped[i]) != (self._player == 1)
            context = Context(prizes_of(state), -state.score if flipped else state.score, state.carried)
            number = here.contexts.get(context)
            if number is not None:
                turned = [prize for _, prize, _ in next_prizes(self._rules.prizes, context.prizes)]
                query = places[i] * len(here.shown) + before[number] + turned.index(state.prize)
                chosen[i] = best[query, 0, self._player ^ int(swapped[i])]
        return chosen
