"""Evaluates policies in duels and Goofspiel: a sweep over the reachable positions, from the last trick to the first.

A position is a pair of hands and a context (see `stakes.py`) before a prize is turned up; a state has its prize turned
up. A layer holds the positions with the same number of cards left. Policies are queried in batches, once per
observation at a reachable undecided state. If all policies declare `by_words` (they play the same in all states with
the same interleaving), or the game shows interleavings, pairs of hands are packed, so there are far fewer.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from baselines.oracles.answers.estimates import WORTH_SAYING, announce
from baselines.oracles.answers.protocol import BATCH
from baselines.oracles.rank_games.sizes import (
    MOST_GAMES,
    MOST_REACHED,
    MOST_REACHED_CARDS,
    MOST_STATES,
    matrix_games,
    require_matrix_games,
    require_size,
    require_states,
)
from baselines.oracles.rank_games.solver import GoofspielTable
from baselines.oracles.rank_games.stakes import (
    Context,
    PrizeRules,
    next_stakes,
    rest_of_observations,
    scoring_of,
)
from baselines.oracles.rank_games.word_policy import plays_by_words
from baselines.system.threads import map_in_threads, processors
from cardwar_envs.core.kernels import kernels
from cardwar_envs.core.policy import Policy, checked_probabilities
from cardwar_envs.games.duel import Duel
from cardwar_envs.games.duel.interleaving import interleaving
from cardwar_envs.games.goofspiel import Goofspiel

# In plain Python, for a single thread.
SECONDS_PER_JOINT_ACTION = 2e-5
# CPU time per matrix game, compiled, by mode (ASKED, UNIFORM, SOLVED).
SECONDS_PER_GAME = (0.0, 0.8e-6, 2e-6)
# Pieces of a layer whose answers are held at once, per thread.
PIECES_PER_THREAD = 2

# Both players' answers, `[states, ranks]`, or `[1, ranks]` where no policy is queried.
Answers = tuple[NDArray[np.float64], NDArray[np.float64]]
Piece = tuple[int, int]  # a range of pairs


def kernel(seconds: float) -> Any:
    """Returns the kernels, compiled only if the work would take plain Python (about `seconds`) too long."""
    return kernels("baselines.oracles.rank_games.evaluation_kernel", seconds)


class Shape(NamedTuple):
    """How pairs of hands are stored, for compiled code.

    Attributes:
        ranks: Number of ranks in a row.
        packed: Whether ranks are renumbered after every trick.
        symmetric: Whether a pair and its mirror image are one row, because both seats start alike and play alike.
    """

    ranks: int
    packed: bool
    symmetric: bool


class Layer(NamedTuple):
    """The reachable undecided positions with the same number of cards left; arrays as in `evaluation_kernel.py`.

    Attributes:
        cards: The number of cards left.
        rows: `[pairs, width]` pairs of hands.
        marks: `[pairs, words]` the contexts that are reached, and numbers of positions.
        positions: The number of positions.
        prizes: The number of prizes that can be turned up.
        rules: What is at stake.
        rest: `[contexts * prizes, 2 seats, rest]`: what each player sees besides the hands.
    """

    cards: int
    rows: NDArray[np.uint8]
    marks: NDArray[np.int64]
    positions: int
    prizes: int
    rules: PrizeRules
    rest: NDArray[np.float32]

    @property
    def states(self) -> int:
        """The number of states."""
        return self.positions * self.prizes

    def table(self) -> NDArray[np.int32]:
        """Returns the hash table of the rows."""
        table = np.full(1 << (2 * len(self.rows)).bit_length(), -1, dtype=np.int32)
        kernel(1e-6 * len(self.rows)).fill_table(self.rows.view(np.uint64), len(self.rows), table)
        return table

    def pieces(self) -> list[Piece]:
        """Cuts the pairs into pieces of about `BATCH` states."""
        first = (self.marks[:, 0] >> 32) * self.prizes
        cuts = np.unique(np.searchsorted(first, np.arange(0, max(self.states, 1), BATCH)))
        return list(pairwise([*cuts[cuts < len(self.rows)].tolist(), len(self.rows)]))

    def queries(self, piece: Piece) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Returns the pair, context, and row of `rest` of each state of some pairs."""
        first = np.append(self.marks[:, 0] >> 32, self.positions)
        pairs, contexts = np.empty((2, first[piece[1]] - first[piece[0]]), dtype=np.int64)
        kernel(1e-6 * self.marks.size).list_positions(self.marks, *piece, pairs, contexts)
        pairs, contexts = np.repeat(pairs, self.prizes), np.repeat(contexts, self.prizes)
        return pairs, contexts, contexts * self.prizes + np.arange(len(pairs)) % max(self.prizes, 1)


