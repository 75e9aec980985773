"""Exact results of policies in duels where only the order of ranks matters, trick by trick from the end.

What follows a trick has one card less, so two layers of states are held at a time. A state is
a pair of hands, a score and carried ties. Policies are asked once for each observation that
can come up and that leaves something to decide, in batches made from arrays. Where all that
are asked say that they play alike in situations with the same word (`by_words`), the states are
words, of which there are far fewer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from baselines.oracles.protocol import BATCH, Payoffs, Request, solve_table
from baselines.oracles.rank_games.interleavings import fits
from baselines.oracles.rank_games.invariances import check_by_words
from baselines.oracles.rank_games.solver import ENGINES, DuelTable
from baselines.oracles.rank_games.word_policy import packed_counts
from baselines.oracles.results import BestResponse, HeadToHead, StateSolution
from baselines.threads import Nodes, in_threads
from cardwar_envs.core.game import Game, same_rules_as
from cardwar_envs.core.policy import Policy, checked_probabilities
from cardwar_envs.games.duel import Duel
from cardwar_envs.games.duel.interleaving import Hand, interleaving

# Pairs of hands are rows of bytes.
MOST_CARDS = 255
# A small network needs minutes for so many.
MOST_STATES = 50_000_000


class Rules(NamedTuple):
    """A duel's switches, for compiled code.

    Attributes:
        cards: Cards of each player at the start.
        ranks: Ranks that a row has.
        packed: Whether ranks are renumbered after every trick.
        carry: Whether ties are carried.
        win: Whether winning is paid; else the margin.
        scored: Whether states have the score.
    """

    cards: int
    ranks: int
    packed: bool
    carry: bool
    win: bool
    scored: bool


class Layer(NamedTuple):
    """The states with equally many cards left, numbered pair by pair.

    Attributes:
        rows: `[pairs, width]` pairs of hands, as `baselines.oracles.rank_games.response_kernel` has them.
        reached: `[pairs, places]`, 1 where there is a state.
        numbers: `[pairs, places]` numbers of the states, or -1.
        table: Hash table of the rows.
    """

    rows: NDArray[np.uint8]
    reached: NDArray[np.uint8]
    numbers: NDArray[np.int32]
    table: NDArray[np.int32]


def _kernel() -> Any:
    from baselines.oracles.rank_games import response_kernel as duel_response_kernel  # compiles on first use

    return duel_response_kernel


def plays_by_words(policy: Policy) -> bool:
    """Whether a policy declares that it plays alike in states with the same interleaving.

    Together interchangeable ranks must get the same probability in all of them, and where a margin is paid the score
    must not matter. Such a policy is also asked about renumbered hands (see `Duel.canonical`); a sample of its answers
    is held to what it says (`baselines.oracles.rank_games.invariances`).
    """
    return bool(getattr(policy, "by_words", False))


class DuelPlay:
    """Policies at play in a duel.

    Args:
        game: One that `DuelOracle` takes.
        policies: Those of both players; None for one that is not asked.
        outcomes: Whether the odds of winning and losing are wanted.

    Raises:
        ValueError: If there are too many states.
    """

    def __init__(self, game: Duel, policies: Sequence[Policy | None], *, outcomes: bool = False) -> None:
        self.game, self._policies, self._outcomes = game, policies, outcomes
        words = game.view == "word" or all(plays_by_words(policy) for policy in policies if policy is not None)
        if not words:
            _check_size(game)
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
        """Rows and places reached of each layer, from one card left to all."""
        rows, reached = self._start, np.ones((1, 1), dtype=np.uint8)
        found, states = [(rows, reached)], 1
        for cards in range(self.rules.cards, 1, -1):
            rows, reached = _kernel().expand(self.rules, cards, rows, reached)
            states += int(reached.sum())
            if states > MOST_STATES:
                raise ValueError(f"{self.game.facts.name} has more than {MOST_STATES:,} states to decide in")
            found.append((rows, reached))
        return found[::-1]

    def layer(self, cards: int) -> Layer:
        """The states with so many cards left, 0 to all."""
        if cards == 0:
            nothing = np.full((2, 1), -1, dtype=np.int32)
            return Layer(np.zeros_like(self._start), np.zeros((1, 1), dtype=np.uint8), nothing, nothing[:, 0])
        rows, reached = self._reachable[cards - 1]
        numbers = np.empty(reached.shape, dtype=np.int32)
        _kernel().number_states(reached, numbers)
        table = np.full(1 << (2 * len(rows)).bit_length(), -1, dtype=np.int32)
        _kernel().fill_table(rows.view(np.uint64), len(rows), table)
        return Layer(rows, reached, numbers, table)

    def results(self, choices: list[NDArray[np.int16]] | None = None) -> list[float]:
        """Works everything out; `choices` get the best action of both players at every state, layer by layer.

        Returns:
            Payoff points to player 0: what its best response gets, what the best response of player 1 leaves
            to it, and what it gets if both follow their policies. Then, if the outcomes are wanted, the
            probabilities that it gets more than player 1, and less.

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

            def work(pairs: Nodes, cards: int = cards, arrays: Any = arrays, into: Any = into) -> None:
                _kernel().evaluate(self.rules, cards, pairs[0], pairs[-1] + 1, *arrays, *into)

            in_threads(work, np.arange(len(layer.rows)))
            if choices is not None:
                choices.append(best)
            below = layer
        results: list[float] = values[0].tolist()
        return results

    # -- querying policies -----------------------------------------------------------------------

    def _answers(self, cards: int, layer: Layer, states: int) -> list[tuple[NDArray[np.float64], NDArray[np.int32]]]:
        """Per player its answers `[rows, ranks]`, and each state's row there."""
        every = np.arange(states, dtype=np.int32)
        answers = []
        for player, policy in enumerate(self._policies):
            if policy is None:
                answers.append((np.zeros((1, self.rules.ranks)), np.zeros(states, dtype=np.int32)))
            elif player == 1 and policy is self._policies[0] and self._mirrored:
                there = np.empty(states, dtype=np.int32)
                _kernel().mirror(self.rules, cards, layer.rows, layer.numbers, layer.table, there)
                answers.append((answers[0][0], there))
            else:
                answers.append((self._ask(policy, player, cards, layer, states), every))
        return answers

    @cached_property
    def _mirrored(self) -> bool:
        """Whether both seats are dealt the same, so that every state's mirror image is a state."""
        own, other = self._start[0, : 2 * self.rules.ranks].reshape(2, -1)
        return np.array_equal(own, other)

    def _ask(self, policy: Policy, player: int, cards: int, layer: Layer, states: int) -> NDArray[np.float64]:
        pairs, places = np.nonzero(layer.reached)
        standing = _kernel().stands(self.rules, self.rules.cards - cards)
        answer = np.empty((states, self.rules.ranks))
        for begin in range(0, states, BATCH):
            some = slice(begin, begin + BATCH)
            observations = self._seen(layer.rows[pairs[some]], standing[places[some]], player)
            masks = (observations[:, : self.rules.ranks] > 0).astype(np.int8)
            answer[some] = checked_probabilities(policy, observations, masks)
        self.asked += states
        return answer

    def _seen(self, rows: NDArray[np.uint8], standing: NDArray[np.int64], player: int) -> NDArray[np.float32]:
        """`[batch, observation_size]`: what the player sees at states given by rows, and by ties and score."""
        ranks = self.rules.ranks
        observations = np.zeros((len(rows), 2 * ranks + 2), dtype=np.float32)
        own, other = (rows[:, seat * ranks : (seat + 1) * ranks] for seat in (player, 1 - player))
        observations[:, :ranks], observations[:, ranks : 2 * ranks] = own, other
        if self._shows_score:
            observations[:, 2 * ranks] = standing[:, 1] if player == 0 else 0 - standing[:, 1]
        observations[:, 2 * ranks + 1] = standing[:, 0]
        return observations


