"""Small games with hidden information over several moves, and their truth by recursion over beliefs."""

from collections import defaultdict
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations, product
from math import prod
from random import Random
from typing import ClassVar, NamedTuple
from zlib import crc32

import numpy as np
from brute_force import joint_actions

from cardwar_envs.core.game import CERTAIN, Game, GameFacts, Transition


class KuhnState(NamedTuple):
    cards: tuple[int, int]
    course: str = ""


ENDS = "pp", "pbp", "pbb", "bp", "bb"


@dataclass(frozen=True)
class Kuhn(Game):
    """Kuhn poker, turn by turn; `forgets` hides the own card after the first move."""

    name: ClassVar[str] = "kuhn"
    forgets: bool = False

    @property
    def facts(self):
        return GameFacts(
            name=self.name, version=0, num_players=2, num_actions=2, observation_low=(0, 0, 0, 0),
            observation_high=(1, 3, 2, 2), min_payoff=-2, max_payoff=2, zero_sum=True, seat_symmetric=False,
            public_state=False, max_length=3, chance="deal", everyone_acts=False,
        )  # fmt: skip

    def initial(self):
        return [Transition(Fraction(1, 6), KuhnState(cards), (0.0, 0.0)) for cards in permutations((1, 2, 3), 2)]

    def acting_players(self, state):
        return () if state.course in ENDS else (len(state.course) % 2,)

    def legal_actions(self, state, player):
        return 0, 1

    def transitions(self, state, actions):
        (action,) = actions.values()
        course, higher = state.course + "pb"[action], 1.0 if state.cards[0] > state.cards[1] else -1.0
        won = {"pp": higher, "bb": 2 * higher, "pbb": 2 * higher, "bp": 1.0, "pbp": -1.0}.get(course, 0.0)
        return [Transition(CERTAIN, KuhnState(state.cards, course), (won, 0.0 - won))]

    def observation(self, state, player):
        shown = 0 if self.forgets and len(state.course) > player else state.cards[player]
        moves = [" pb".index(move) for move in state.course.ljust(2)[:2]]
        return np.array([player, shown, *moves], dtype=np.float32)

    def describe(self, state):
        return repr(state)

    def describe_action(self, action, player=0):
        return ("pass", "bet")[action]


class Veiled(NamedTuple):
    cards: tuple[int, ...]
    course: tuple[tuple[int, ...], ...] = ()


@dataclass(frozen=True)
class Veils(Game):
    """Three simultaneous moves on private cards; after each, players see signals of the others' moves, and payments.

    Everything but the shape is random. In the second move one player may have to wait, and the number of its actions
    depends on its card.
    """

    name: ClassVar[str] = "veils"
    seed: int = 0
    players: int = 2
    zero_sum: bool = True
    forgets: bool = False

    @property
    def facts(self):
        size = 3 + 2 * 3
        return GameFacts(
            name=self.name, version=0, num_players=self.players, num_actions=3, observation_low=(-1,) * size,
            observation_high=(4,) * size, min_payoff=-20, max_payoff=20, zero_sum=self.zero_sum,
            seat_symmetric=False, public_state=False, max_length=3, everyone_acts=False,
        )  # fmt: skip

    def _random(self, *about):
        return Random(crc32(repr((self.seed, about)).encode()))

    def initial(self):
        deals = [*product((0, 1), repeat=self.players)]
        weights = [self._random("deal", deal).randint(1, 4) for deal in deals]
        nothing = (0.0,) * self.players
        return [
            Transition(Fraction(weight, sum(weights)), Veiled(deal), nothing)
            for deal, weight in zip(deals, weights, strict=True)
        ]

    def acting_players(self, state):
        waits = self.seed % self.players if len(state.course) == 1 else None
        return () if len(state.course) == 3 else tuple(p for p in range(self.players) if p != waits)

    def legal_actions(self, state, player):
        return tuple(range(2 + (len(state.course) == 1 and state.cards[player])))

    def transitions(self, state, actions):
        joint = tuple(actions.get(player, -1) for player in range(self.players))
        if len(state.course) != 1:
            after = Veiled(state.cards, (*state.course, (*joint, 0)))
            return [Transition(CERTAIN, after, self._paid(after))]
        found = [Veiled(state.cards, (*state.course, (*joint, chance))) for chance in (0, 1)]
        chances = Fraction(3, 4), Fraction(1, 4)
        return [Transition(chance, after, self._paid(after)) for chance, after in zip(chances, found, strict=True)]

    def _paid(self, state):
        random = self._random("pay", state)
        first, *others = [float(random.randint(-3, 3)) for _ in range(self.players)]
        return (0.0 - sum(others), *others) if self.zero_sum else (first, *others)

    def observation(self, state, player):
        row = [player, state.cards[player], len(state.course), *(-1,) * 6]
        for turn, joint in enumerate(state.course):
            if not self.forgets or turn == len(state.course) - 1:
                others = joint[:player] + joint[player + 1 :]
                row[3 + 2 * turn : 5 + 2 * turn] = joint[player], self._random("sees", others).randint(0, 1)
        return np.array(row, dtype=np.float32)

    def describe(self, state):
        return repr(state)

    def describe_action(self, action, player=0):
        return str(action)


