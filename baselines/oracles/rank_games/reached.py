"""Evaluates card policies in Goofspiel at the states that they can reach.

A policy that seldom randomises reaches few states, so it can be measured in games too large to enumerate: with 8 cards,
a policy that always bids the prize's rank reaches 51,480 of 2.4 million states.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from baselines.oracles.answers.estimates import WORTH_SAYING
from baselines.oracles.rank_games.prizes import Context, Stakes, prizes_of, shown, stakes_of
from cardwar_envs.core.policy import Policy, checked_probabilities
from cardwar_envs.games.goofspiel import Goofspiel

# States before a prize is turned up are 64-bit keys: two hands and a context.
MOST_CARDS = 16
MOST_REACHED = 100_000_000
# Number of states expanded at once.
CHUNK = 1 << 16


class Moves(NamedTuple):
    """Legal moves with positive probability, ordered by state: each move's state number, card and probability."""

    state: NDArray[np.int32]
    card: NDArray[np.int8]
    probability: NDArray[np.float64]


class States(NamedTuple):
    """Some states of a layer, after a prize was turned up.

    Attributes:
        position: Number of the state before the prize was turned up.
        hands: The cards of both players, as bits.
        context: Number of the context.
        prize: Index of the prize among those that can be turned up.
        moves: The moves of both players.
    """

    position: NDArray[np.int64]
    hands: tuple[NDArray[np.int64], NDArray[np.int64]]
    context: NDArray[np.int64]
    prize: NDArray[np.int64]
    moves: tuple[Moves, Moves]


# The policies' answers for each piece of a layer; None for a player who plays a best response.
Answers = dict[int, list[Moves | None]]