class DuelResponse:
    """A deterministic best response from one seat: the lowest of the best actions.

    Plays uniformly over legal actions where the game cannot get or is decided. What it keeps of 13-card
    Jujitsu by words is some fifty megabytes.
    """

    def __init__(self, play: DuelPlay, choices: Sequence[NDArray[np.int16]], player: int) -> None:
        """Takes what `DuelPlay.results` has filled in."""
        self._rules, self._player = play.rules, player
        self._renumbers = play.rules.packed and play.game.view == "cards"
        self._layers = [play.layer(cards) for cards in range(1, play.rules.cards + 1)]
        self._choices = [best[:, player].copy() for best in choices]
        self._name = play.game.facts.name

    def __repr__(self) -> str:
        return f"<DuelResponse: a best response of player_{self._player} in {self._name}>"

    def action_probabilities(
        self, observations: NDArray[np.float32], action_masks: NDArray[np.int8]
    ) -> NDArray[np.float64]:
        """`[batch, num_actions]` probabilities."""
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
            # Of cards that are not told apart the lowest.
            played = ((numbers[some] == chosen[:, None]) & (own[some] > 0)).argmax(axis=1)
            probabilities[some] = 0.0
            probabilities[some, played] = 1.0
        return probabilities

    def _chosen(
        self, cards: int, rows: NDArray[np.uint8], ties: NDArray[np.int64], scores: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        layer, found = self._layers[cards - 1], np.empty(len(rows), dtype=np.int64)
        _kernel().find(self._rules, cards, layer.rows, layer.numbers, layer.table, rows, ties, scores, found)
        known, chosen = found >= 0, np.full(len(rows), -1, dtype=np.int64)
        chosen[known] = self._choices[cards - 1][found[known]]  # none at all where the game is decided by then
        return chosen


class DuelOracle:
    """The `Oracle` of duels in which only the order of ranks matters."""

    def __init__(self, game: Duel) -> None:
        self._game = game

    @staticmethod
    def takes(game: Game[Any]) -> bool:
        """Games by the rules of `Duel` in which only the order of ranks matters."""
        return same_rules_as(game, Duel) and game.ranks_are_ordinal and len(game.hands[0]) <= MOST_CARDS

    @staticmethod
    def solves(game: Game[Any], request: Request) -> bool:
        """The same games in floats and for any equilibrium, with hands whose words are short enough for tables."""
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
        return BestResponse(value if player == 0 else 0.0 - value, DuelResponse(play, choices, player))

    def payoffs(self, policies: Sequence[Policy]) -> tuple[Payoffs, Payoffs]:
        response_0, response_1, mean = DuelPlay(self._game, policies).results()
        return (mean, 0.0 - mean), (response_0, 0.0 - response_1)

    def check_invariances(self, policies: Sequence[Policy | None]) -> int:
        by_words = self._game.view == "cards" and all(plays_by_words(each) for each in policies if each is not None)
        return check_by_words(self._game, policies) if by_words else 0

    def odds(self, policies: Sequence[Policy]) -> HeadToHead:
        *_, mean, win, loss = DuelPlay(self._game, policies, outcomes=True).results()
        return HeadToHead(min(win, 1.0), min(loss, 1.0), max(1.0 - win - loss, 0.0), mean)


def _check_size(game: Duel) -> None:
    pairs, states = states_at_most(game)
    if states > MOST_STATES:
        raise ValueError(
            f"{game.facts.name} has {pairs:,} pairs of hands and up to {states:,} states to decide in, more than "
            f"{MOST_STATES:,}; view='word' has far fewer, as have policies that declare by_words"
        )


def states_at_most(game: Duel) -> tuple[int, int]:
    """Pairs of hands with cards left, and a bound on the states in which something is decided.

    The bound counts every score and every number of carried ties that so many tricks allow.
    """
    cards, hands = len(game.hands[0]), [_hands_left(hand) for hand in game.hands]
    pairs = [first * second for first, second in zip(*hands, strict=True)]
    states = 0
    for left in range(1, cards + 1):
        played = cards - left
        for ties in range(played + 1 if game.ties == "carry" else 1):
            most = min(played - ties, left + ties) if game.payoff == "win" else played - ties
            states += pairs[left] * (most + 1 if game.ties == "carry" else 2 * most + 1)
    return sum(pairs[1:]), states


def _hands_left(hand: Hand) -> list[int]:
    """How many different hands of 0, 1, ... cards can be left of a hand."""
    ways = [1]
    for held in Counter(hand).values():
        ways = [sum(ways[max(0, n - held) : n + 1]) for n in range(len(ways) + held)]
    return ways
