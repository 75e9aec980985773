"""Games that are not duels, for what duels cannot show, and policies good and bad."""

import zlib
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import ClassVar

import numpy as np

from cardwar_envs import Game, GameFacts, Transition


@dataclass(frozen=True)
class Toy(Game):
    """A game as a table: state -> (acting players, {joint action: [(probability, state, payoff to player 0)]}).

    A state is a number, an observation the state and the player. Payoffs beyond the two of
    player 0 and 1 are 0.
    """

    name: ClassVar[str] = "toy"
    table: tuple
    starts: tuple = ((Fraction(1), 0, 0.0),)
    players: int = 2
    public: bool = True
    zero_sum: bool = True

    @property
    def facts(self):
        return GameFacts(
            name="toy", version=0, num_players=self.players, num_actions=3,
            observation_low=(0.0, 0.0), observation_high=(99.0, 9.0),
            min_payoff=-99.0, max_payoff=99.0, zero_sum=self.zero_sum, seat_symmetric=False,
            public_state=self.public, max_length=9,
        )  # fmt: skip

    def _rewards(self, payoff):
        return (float(payoff), -float(payoff), *(0.0,) * (self.players - 2))

    def initial(self):
        return [Transition(p, state, self._rewards(paid)) for p, state, paid in self.starts]

    def acting_players(self, state):
        return self.table[state][0] if state < len(self.table) else ()

    def legal_actions(self, state, player):
        acting, moves = self.table[state]
        return tuple(sorted({joint[acting.index(player)] for joint in moves})) if player in acting else ()

    def transitions(self, state, actions):
        acting, moves = self.table[state]
        assert set(actions) == set(acting), "the acting players' actions, and no others"
        outcomes = moves[tuple(actions[player] for player in acting)]
        return [Transition(Fraction(p), after, self._rewards(paid)) for p, after, paid in outcomes]

    def observation(self, state, player):
        return np.array([state, player], dtype=np.float32)

    def state_of(self, observation):
        return int(observation[0]), int(observation[1])

    def check(self, state):
        if state not in range(len(self.table) + 1):
            raise ValueError(f"state ({state}) must be in 0..{len(self.table)}")

    def describe(self, state):
        return str(state)

    def describe_action(self, action, player=0):
        return str(action)

    def __hash__(self):
        return id(self)


END = 99


def in_turn():
    """Player 0 moves; player 1 sees it and moves. Payoffs (3, -1) after 0, (2, 5) after 1: value 2 by (1, 1)."""
    return Toy(
        (
            ((0,), {(0,): [(1, 1, 0)], (1,): [(1, 2, 0)]}),
            ((1,), {(1,): [(1, END, 3)], (2,): [(1, END, -1)]}),
            ((1,), {(1,): [(1, END, 2)], (2,): [(1, END, 5)]}),
        )
    )


def paid_start():
    """Heads (probability 1/4): player 0 has 4 points at once and the game is over; tails: matching pennies for 8."""
    pennies = {(i, j): [(1, END, 8 if i == j else 0)] for i in (0, 1) for j in (0, 1)}
    return Toy((((0, 1), pennies),), starts=((Fraction(1, 4), END, 4.0), (Fraction(3, 4), 0, -1.0)))


def endless():
    """Two states that lead to each other."""
    return Toy((((0, 1), {(0, 0): [(1, 1, 0)], (1, 0): [(1, END, 1)]}), ((0, 1), {(0, 0): [(1, 0, 0)]})))


def one_step(**facts):
    """A game of one choice."""
    return Toy((((0, 1), {(0, 0): [(1, END, 1)], (1, 0): [(1, END, 2)]}),), **facts)


class Unpaid(Toy):
    """Nobody else pays what player 0 gets, so the payoffs have no constant sum."""

    def _rewards(self, payoff):
        return (float(payoff), *(0.0,) * (self.players - 1))


def general_sum():
    """A game of one choice that is not constant-sum."""
    return Unpaid(one_step().table, zero_sum=False)


@lru_cache(100_000)
def _drawn(seed, observation, count):
    return np.random.default_rng([seed, zlib.crc32(observation)]).random(count)


class Arbitrary:
    """A fixed, full-support policy without any pattern: weights drawn from a hash of the observation."""

    def __init__(self, seed=0):
        self.seed = seed

    def action_probabilities(self, observations, action_masks):
        rows = [_drawn(self.seed, row.tobytes(), action_masks.shape[1]) for row in observations]
        weights = (np.array(rows).reshape(action_masks.shape) + 0.05) * action_masks
        return weights / weights.sum(axis=1, keepdims=True)


class Answering:
    """Gives whatever a function of (observations, masks) gives."""

    def __init__(self, answer):
        self.answer = answer

    def action_probabilities(self, observations, action_masks):
        return self.answer(observations, action_masks)


def uniform_over(masks):
    return masks / masks.sum(axis=1, keepdims=True)


def _on_illegal(observations, masks):
    return uniform_over(np.ones_like(masks))


def _writes(observations, masks):
    masks[:] = 1  # and so hides that what it plays is illegal
    return uniform_over(masks)


def _nan(observations, masks):
    return np.where(masks == 1, np.nan, 0.0)


def _negative(observations, masks):
    """Sums to one, with -0.25 on one of two legal actions."""
    answer = uniform_over(masks)
    for row in np.flatnonzero(masks.sum(axis=1) > 1):
        first, second = np.flatnonzero(masks[row])[:2]
        answer[row, first] += answer[row, second] + 0.25
        answer[row, second] = -0.25
    return answer


SHAPE = r"probabilities have shape \(\d+, \d+\), not \(\d+, \d+\)"
# kind -> (answer, what the message must say); all see at least one state with an illegal action
BAD_ANSWERS = {
    "too few columns": (lambda o, m: uniform_over(m)[:, :-1], SHAPE),
    "a row short": (lambda o, m: uniform_over(m)[1:], SHAPE),
    "nothing": (lambda o, m: None, "probabilities must be real numbers, not of type object"),
    "sum too large": (lambda o, m: uniform_over(m) * 1.1, "probabilities sum to 1.1, not to 1"),
    "sum too small": (lambda o, m: uniform_over(m) * 0.9, "probabilities sum to 0.9, not to 1"),
    "all zero": (lambda o, m: m * 0.0, "probabilities sum to 0, not to 1"),
    "nan": (_nan, "probabilities must be finite"),
    "infinite": (lambda o, m: np.where(m == 1, np.inf, 0.0), "probabilities must be finite"),
    "negative": (_negative, r"probability -0\.25 is negative"),
    "illegal": (_on_illegal, r"probability 0\.\d+ on illegal action \d; legal actions are \["),
    "writes into the mask": (_writes, r"probability 0\.\d+ on illegal action \d; legal actions are \["),
}  # fmt: skip
