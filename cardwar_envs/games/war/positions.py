"""The positions of two-player WAR as arrays, for solvers that work round by round."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cardwar_envs.core.forms import RoundsForm
from cardwar_envs.core.kernels import kernels
from cardwar_envs.core.rules import TooLargeError
from cardwar_envs.core.texts import counted
from cardwar_envs.games.war.actions import LOWEST_CARD, WarActions
from cardwar_envs.games.war.state import Pile, WarState, new_state

# Maximum number of ranks; with 9 ranks there are hundreds of millions of positions.
MOST_RANKS = 8
# The base and the five piles' weights in the encoding of positions as numbers (see `positions_kernel`).
BASE, WEIGHTS = 25, np.array([1, 3, 7, 12, 0])
# Each further rank multiplies the number of positions by about this factor; with two ranks there are a few.
GROWTH = 16
# Seconds per position in plain Python.
SECONDS_PER_POSITION = 6e-5


@dataclass(frozen=True)
class WarPositions(RoundsForm[WarState]):
    """The positions of WAR, with one level of wars for each number of cards in both hands.

    Attributes:
        num_actions: Size of the action space.
        ranks: Cards that each player has at the start.
        keys: `[nodes]` positions as numbers; see `cardwar_envs.games.war.positions_kernel`.
        table: Open-addressing hash table from keys to nodes.
    """

    num_actions: int
    ranks: int
    keys: NDArray[np.int64]
    table: tuple[NDArray[np.int64], NDArray[np.int32]]

    def code(self, state: WarState) -> int:
        return int(self._codes(np.array([key_of(state)]))[0])

    def rounds_left(self, state: WarState) -> int:
        return state.rounds_left

    def state(self, code: int, rounds_left: int) -> WarState:
        (counts,), (war,) = self._counts(np.array([code]))
        hand_0, wins_0, hand_1, wins_1, pot = (_pile(row) for row in counts)
        return new_state((hand_0, hand_1), (wins_0, wins_1), pot, (0, 1) if war else (), (0, 1), rounds_left)

    def seen(self, codes: NDArray[np.int64], rounds_left: int) -> tuple[NDArray[np.float32], NDArray[np.int8]]:
        counts, war = self._counts(codes)
        observations = np.empty((len(codes), 5 * self.ranks + 5), dtype=np.float32)
        observations[:, :-5] = counts.reshape(len(codes), -1)
        observations[:, -5:-3] = war[:, None]
        observations[:, -3:-1] = 1.0
        observations[:, -1] = rounds_left
        masks = np.zeros((len(codes), self.num_actions), dtype=np.int8)
        _kernel(len(codes)).write_masks(self.lists[codes >> 1, codes & 1], self.rows, self.actions, masks)
        return observations, masks

    def codes_seen(self, observations: NDArray[np.float32]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        numbers = observations.astype(np.int64)
        piles = numbers[:, :-5].reshape(-1, 5, self.ranks) @ _powers(self.ranks)
        keys = piles @ WEIGHTS
        codes = self._codes(np.where(numbers[:, -5] > 0, ~keys, keys))
        playing = numbers[:, -3:-1].all(axis=1)
        return np.where(playing, codes, -1), numbers[:, -1]

    def _codes(self, keys: NDArray[np.int64]) -> NDArray[np.int64]:
        codes: NDArray[np.int64] = _kernel(len(keys)).find_all(*self.table, keys, self.ranks)
        return codes

    def _counts(self, codes: NDArray[np.int64]) -> tuple[NDArray[np.int8], NDArray[np.bool_]]:
        """`[k, 5, ranks]` own hand and wins, the opponent's hand and wins, the pot; `[k]` whether there is a war."""
        counts = np.empty((len(codes), 5, self.ranks), dtype=np.int8)
        war = np.empty(len(codes), dtype=np.bool_)
        _kernel(len(codes)).count_cards(self.keys[codes >> 1], (codes & 1).astype(np.bool_), self.ranks, counts, war)
        return counts, war


@dataclass(frozen=True)
class _Choices:
    """Lists of choices: list 0 (wait), then one list per hand in a round, then one list per hand in a war.

    The fields are those of `RoundsForm`, and the pile that each option puts down (`piles`) with its ranks as bits
    (`bits`).
    """

    rows: NDArray[np.int64]
    actions: NDArray[np.int32]
    options: NDArray[np.int32]
    strengths: NDArray[np.int32]
    option_starts: NDArray[np.int64]
    piles: NDArray[np.int64]
    bits: NDArray[np.int64]


