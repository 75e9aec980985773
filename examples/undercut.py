"""Undercut: both players name a number; naming exactly one less than the other wins the sum of both."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from cardwar_envs import CERTAIN, Game, GameFacts, Transition, whole_number


@dataclass(frozen=True)  # the fields are the parameters, which determine the rules
class Undercut(Game):
    """A state is (rounds left, player 0's score minus player 1's). Your game can use any hashable states.

    Chance: if a coin decides whether anything is paid, `transitions` returns two outcomes, and chance="moves"
    (import Fraction from fractions):
        [Transition(Fraction(1, 2), (state[0] - 1, state[1] + p), (float(p), float(-p))) for p in (paid, 0)]
    Other payoffs: if only the winner is paid, the rewards are as follows, and zero_sum=False:
        (float(max(paid, 0)), float(max(-paid, 0)))
    Such a game has no value to solve for; `cardwar exploit` computes the NashConv of a policy.
    """

    name: ClassVar[str] = "undercut"
    rounds: int = 3
    highest: int = 5

    def __post_init__(self):  # raise ValueError for impossible parameters
        whole_number("rounds", self.rounds, range(1, 21))
        whole_number("highest", self.highest, range(2, 21))

    @property
    def how_to_play(self):  # shown to human players
        return (
            f"Both players simultaneously name a number from 1 to {self.highest}. Naming exactly one less than the "
            f"other wins the sum of both numbers; otherwise the higher number wins the difference. You play "
            f"{self.rounds} rounds."
        )

    @property
    def facts(self):  # what solvers must know in advance; `cardwar check` compares it with the rules
        most = self.rounds * 2 * self.highest
        return GameFacts(
            name=self.name,
            version=self.version,
            num_players=2,
            num_actions=self.highest,
            observation_low=(0, -most),  # least and greatest value of each entry of an observation
            observation_high=(self.rounds, most),
            min_payoff=-most,  # total of a game, in payoff points
            max_payoff=most,
            zero_sum=True,
            seat_symmetric=True,  # both seats have the same rules; if False, observations must show the seat
            public_state=True,  # an observation shows the whole state
            max_length=self.rounds,  # in joint actions
            chance="none",  # or "deal" (only in `initial`), or "moves"
        )

    def initial(self):  # all possible starts, each with its probability (a Fraction), state and rewards
        return [Transition(CERTAIN, (self.rounds, 0), (0.0, 0.0))]

    def acting_players(self, state):  # the players who choose now; () if the game is over
        return (0, 1) if state[0] else ()

    def legal_actions(self, state, player):  # whole numbers from 0, ascending
        return tuple(range(self.highest))

    def transitions(self, state, actions):  # all outcomes if player p plays actions[p]
        first, second = actions[0] + 1, actions[1] + 1
        paid = first + second if first == second - 1 else -first - second if second == first - 1 else first - second
        return [Transition(CERTAIN, (state[0] - 1, state[1] + paid), (float(paid), float(-paid)))]

    def observation(self, state, player):  # the state as numbers, as the player sees it
        return np.array([state[0], state[1] if player == 0 else -state[1]], dtype=np.float32)

    def state_of(self, observation):  # the inverse: the state, and the observer's seat (0 if symmetric)
        return (int(observation[0]), int(observation[1])), 0

    def check(self, state):  # optional: raise ValueError for an impossible state
        super().check(state)  # by default, tests types
        if not (0 <= state[0] <= self.rounds and abs(state[1]) <= self.facts.max_payoff):
            raise ValueError(f"state ({state!r}) must be (rounds left, score)")

    def describe(self, state):  # the state as text
        return f"{state[0]} rounds left, score {state[1]}"

    def describe_action(self, action, player=0):  # what a player types or clicks
        return str(action + 1)
