"""The oracle of duels in which only the order of ranks matters, and of Goofspiel: a sweep from the end to the start.

Policies are queried in batches, once per observation at a reachable undecided state (see `positions.py`). If all
policies declare `by_words` (they play the same in all states with the same interleaving), or the game shows
interleavings, pairs of hands are packed, so there are far fewer.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baselines.oracles.answers.estimates import announce
from baselines.oracles.answers.protocol import BATCH, Payoffs
from baselines.oracles.answers.results import BestResponse, HeadToHead
from baselines.oracles.rank_games.positions import (
    SECONDS_PER_JOINT_ACTION,
    Expand,
    Layer,
    Piece,
    Shape,
    expanded,
    kernel,
    reachable_layers,
    scoring_of,
    starting_counts,
)
from baselines.oracles.rank_games.reached import Explorer, reached_limit
from baselines.oracles.rank_games.response import RankResponse
from baselines.oracles.rank_games.sizes import (
    MOST_STATES,
    require_evaluable,
    require_matrix_games,
    require_size,
)
from baselines.oracles.rank_games.word_policy import check_by_words
from cardwar_envs.core.game import Game
from cardwar_envs.core.kernels import processors, run_in_threads
from cardwar_envs.core.policy import Policy, checked_probabilities
from cardwar_envs.games.duel import Duel
from cardwar_envs.games.goofspiel import Goofspiel

# CPU time per matrix game, compiled, of uniform play that is not queried.
SECONDS_PER_GAME = 0.8e-6

# Both players' answers, `[states, ranks]`, or `[1, ranks]` where no policy is queried.
Answers = tuple[NDArray[np.float64], NDArray[np.float64]]


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
        self.packed, asked = by_words(game, policies), [each for each in policies if each is not None]
        uniform = all(getattr(each, "plays_uniformly", False) for each in asked)
        self._uniform = uniform and self.packed and isinstance(game, Goofspiel)  # needs no queries
        self._most = self._limit(most)
        shown = game.keeps_score and not (isinstance(game, Duel) and self.packed and game.payoff == "margin")
        self.scoring = scoring_of(game, scored=outcomes or shown, shown=shown)
        alike = policies[0] is policies[1] or (self._uniform and None not in policies)
        same_hands = np.array_equal(*starting_counts(game, self.packed))
        self._shape = Shape(game.facts.num_actions, self.packed, not sparse and alike and same_hands)
        self.asked, self._asking = 0, 0.0
        self._answers = self._ask_both
        self._expanded: Expand = partial(expanded, self._shape, most=self._most)
        if sparse:
            explorer = Explorer(self._shape, self._most, self._ask_both)
            self._answers, self._expanded = explorer.answers, explorer.expanded

    def _limit(self, most: int | None) -> int:
        """Returns the limit on states."""
        if self._sparse:
            return reached_limit(self.game)
        if isinstance(self.game, Goofspiel):
            queried = 0 if self._uniform else 2 * len({id(each) for each in self._policies if each is not None})
            return require_evaluable(self.game, most, packed=self.packed, scored=self._outcomes, queries=queried)
        if not self.packed:
            require_size(self.game)
        return most or MOST_STATES

    @cached_property
    def layers(self) -> list[Layer]:
        """The layers from one card left to all."""
        return reachable_layers(self.game, self.scoring, self._shape, self._most, self._expanded)

    def results(self, choices: list[NDArray[np.int16]] | None = None) -> list[float]:
        """Evaluates the policies by backward induction.

        `choices` receives, layer by layer, the best ranks of both players at every state, `[states, 2]`.

        Returns:
            Payoff points to player 0: with its best response, against player 1's best response, and if both follow
            their policies. With `outcomes` also the probabilities that it gets more, and less, than player 1.

        Raises:
            ValueError: If an answer is not a behaviour strategy, or there are too many states.
        """
        if self._uniform:
            games = sum(layer.states for layer in self.layers)
            announce(f"{games:,} matrix games", games * SECONDS_PER_GAME / processors())
        width = self.layers[-1].rows.shape[1]
        below_arrays = np.zeros((1, width), np.uint8), np.zeros((1, 1), np.int64), np.full(2, -1, np.int32)
        values = np.zeros((1, 5 if self._outcomes else 3))
        for layer in self.layers:
            below, values = values, np.empty((layer.positions, values.shape[1]))
            best = np.empty((layer.states if choices is not None else 0, 2), dtype=np.int16)
            evaluate = partial(
                kernel(SECONDS_PER_JOINT_ACTION * layer.states * layer.cards**2).evaluate,
                *(self._shape, self._uniform, layer.rules, layer.rows, layer.marks, *below_arrays, below, values, best),
            )
            # While threads evaluate some pieces, policies are queried for the next.
            run_in_threads(evaluate, ((*piece, *self._answers(layer, piece)) for piece in layer.pieces()))
            if choices is not None:
                choices.append(best)
            below_arrays = layer.rows, layer.marks, layer.table()
        return [float(each) for each in values[0]]

    def _ask_both(self, layer: Layer, piece: Piece) -> Answers:
        """Returns both players' answers at the states of some pairs."""
        anything = np.ones((1, self._shape.ranks))
        if self._uniform:
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


