"""Undercut: both name a number at once; who names exactly one less than the other takes both."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from cardwar_envs import CERTAIN, Game, GameFacts, Transition, whole_number


@dataclass(frozen=True)
class Undercut(Game):
    """State: (rounds left, score of player 0 minus that of player 1)."""

    name: ClassVar[str] = "undercut"
    rounds: int = 3
    highest: int = 5

    def __post_init__(self):
        whole_number("rounds", self.rounds, range(1, 21))
        whole_number("highest", self.highest, range(2, 21))

    @property
    def facts(self):
        most = self.rounds * 2 * self.highest
        return GameFacts(
            name=self.name,
            version=self.version,
            num_players=2,
            num_actions=self.highest,
            observation_low=(0, -most),
            observation_high=(self.rounds, most),
            min_payoff=-most,
            max_payoff=most,
            zero_sum=True,
            seat_symmetric=True,
            public_state=True,
            max_length=self.rounds,
            chance="none",
        )

    def initial(self):
        return [Transition(CERTAIN, (self.rounds, 0), (0.0, 0.0))]

    def acting_players(self, state):
        return (0, 1) if state[0] else ()

    def legal_actions(self, state, player):
        return tuple(range(self.highest))

    def transitions(self, state, actions):
        first, second = actions[0] + 1, actions[1] + 1
        paid = first + second if first == second - 1 else -first - second if second == first - 1 else first - second
        return [Transition(CERTAIN, (state[0] - 1, state[1] + paid), (float(paid), float(-paid)))]

    def observation(self, state, player):
        return np.array([state[0], state[1] if player == 0 else -state[1]], dtype=np.float32)

    def state_of(self, observation):
        return (int(observation[0]), int(observation[1])), 0

    def check(self, state):
        whole = isinstance(state, tuple) and [type(number) for number in state] == [int, int]
        if not (whole and 0 <= state[0] <= self.rounds and abs(state[1]) <= self.facts.max_payoff):
            raise ValueError(f"state ({state!r}) must be (rounds left, score)")

    def describe(self, state):
        return f"{state[0]} rounds left, score {state[1]}"

    def describe_action(self, action, player=0):
        return str(action + 1)
