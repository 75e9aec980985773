"""The oracle of duels in which only the order of ranks matters: a backward sweep over layers of states.

A layer holds the states with the same number of cards left: pairs of hands, a score and carried ties. Policies are
queried in batches, once per observation at a reachable undecided state. If all policies declare `by_words` (they play
the same in all states with the same interleaving), the sweep runs over interleavings, which are far fewer than hands.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from baselines.oracles.answers.protocol import BATCH, Payoffs, Request, solve_table
from baselines.oracles.answers.results import BestResponse, HeadToHead, StateSolution
from baselines.oracles.rank_games.interleavings import fits
from baselines.oracles.rank_games.invariances import check_by_words
from baselines.oracles.rank_games.response_policy import DuelResponse
from baselines.oracles.rank_games.sizes import MOST_CARDS, MOST_STATES, require_size
from baselines.oracles.rank_games.solver import ENGINES, DuelTable
from baselines.system.threads import CHUNK, Nodes, in_threads
from cardwar_envs.core.game import Game, same_rules_as
from cardwar_envs.core.kernels import kernels
from cardwar_envs.core.policy import Policy, checked_probabilities
from cardwar_envs.games.duel import Duel
from cardwar_envs.games.duel.interleaving import interleaving

# In plain Python, for a single thread.
SECONDS_PER_JOINT_ACTION = 2e-5


class Rules(NamedTuple):
    """The flags of a duel, for compiled code.

    Attributes:
        cards: Cards of each player at the start.
        ranks: Number of ranks in a row.
        packed: Whether ranks are renumbered after every trick.
        carry: Whether ties are carried.
        win: Whether winning is paid instead of the margin.
        scored: Whether states include the score.
    """

    cards: int
    ranks: int
    packed: bool
    carry: bool
    win: bool
    scored: bool


class Layer(NamedTuple):
    """The states with the same number of cards left, numbered pair by pair.

    Attributes:
        rows: `[pairs, width]` pairs of hands, in the layout of `response_kernel`.
        reached: `[pairs, places]`, 1 where there is a state.
        numbers: `[pairs, places]` numbers of the states, or -1.
        table: Hash table of the rows.
    """

    rows: NDArray[np.uint8]
    reached: NDArray[np.uint8]
    numbers: NDArray[np.int32]
    table: NDArray[np.int32]


def kernel(joint_actions: float) -> Any:
    """Returns the kernels, compiled only if this many joint actions would take plain Python too long."""
    return kernels("baselines.oracles.rank_games.response_kernel", SECONDS_PER_JOINT_ACTION * float(joint_actions))


def plays_by_words(policy: Policy) -> bool:
    """Returns whether a policy declares that it plays the same in states with the same interleaving.

    Interchangeable ranks then share one total probability, and the score does not matter if the margin is paid. The
    declaration is checked on a sample (`invariances.py`).
    """
    return bool(getattr(policy, "by_words", False))


class DuelPlay:
    """Two policies in a duel, and best responses to them; a policy that is not queried is None.

    With `outcomes`, the probabilities of winning and losing are computed too.

    Attributes:
        asked: Queries so far.

    Raises:
        ValueError: If there are too many states.
    """

    def __init__(self, game: Duel, policies: Sequence[Policy | None], *, outcomes: bool = False) -> None:
        self.game, self._policies, self._outcomes = game, policies, outcomes
        words = game.view == "word" or all(plays_by_words(policy) for policy in policies if policy is not None)
        if not words:
            require_size(game)
        self.rules = Rules(
            cards=len(game.hands[0]),
            ranks=len(game.ranks),
            packed=words,
            carry=game.ties == "carry",
            win=game.payoff == "win",
            scored=outcomes or not words or game.payoff == "win",
        )
        self._shows_score = game.keeps_score and not (words and game.payoff == "margin")
        self.asked = 0

    @cached_property
    def _start(self) -> NDArray[np.uint8]:
        hands = interleaving(self.game.hands) if self.rules.packed else self.game.hands
        ranks = range(self.rules.ranks) if self.rules.packed else self.game.ranks
        counts = [hand.count(rank) for hand in hands for rank in ranks]
        row = np.zeros((1, -(-len(counts) // 8) * 8), dtype=np.uint8)
        row[0, : len(counts)] = counts
        return row

    @cached_property
    def _reachable(self) -> list[tuple[NDArray[np.uint8], NDArray[np.uint8]]]:
        """Rows and reached places of each layer, from one card left to all."""
        rows, reached = self._start, np.ones((1, 1), dtype=np.uint8)
        found, states = [(rows, reached)], 1
        for cards in range(self.rules.cards, 1, -1):
            rows, reached = kernel(reached.sum() * cards**2).expand(self.rules, cards, rows, reached)
            states += int(reached.sum())
            if states > MOST_STATES:
                raise ValueError(f"{self.game.facts.name} has more than {MOST_STATES:,} undecided states")
            found.append((rows, reached))
        return found[::-1]

    def layer(self, cards: int) -> Layer:
        """Returns the states with this many cards left, 0 to all."""
        if cards == 0:
            nothing = np.full((2, 1), -1, dtype=np.int32)
            return Layer(np.zeros_like(self._start), np.zeros((1, 1), dtype=np.uint8), nothing, nothing[:, 0])
        rows, reached = self._reachable[cards - 1]
        numbers = np.empty(reached.shape, dtype=np.int32)
        compute = kernel(0.1 * reached.size)
        compute.number_states(reached, numbers)
        table = np.full(1 << (2 * len(rows)).bit_length(), -1, dtype=np.int32)
        compute.fill_table(rows.view(np.uint64), len(rows), table)
        return Layer(rows, reached, numbers, table)

    def layers(self) -> list[Layer]:
        """Returns the states with 1 card left to all."""
        return [self.layer(cards) for cards in range(1, self.rules.cards + 1)]

    def results(self, choices: list[NDArray[np.int16]] | None = None) -> list[float]:
        """Evaluates the policies by backward induction.

        `choices` receives, layer by layer, the best actions of both players at every state, `[states, 2]`.

        Returns:
            Payoff points to player 0: with its best response, against player 1's best response, and if both follow
            their policies. With `outcomes` also the probabilities that it gets more, and less, than player 1.

        Raises:
            ValueError: If an answer is not a behaviour strategy, or there are too many states.
        """
        below, values = self.layer(0), np.zeros((1, 5 if self._outcomes else 3))
        for cards in range(1, self.rules.cards + 1):
            layer = self.layer(cards)
            states = int(layer.reached.sum())
            first, second = self._answers(cards, layer, states)
            values_below, values = values, np.empty((states, values.shape[1]))
            best = np.empty((states, 2), dtype=np.int16)
            arrays = (layer.rows, layer.numbers, below.rows, below.numbers, below.table, values_below)
            into = (first, second, values, best)

            compute = kernel(states * cards**2)

            def work(
                pairs: Nodes, compute: Any = compute, cards: int = cards, arrays: Any = arrays, into: Any = into
            ) -> None:
                compute.evaluate(self.rules, cards, pairs[0], pairs[-1] + 1, *arrays, *into)

            pairs = np.arange(len(layer.rows))
            in_threads(work, pairs) if len(pairs) > CHUNK else work(pairs)  # a small layer needs no thread pool
            if choices is not None:
                choices.append(best)
            below = layer
        results: list[float] = values[0].tolist()
        return results

    # -- querying policies -----------------------------------------------------------------------

    def _answers(self, cards: int, layer: Layer, states: int) -> list[tuple[NDArray[np.float64], NDArray[np.int32]]]:
        """Returns each player's answers, `[rows, ranks]`, with the row of each state."""
        every = np.arange(states, dtype=np.int32)
        answers = []
        for player, policy in enumerate(self._policies):
            if policy is None:
                answers.append((np.zeros((1, self.rules.ranks)), np.zeros(states, dtype=np.int32)))
            elif player == 1 and policy is self._policies[0] and self._mirrored:
                there = np.empty(states, dtype=np.int32)
                kernel(states).mirror(self.rules, cards, layer.rows, layer.numbers, layer.table, there)
                answers.append((answers[0][0], there))
            else:
                answers.append((self._ask(policy, player, cards, layer, states), every))
        return answers

    @cached_property
    def _mirrored(self) -> bool:
        """Returns whether both seats start with the same hand, so that every state's mirror image is a state too."""
        own, other = self._start[0, : 2 * self.rules.ranks].reshape(2, -1)
        return np.array_equal(own, other)

    def _ask(self, policy: Policy, player: int, cards: int, layer: Layer, states: int) -> NDArray[np.float64]:
        pairs, places = np.nonzero(layer.reached)
        standing = kernel(0.0).stands(self.rules, self.rules.cards - cards)
        answer = np.empty((states, self.rules.ranks))
        for begin in range(0, states, BATCH):
            some = slice(begin, begin + BATCH)
            observations = self._seen(layer.rows[pairs[some]], standing[places[some]], player)
            masks = (observations[:, : self.rules.ranks] > 0).astype(np.int8)
            answer[some] = checked_probabilities(policy, observations, masks)
        self.asked += states
        return answer

    def _seen(self, rows: NDArray[np.uint8], standing: NDArray[np.int64], player: int) -> NDArray[np.float32]:
        """Returns `[batch, observation_size]`: a player's observations of states given as rows, ties and scores."""
        ranks = self.rules.ranks
        observations = np.zeros((len(rows), 2 * ranks + 2), dtype=np.float32)
        own, other = (rows[:, seat * ranks : (seat + 1) * ranks] for seat in (player, 1 - player))
        observations[:, :ranks], observations[:, ranks : 2 * ranks] = own, other
        if self._shows_score:
            observations[:, 2 * ranks] = standing[:, 1] if player == 0 else 0 - standing[:, 1]
        observations[:, 2 * ranks + 1] = standing[:, 0]
        return observations