class Evaluation:
    """Two policies in a duel or in Goofspiel, and best responses to them.

    Args:
        game: The rules.
        policies: One per seat; None for a policy that is not queried.
        outcomes: Whether to compute the probabilities of winning and losing, too.
        sparse: Whether to visit only states that the policies reach; a player without a policy can play any card.
            Then a best response is found only for such a player.
        most: Maximum number of states.

    Attributes:
        asked: Queries so far.

    Raises:
        ValueError: If there are too many states.
    """

    def __init__(
        self,
        game: Duel | Goofspiel,
        policies: Sequence[Policy | None],
        *,
        outcomes: bool = False,
        sparse: bool = False,
        most: int | None = None,
    ) -> None:
        self.game, self._policies, self._outcomes, self._sparse = game, policies, outcomes, sparse
        self.packed = game.view == "word" or all(plays_by_words(each) for each in policies if each is not None)
        self._mode, self._most = self._mode_and_limit(most)
        shown = game.keeps_score and not (isinstance(game, Duel) and self.packed and game.payoff == "margin")
        self.scoring = scoring_of(game, scored=outcomes or shown, shown=shown)
        alike = policies[0] is policies[1] or (self._mode != kernel(0.0).ASKED and None not in policies)
        ranks, same_hands = game.facts.num_actions, np.array_equal(*self._start)
        self._shape = Shape(ranks, self.packed, not sparse and alike and same_hands)
        self._held: dict[tuple[int, int], list[Any]] = {}
        self.asked, self._asking = 0, 0.0

    def _mode_and_limit(self, most: int | None) -> tuple[int, int]:
        """Returns where strategies come from, and the limit on states.

        Uniform play in Goofspiel needs no queries, and an equilibrium too large to query is recomputed.
        """
        game, modes = self.game, kernel(0.0)
        if isinstance(game, Duel):
            if not self.packed:
                require_size(game)
            return modes.ASKED, most or MOST_STATES
        if self._sparse:
            if game.num_cards > MOST_REACHED_CARDS:
                raise ValueError(
                    f"num_cards ({game.num_cards}) must be at most {MOST_REACHED_CARDS} to measure a policy on cards "
                    "exactly"
                )
            return modes.ASKED, MOST_REACHED
        if not self.packed:
            require_states(game, most or MOST_STATES)
            return modes.ASKED, most or MOST_STATES
        paid = replace(game, payoff="win") if self._outcomes else game
        asked = {id(each): each for each in self._policies if each is not None}
        queries = 2 * len(asked)
        if len(asked) and all(getattr(each, "plays_uniformly", False) for each in asked.values()):
            mode = modes.UNIFORM
        elif queries * matrix_games(paid) > MOST_STATES and all(map(self._is_equilibrium, asked.values())):
            mode = modes.SOLVED
        else:
            require_matrix_games(paid, (most or MOST_STATES) // queries, f"can be queried {queries} times each")
            return modes.ASKED, most or MOST_STATES
        require_matrix_games(paid, most or MOST_GAMES, "can be evaluated")
        return mode, most or MOST_GAMES

    def _is_equilibrium(self, policy: Policy) -> bool:
        table = getattr(policy, "table", None)
        return isinstance(table, GoofspielTable) and replace(table.game, view=self.game.view) == self.game

    @cached_property
    def _start(self) -> tuple[list[int], list[int]]:
        """Both players' cards of each rank at the start."""
        game = self.game
        ranks = game.ranks if isinstance(game, Duel) else game.cards
        hands = game.hands if isinstance(game, Duel) else (game.cards, game.cards)
        if self.packed:
            hands, ranks = interleaving(hands), tuple(range(len(ranks)))
        own, other = ([hand.count(rank) for rank in ranks] for hand in hands)
        return own, other

    # -- from the start to the end -----------------------------------------------------------------

    @cached_property
    def layers(self) -> list[Layer]:
        """The layers from one card left to all."""
        cards, begin, states = sum(self._start[0]), time.perf_counter(), 0
        prizes = self.game.cards if isinstance(self.game, Goofspiel) else (1,) * cards
        contexts = [Context(prizes)]
        counts = [*self._start[0], *self._start[1]]
        rows = np.zeros((1, -(-len(counts) // 8) * 8), dtype=np.uint8)
        rows[0, : len(counts)] = counts
        marks, found = np.ones((1, 1), dtype=np.int64), []
        for left in range(cards, 0, -1):
            positions = int(kernel(1e-5 * marks.size).number_positions(marks))
            words = np.bitwise_or.reduce(marks, axis=0, initial=0).astype(np.uint32)
            reached = np.flatnonzero(np.unpackbits(words.view(np.uint8), bitorder="little"))
            stakes, following = next_stakes(self.scoring, contexts, [contexts[each] for each in reached])
            rest = rest_of_observations(self.game, self.scoring, contexts)
            layer = Layer(left, rows, marks, positions, int(stakes.rules.turned.max(initial=0)), stakes.rules, rest)
            states += layer.states
            if states > self._most:
                raise ValueError(f"{self.game.facts.name} has more than {self._most:,} undecided states")
            if self._sparse and (watch := time.perf_counter() - begin) > WORTH_SAYING:
                print(f"{left} cards left: {states:,} states reached, {watch:.0f} s", file=sys.stderr, flush=True)
            found.append(layer)
            if left > 1:
                rows, marks = self._expanded(layer, max(-(-len(following) // 32), 1))
            contexts = following
        return found[::-1]

    def _expanded(self, layer: Layer, words: int) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
        """Returns the rows and marks that follow a layer."""
        width = layer.rows.shape[1]
        grown = np.zeros((1024, width), np.uint8), np.zeros((1024, words), np.int64), np.full(2048, -1, np.int32), 0
        for piece in layer.pieces() if self._sparse else [(0, len(layer.rows))]:
            answers = self._answers(layer, piece) if self._sparse else (np.zeros((0, 1)), np.zeros((0, 1)))
            pairs = piece[1] - piece[0]
            grown = kernel(
                SECONDS_PER_JOINT_ACTION * (layer.states if self._sparse else pairs) * layer.cards**2
            ).expand(self._shape, layer.rules, *piece, layer.rows, layer.marks, *answers, *grown, self._most)
        rows, marks, _, count = grown
        return rows[:count].copy(), marks[:count].copy()

    # -- from the end to the start -----------------------------------------------------------------

    def results(self, choices: list[NDArray[np.int16]] | None = None) -> list[float]:
        """Evaluates the policies by backward induction.

        `choices` receives, layer by layer, the best ranks of both players at every state, `[states, 2]`.

        Returns:
            Payoff points to player 0: with its best response, against player 1's best response, and if both follow
            their policies. With `outcomes` also the probabilities that it gets more, and less, than player 1.

        Raises:
            ValueError: If an answer is not a behaviour strategy, or there are too many states.
        """
        states = sum(layer.states for layer in self.layers)
        announce(f"{states:,} matrix games", states * SECONDS_PER_GAME[self._mode] / processors())
        width = self.layers[-1].rows.shape[1]
        below_arrays = np.zeros((1, width), np.uint8), np.zeros((1, 1), np.int64), np.full(2, -1, np.int32)
        values = np.zeros((1, 5 if self._outcomes else 3))
        for layer in self.layers:
            below, values = values, np.empty((layer.positions, values.shape[1]))
            best = np.empty((layer.states if choices is not None else 0, 2), dtype=np.int16)
            compute = kernel(SECONDS_PER_JOINT_ACTION * layer.states * layer.cards**2)

            def work(
                task: tuple[Piece, Answers],
                compute: Any = compute,
                before: Any = (layer.rules,),
                after: Any = (layer.rows, layer.marks, *below_arrays, below),
                into: Any = (values, best),
            ) -> None:
                piece, answers = task
                compute.evaluate(self._shape, self._mode, *before, *piece, *after, *answers, *into)

            pieces = layer.pieces()
            size = PIECES_PER_THREAD * processors() if self._mode == compute.ASKED else len(pieces)
            for begin in range(0, len(pieces), max(size, 1)):
                tasks = [(piece, self._answers(layer, piece)) for piece in pieces[begin : begin + size]]
                for _ in map_in_threads(work, tasks):
                    pass
            if choices is not None:
                choices.append(best)
            below_arrays = layer.rows, layer.marks, layer.table()
        results: list[float] = values[0].tolist()
        return results

    # -- querying policies -----------------------------------------------------------------------

    def _answers(self, layer: Layer, piece: Piece) -> Answers:
        """Returns both players' answers at the states of some pairs; sparse answers are held from sweep to sweep."""
        held = self._held.pop((layer.cards, piece[0]), None)
        if held is not None:
            first, second = (_unpacked(*each) for each in held)
            return first, second
        anything = np.ones((1, self._shape.ranks))
        if self._mode != kernel(0.0).ASKED:
            return anything, anything
        pairs, contexts, rest = layer.queries(piece)
        policy_0, policy_1 = self._policies
        answer_0 = anything if policy_0 is None else self._ask(policy_0, 0, layer, pairs, rest)
        if policy_1 is None:
            answer_1 = anything
        elif self._shape.symmetric:
            hands = layer.rows[pairs, : 2 * self._shape.ranks].reshape(len(pairs), 2, -1)
            # At a state that is its own mirror image, both players see the same.
            other = ~(layer.rules.own[contexts] & (hands[:, 0] == hands[:, 1]).all(axis=1))
            answer_1 = answer_0.copy()
            answer_1[other] = self._ask(policy_1, 1, layer, pairs[other], rest[other])
        else:
            answer_1 = self._ask(policy_1, 1, layer, pairs, rest)
        if self._sparse:
            self._held[layer.cards, piece[0]] = [_packed(answer_0), _packed(answer_1)]
        return answer_0, answer_1

    def _ask(
        self, policy: Policy, seat: int, layer: Layer, pairs: NDArray[np.int64], rest: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        ranks, begin = self._shape.ranks, time.perf_counter()
        answer = np.empty((len(pairs), ranks))
        for first in range(0, len(pairs), BATCH):
            some = slice(first, first + BATCH)
            hands = layer.rows[pairs[some], : 2 * ranks]
            own, other = (hands[:, each * ranks : (each + 1) * ranks] for each in (seat, 1 - seat))
            seen = np.concatenate((own, other, layer.rest[rest[some], seat]), axis=1, dtype=np.float32)
            answer[some] = checked_probabilities(policy, seen, (own > 0).astype(np.int8))
        before, self.asked = self.asked, self.asked + len(pairs)
        self._asking += time.perf_counter() - begin
        if not self._sparse and before < BATCH <= self.asked:  # once, after the first queries
            queries = sum(each is not None for each in self._policies) * sum(each.states for each in self.layers)
            announce(f"{queries:,} queries", self._asking / self.asked * queries)
        return answer


def _packed(answers: NDArray[np.float64]) -> tuple[NDArray[np.int32], NDArray[np.float64], tuple[int, ...]]:
    """Stores answers without their zeros."""
    places = np.flatnonzero(answers)
    return places.astype(np.int32), answers.ravel()[places], answers.shape


def _unpacked(places: NDArray[np.int32], probabilities: NDArray[np.float64], shape: tuple[int, ...]) -> NDArray[Any]:
    answers = np.zeros(shape)
    answers.ravel()[places] = probabilities
    return answers