def by_words(game: Duel | Goofspiel, policies: Sequence[Policy | None]) -> bool:
    """Returns whether only interleavings matter: the game shows no more, or the policies declare `by_words`.

    Interchangeable ranks then share one total probability, and the score does not matter if the margin is paid.
    """
    return game.view == "word" or all(getattr(each, "by_words", False) for each in policies if each is not None)


class RankOracle:
    """The `Oracle` of duels in which only the order of ranks matters, and of Goofspiel.

    Policies that declare `by_words` are measured on interleavings. In Goofspiel, others are measured at the states that
    they reach, or at all states if `max_states` is given.
    """

    def __init__(self, game: Game[Any], max_states: int | None = None) -> None:
        assert isinstance(game, Duel | Goofspiel)  # see `ranks_matter`
        self._game: Duel | Goofspiel = game
        self._max_states = max_states

    def response(self, policies: Sequence[Policy], player: int) -> BestResponse:
        game, others = self._game, [None if seat == player else policy for seat, policy in enumerate(policies)]
        if isinstance(game, Goofspiel) and by_words(game, others):
            require_matrix_games(game, MOST_STATES, "can be stored as a best response (nash_conv gives its value)")
        play = Evaluation(game, others, most=self._max_states)
        choices: list[NDArray[np.int16]] = []
        value = play.results(choices)[player]
        response = RankResponse(game, player, play.layers, choices, packed=play.packed, shows_score=play.scoring.shown)
        return BestResponse(value if player == 0 else 0.0 - value, response)

    def payoffs(self, policies: Sequence[Policy]) -> tuple[Payoffs, Payoffs]:
        first, second = policies
        if not self._sparse(policies):
            response_0, response_1, mean = Evaluation(self._game, policies, most=self._max_states).results()
        else:
            response_0 = Evaluation(self._game, [None, second], sparse=True).results()[0]
            if first is second:  # the seats are alike
                return (0.0, 0.0), (response_0, response_0)
            response_1 = Evaluation(self._game, [first, None], sparse=True).results()[1]
            mean = Evaluation(self._game, policies, sparse=True).results()[2]
        return (mean, 0.0 - mean), (response_0, 0.0 - response_1)

    def check_invariances(self, policies: Sequence[Policy | None]) -> int:
        if self._game.view == "word" or not by_words(self._game, policies):
            return 0
        return check_by_words(self._game, policies)

    def odds(self, policies: Sequence[Policy]) -> HeadToHead:
        sparse = self._sparse(policies)
        play = Evaluation(self._game, policies, outcomes=True, sparse=sparse, most=self._max_states)
        *_, mean, win, loss = play.results()
        return HeadToHead(min(win, 1.0), min(loss, 1.0), max(1.0 - win - loss, 0.0), mean)

    def _sparse(self, policies: Sequence[Policy]) -> bool:
        return isinstance(self._game, Goofspiel) and self._max_states is None and not by_words(self._game, policies)