class DuelOracle:
    """The `Oracle` of duels in which only the order of ranks matters."""

    def __init__(self, game: Duel) -> None:
        self._game = game

    @staticmethod
    def takes(game: Game[Any]) -> bool:
        """Accepts games with the rules of `Duel` in which only the order of ranks matters."""
        return same_rules_as(game, Duel) and game.ranks_are_ordinal and len(game.hands[0]) <= MOST_CARDS

    @staticmethod
    def solves(game: Game[Any], request: Request) -> bool:
        """Supports the same games, in floats, for any equilibrium, if interleavings are short enough for tables."""
        return request.plain and same_rules_as(game, Duel) and DuelOracle.takes(game) and fits(game.hands)

    def solve(self, request: Request) -> StateSolution:
        table = DuelTable(
            self._game, keep_layers=request.keep_layers, folder=request.cache, engine=request.engine or ENGINES[0]
        )
        return solve_table(table, "backward induction over words", request)

    def response(self, policies: Sequence[Policy], player: int) -> BestResponse:
        play = DuelPlay(self._game, [None if seat == player else policy for seat, policy in enumerate(policies)])
        choices: list[NDArray[np.int16]] = []
        value = play.results(choices)[player]
        return BestResponse(
            value if player == 0 else 0.0 - value, DuelResponse(self._game, player, play.rules, play.layers(), choices)
        )

    def payoffs(self, policies: Sequence[Policy]) -> tuple[Payoffs, Payoffs]:
        response_0, response_1, mean = DuelPlay(self._game, policies).results()
        return (mean, 0.0 - mean), (response_0, 0.0 - response_1)

    def check_invariances(self, policies: Sequence[Policy | None]) -> int:
        by_words = self._game.view == "cards" and all(plays_by_words(each) for each in policies if each is not None)
        return check_by_words(self._game, policies) if by_words else 0

    def odds(self, policies: Sequence[Policy]) -> HeadToHead:
        *_, mean, win, loss = DuelPlay(self._game, policies, outcomes=True).results()
        return HeadToHead(min(win, 1.0), min(loss, 1.0), max(1.0 - win - loss, 0.0), mean)
