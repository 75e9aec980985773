"""A small game whose rules tell the truth: games with one lie each are made from it."""

from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import ClassVar, NamedTuple

import numpy as np

from cardwar_envs import Game, GameFacts, Transition
from cardwar_envs.core.game import CERTAIN, Canonical

HALF = Fraction(1, 2)


class Bids(NamedTuple):
    """The cards of both players, ascending, and the prize that lies there; 0 at the end."""

    hands: tuple[tuple[int, ...], tuple[int, ...]]
    prize: int


@dataclass(frozen=True)
class Bidding(Game[Bids]):
    """Both players hold cards 0, 1, 2; a prize of 1 or 2 is drawn for each round; the higher card wins it.

    After a tie a coin decides.
    """

    name: ClassVar[str] = "bidding"
    cards: int = 3

    @property
    def facts(self):
        return GameFacts(
            name=self.name, version=self.version, num_players=2, num_actions=self.cards,
            observation_low=(0.0,) * (2 * self.cards + 1), observation_high=(*(1.0,) * (2 * self.cards), 2.0),
            min_payoff=-2.0 * self.cards, max_payoff=2.0 * self.cards, zero_sum=True, seat_symmetric=True,
            public_state=True, max_length=self.cards,
        )  # fmt: skip

    def initial(self):
        hand = tuple(range(self.cards))
        return [Transition(HALF, Bids((hand, hand), prize), (0.0, 0.0)) for prize in (1, 2)]

    def acting_players(self, state):
        return (0, 1) if state.prize else ()

    def legal_actions(self, state, player):
        return state.hands[player]

    def winners(self, first, second):
        """1 if player 0 wins, -1 if player 1 does, and how likely."""
        return [((first > second) - (first < second), CERTAIN)] if first != second else [(1, HALF), (-1, HALF)]

    def transitions(self, state, actions):
        hands = tuple(tuple(card for card in state.hands[p] if card != actions[p]) for p in (0, 1))
        prizes = [(1, HALF), (2, HALF)] if hands[0] else [(0, CERTAIN)]
        return [
            Transition(chance * odds, Bids(hands, prize), (float(winner * state.prize), -float(winner * state.prize)))
            for (winner, chance), (prize, odds) in product(self.winners(actions[0], actions[1]), prizes)
        ]

    def observation(self, state, player):
        held = [[float(card in hand) for card in range(self.cards)] for hand in state.hands]
        return np.array([*held[player], *held[1 - player], state.prize], dtype=np.float32)

    def state_of(self, observation):
        held = observation[:-1].reshape(2, -1)
        return Bids(tuple(tuple(np.flatnonzero(row).tolist()) for row in held), int(observation[-1])), 0

    def canonical(self, state):
        if state.hands[1] < state.hands[0]:
            return Canonical(Bids(state.hands[::-1], state.prize), (1, 0))
        return Canonical(state, (0, 1))

    def settled(self, state):
        """With one card each, the higher one wins."""
        if len(state.hands[0]) != 1 or state.hands[0] == state.hands[1]:
            return None
        paid = float(state.prize if state.hands[0] > state.hands[1] else -state.prize)
        return paid, -paid

    def check(self, state):
        if not isinstance(state, Bids) or not isinstance(state.hands, tuple) or len(state.hands) != 2:
            raise ValueError(f"state ({state!r}) must be Bids of two hands and a prize")
        for hand in state.hands:
            if not isinstance(hand, tuple) or any(type(card) is not int for card in hand):
                raise ValueError(f"hand {hand!r} must be a tuple of integers")
            if list(hand) != sorted(set(hand)) or not set(hand) <= set(range(self.cards)):
                raise ValueError(f"hand {hand} must be some of 0..{self.cards - 1}, ascending")
        if type(state.prize) is not int or state.prize not in ((1, 2) if state.hands[0] else (0,)):
            raise ValueError(f"prize {state.prize!r} must be 1 or 2, and 0 at the end")

    def describe(self, state):
        return f"{state.hands[0]} against {state.hands[1]} for {state.prize}"

    def describe_action(self, action, player=0):
        return f"card {action}"