class Turn(NamedTuple):
    card: int
    number: int = 0


@dataclass(frozen=True)
class Amnesia(Game):
    """Three turns, in which nobody sees a move; player 0 sees a card. There are few states and many histories."""

    name: ClassVar[str] = "amnesia"

    @property
    def facts(self):
        return GameFacts(
            name=self.name, version=0, num_players=2, num_actions=2, observation_low=(0, 0, 0),
            observation_high=(1, 3, 3), min_payoff=-9, max_payoff=9, zero_sum=True, seat_symmetric=False,
            public_state=False, max_length=3, chance="deal",
        )  # fmt: skip

    def initial(self):
        return [Transition(Fraction(1, 3), Turn(card), (0.0, 0.0)) for card in (1, 2, 3)]

    def acting_players(self, state):
        return (0, 1) if state.number < 3 else ()

    def legal_actions(self, state, player):
        return 0, 1

    def transitions(self, state, actions):
        won = float((actions[0] == actions[1]) * state.card - actions[0] * state.number)
        return [Transition(CERTAIN, Turn(state.card, state.number + 1), (won, 0.0 - won))]

    def observation(self, state, player):
        return np.array([player, 0 if player else state.card, state.number], dtype=np.float32)

    def describe(self, state):
        return repr(state)

    def describe_action(self, action, player=0):
        return str(action)


class Hashed:
    """A random policy: its mix is drawn from a generator that its observation seeds."""

    def __init__(self, seed):
        self.seed = seed

    def action_probabilities(self, observations, action_masks):
        mixes = np.array([np.random.default_rng([self.seed, crc32(each.tobytes())]).random(action_masks.shape[1])
                          for each in observations])  # fmt: skip
        mixes = np.where(action_masks == 1, mixes**2 + 1e-3, 0.0)
        return mixes / mixes.sum(axis=1, keepdims=True)


def worth(game, policies, player, responds):
    """A player's payoff if starts pay nothing: of its policy, or of a best response with perfect recall."""
    starts = [(float(start.probability), start.state) for start in game.initial()]
    return _Beliefs(game, policies, player, responds).worth(starts)


class _Beliefs:
    def __init__(self, game, policies, player, responds):
        self.game, self.policies, self.player, self.responds, self.known = game, policies, player, responds, {}

    def mix(self, state, seat):
        seen = self.game.observation(state, seat)
        key = seat, seen.tobytes()
        if key not in self.known:
            mask = self.game.action_mask(state, seat)
            self.known[key] = self.policies[seat].action_probabilities(seen[None], mask[None])[0].tolist()
        return self.known[key]

    def worth(self, weighted):
        """The payoff, weighted, from histories that the player could not tell apart before its next observation."""
        groups = defaultdict(list)
        for weight, state in weighted:
            if acting := self.game.acting_players(state):
                acts = self.player in acting
                groups[self.game.observation(state, self.player).tobytes(), acts].append((weight, state))
        return sum(self.decided(group) if acts else self.after(group, None) for (_, acts), group in groups.items())

    def decided(self, group):
        (_, first), *_ = group
        worths = {action: self.after(group, action) for action in self.game.legal_actions(first, self.player)}
        own = self.mix(first, self.player)
        return max(worths.values()) if self.responds else sum(own[action] * each for action, each in worths.items())

    def after(self, group, own):
        paid, following = 0.0, []
        for weight, state in group:
            mixes = {seat: self.mix(state, seat) for seat in self.game.acting_players(state) if seat != self.player}
            for actions in joint_actions(self.game, state):
                if actions.get(self.player) == own:
                    share = weight * prod(mixes[seat][actions[seat]] for seat in mixes)
                    for outcome in self.game.transitions(state, actions):
                        paid += share * float(outcome.probability) * outcome.rewards[self.player]
                        following.append((share * float(outcome.probability), outcome.state))
        return paid + self.worth(following)