def war_positions(starts: Sequence[WarState], actions: WarActions, discards: int, max_positions: int) -> WarPositions:
    """All two-player positions that can follow the non-terminal states `starts`.

    The rounds left in these states are ignored. `max_positions` bounds the number of nodes, including wars.

    Raises:
        TooLargeError: If there are more than 8 ranks or more than `max_positions` nodes.
    """
    ranks = len(actions.cards)
    too_many = f"war with {ranks} ranks and {counted(discards, 'discard')} has more than {max_positions:,} positions"
    if ranks > MOST_RANKS:
        raise TooLargeError(f"{too_many}; exact solving needs smaller decks")
    choices = _choices(actions)
    keys, lists, first, children = _kernel(4 * GROWTH ** (ranks - 2)).explore(
        np.array([key_of(start) for start in starts], dtype=np.int64),
        ranks,
        discards,
        choices.option_starts,
        choices.piles,
        choices.bits,
        max_positions,
    )
    if len(keys) > max_positions:
        raise TooLargeError(f"{too_many}; exact solving needs smaller decks")
    # Final nodes first, then wars by the number of cards in hands, ascending, then beginnings of rounds.
    height = np.where(keys < 0, _kernel(len(keys)).hands_in(keys, ranks), np.iinfo(np.int64).max)
    height[:2] = -1
    order = np.argsort(height, kind="stable")
    place = np.empty(len(keys), dtype=np.int32)
    place[order] = np.arange(len(keys), dtype=np.int32)
    keys, height = keys[order], height[order]
    wars = np.flatnonzero(np.diff(height[: 2 + (keys < 0)[2:].sum()])) + 1
    return WarPositions(
        levels=np.append(wars, [2 + (keys[2:] < 0).sum(), len(keys)]),
        lists=lists[order],
        rows=choices.rows,
        actions=choices.actions,
        options=choices.options,
        strengths=choices.strengths,
        option_counts=np.diff(choices.option_starts),
        first=first[order],
        children=np.where(children < 0, children, 2 * place[children >> 1] + (children & 1)).astype(np.int32),
        num_actions=actions.size,
        ranks=ranks,
        keys=keys,
        table=_kernel(len(keys)).hash_table(keys, 0),
    )


def _kernel(positions: int) -> Any:
    """The kernels, compiled or not, for work on this many positions."""
    return kernels("cardwar_envs.games.war.positions_kernel", SECONDS_PER_POSITION * positions)


def key_of(state: WarState) -> int:
    """Encodes a position as a number; see `cardwar_envs.games.war.positions_kernel`."""
    piles = (state.hands[0], state.wins[0], state.hands[1], state.wins[1], state.pot)
    key: int = sum(
        int(weight) * sum(BASE ** (card - LOWEST_CARD) for card in pile)
        for weight, pile in zip(WEIGHTS, piles, strict=True)
    )
    return ~key if state.tied else key


def _pile(counts: NDArray[np.int8]) -> Pile:
    return tuple((np.repeat(np.arange(len(counts)), counts) + LOWEST_CARD).tolist())


def _powers(ranks: int) -> NDArray[np.int64]:
    powers: NDArray[np.int64] = BASE ** np.arange(ranks, dtype=np.int64)
    return powers


def _choices(actions: WarActions) -> _Choices:
    ranks = len(actions.cards)
    hands = np.array(list(product(range(3), repeat=ranks)))[:, ::-1].copy()
    war = _war_choices(hands, actions)
    held, cards = np.nonzero(hands)
    in_round = np.concatenate([[0, 1], 1 + np.cumsum(np.count_nonzero(hands, axis=1))])
    places = np.arange(len(cards)) - (in_round[1:-1] - 1)[held]
    return _Choices(
        rows=np.concatenate([in_round, in_round[-1] + war.rows[1:]]),
        actions=np.concatenate([[actions.wait], cards, war.actions]).astype(np.int32),
        options=np.concatenate([[0], places, war.options]).astype(np.int32),
        strengths=np.concatenate([[-1], cards, war.strengths]).astype(np.int32),
        option_starts=np.concatenate([in_round, in_round[-1] + war.option_starts[1:]]),
        piles=np.concatenate([[0], _powers(ranks)[cards], war.piles]),
        bits=np.concatenate([[0], 1 << cards, war.bits]),
    )


def _war_choices(hands: NDArray[np.int64], actions: WarActions) -> _Choices:
    """The choices of each hand in a war, in order of their actions; `hands` is `[hands, ranks]` counts."""
    ranks = hands.shape[1]
    piles = actions.needs[:, None, :] + np.eye(ranks, dtype=np.int64)  # [sets, ranks that battle, ranks]
    numbers = piles @ _powers(ranks)
    fitting = np.flatnonzero(actions.needs.max(axis=1, initial=0) <= hands.max())
    fitting_piles = piles[fitting].astype(np.int8)
    # One hand at a time, because all hands together would exhaust the memory.
    found = [np.argwhere((hand >= fitting_piles).all(axis=2)) for hand in hands.astype(np.int8)]
    rows = np.cumsum([0, *map(len, found)])
    places, battles = np.concatenate(found).T
    places = fitting[places]
    # Choices of a hand that put down the same cards are one option, numbered in order of appearance.
    hand_of = np.repeat(np.arange(len(hands)), np.diff(rows))
    _, piles_of = np.unique(numbers[places, battles], return_inverse=True)
    _, first, option_of = np.unique(hand_of * len(piles_of) + piles_of, return_index=True, return_inverse=True)
    rank_of = np.argsort(np.argsort(first))
    option_starts = np.searchsorted(np.sort(hand_of[first]), np.arange(len(hands) + 1))
    first = np.sort(first)
    put = piles[places[first], battles[first]]
    return _Choices(
        rows=rows,
        actions=(ranks * (1 + places) + battles).astype(np.int32),
        options=(rank_of[option_of] - option_starts[hand_of]).astype(np.int32),
        strengths=battles.astype(np.int32),
        option_starts=option_starts,
        piles=put @ _powers(ranks),
        bits=(put > 0) @ (1 << np.arange(ranks)),
    )