class ReachedPlay:
    """Two policies in Goofspiel; the player whose policy is None plays a best response.

    Args:
        game: The rules.
        policies: One per seat.
        payoff: "margin" or "win", or "decided" for whether either player wins.

    Raises:
        ValueError: If the hands are too long.
    """

    def __init__(self, game: Goofspiel, policies: Sequence[Policy | None], payoff: str) -> None:
        if game.num_cards > MOST_CARDS:
            raise ValueError(
                f"num_cards ({game.num_cards}) must be at most {MOST_CARDS} to measure a policy on cards exactly"
            )
        self._game, self._policies, self._decided = game, policies, payoff == "decided"
        paid = replace(game, payoff="margin" if payoff == "margin" else "win")
        start = game.initial()[0].state
        self._stakes = stakes_of(paid, Context(prizes_of(start)))

    def value(self) -> float:
        """Returns the payoff points to player 0, or the probability that either player wins.

        Raises:
            ValueError: If too many states are reached, or an answer is not a behaviour strategy.
        """
        full = (1 << self._game.num_cards) - 1
        positions, reached = [self._key(full, full, 0, self._stakes[0])[None]], 0
        answers: list[Answers] = []
        begin = time.perf_counter()
        for depth in range(len(self._stakes)):
            following = [np.zeros(0, dtype=np.int64)]
            answers.append({})
            for states in self._states(positions[-1], depth, answers[-1]):
                reached += len(states.position)
                if reached > MOST_REACHED:
                    raise ValueError(f"{self._game.facts.name}: the policies reach more than {MOST_REACHED:,} states")
                after = self._follow(states, depth)[-1]
                following.append(np.unique(after[after >= 0]))
            positions.append(np.unique(np.concatenate(following)))
            if (watch := time.perf_counter() - begin) > WORTH_SAYING:
                cards = self._game.num_cards - depth
                print(f"{cards} cards left: {reached:,} states reached, {watch:.0f} s", file=sys.stderr, flush=True)
        values = np.zeros(0)
        for depth in reversed(range(len(self._stakes))):
            below, values = values, np.zeros(len(positions[depth]))
            for states in self._states(positions[depth], depth, answers[depth]):
                worth = self._worth(states, depth, positions[depth + 1], below)
                share = 1.0 / self._stakes[depth].rules.turned[states.context]
                np.add.at(values, states.position, share * worth)
        return float(values[0])

    def _key(
        self,
        hand_0: NDArray[np.int64] | int,
        hand_1: NDArray[np.int64] | int,
        context: NDArray[np.int64] | int,
        stakes: Stakes,
    ) -> NDArray[np.int64]:
        return np.asarray((hand_0 << self._game.num_cards | hand_1) * len(stakes.contexts) + context)

    def _states(self, keys: NDArray[np.int64], depth: int, answers: Answers) -> Iterator[States]:
        """Yields the states of a layer, in pieces, with the players' moves there; policies are queried only once."""
        stakes = self._stakes[depth]
        tail, turned = shown(self._game, stakes.contexts), stakes.rules.turned
        first = np.cumsum(turned) - turned
        for begin in range(0, len(keys), CHUNK):
            some = keys[begin : begin + CHUNK]
            hands, context = np.divmod(some, len(stakes.contexts))
            position = np.repeat(np.arange(len(some)), turned[context])
            prize = np.arange(len(position)) - np.repeat(np.cumsum(turned[context]) - turned[context], turned[context])
            hand_0, hand_1 = hands >> self._game.num_cards, hands & ((1 << self._game.num_cards) - 1)
            both, context = (hand_0[position], hand_1[position]), context[position]
            if begin not in answers:
                shown_there = tail[first[context] + prize]
                answers[begin] = [self._answers(seat, both, shown_there[:, seat]) for seat in (0, 1)]
            moves = [self._held(both[seat]) if each is None else each for seat, each in enumerate(answers[begin])]
            yield States(begin + position, both, context, prize, (moves[0], moves[1]))

    def _answers(self, seat: int, hands: Sequence[NDArray[np.int64]], tail: NDArray[np.float32]) -> Moves | None:
        policy = self._policies[seat]
        if policy is None:
            return None
        held = [hand[:, None] >> np.arange(self._game.num_cards) & 1 for hand in (hands[seat], hands[1 - seat])]
        seen = np.concatenate((*held, tail), axis=1, dtype=np.float32)
        answers = checked_probabilities(policy, seen, held[0].astype(np.int8))
        state, card = np.nonzero(answers)
        return Moves(state.astype(np.int32), card.astype(np.int8), answers[state, card])

    def _held(self, hand: NDArray[np.int64]) -> Moves:
        state, card = np.nonzero(hand[:, None] >> np.arange(self._game.num_cards) & 1)
        return Moves(state.astype(np.int32), card.astype(np.int8), np.ones(len(state)))

    def _follow(
        self, states: States, depth: int
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64], NDArray[np.int64]]:
        """Returns for each pair of moves their numbers, the payment and the next key (-1 if there is none)."""
        rules, (first, second) = self._stakes[depth].rules, states.moves
        many = np.bincount(second.state, minlength=len(states.position))
        repeats = many[first.state]
        one = np.repeat(np.arange(len(first.state)), repeats)
        start = (np.cumsum(many) - many)[first.state] - (np.cumsum(repeats) - repeats)
        other = np.arange(len(one)) + np.repeat(start, repeats)
        state, card_0, card_1 = first.state[one], first.card[one].astype(np.int64), second.card[other].astype(np.int64)
        winner = np.where(card_0 == card_1, 0, np.where(card_0 > card_1, 1, 2))
        stake = states.context[state], states.prize[state], winner
        paid, context = rules.paid[stake], rules.following[stake]
        if depth + 1 == len(self._stakes):
            return one, other, paid, context
        hands = states.hands[0][state] & ~(1 << card_0), states.hands[1][state] & ~(1 << card_1)
        return one, other, paid, np.where(context < 0, -1, self._key(*hands, context, self._stakes[depth + 1]))

    def _worth(
        self, states: States, depth: int, positions: NDArray[np.int64], below: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Returns the value of each state, given the values of the next positions."""
        one, other, paid, after = self._follow(states, depth)
        worth, goes_on = np.abs(paid) if self._decided else paid, after >= 0
        worth[goes_on] += below[np.searchsorted(positions, after[goes_on])]
        first, second = states.moves
        if self._policies[0] is None:
            worths = np.bincount(one, second.probability[other] * worth, len(first.state))
            return np.maximum.reduceat(worths, np.unique(first.state, return_index=True)[1])
        if self._policies[1] is None:
            worths = np.bincount(other, first.probability[one] * worth, len(second.state))
            return np.minimum.reduceat(worths, np.unique(second.state, return_index=True)[1])
        weight = first.probability[one] * second.probability[other]
        worths = np.bincount(first.state[one], weight * worth, len(states.position))
        return np.asarray(worths, dtype=np.float64)
