"""A toy of three players in which players wait, drop out and are paid by the deal: what no duel shows."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from cardwar_envs import Game, GameFacts, Transition
from cardwar_envs.core.parameters import reading_state

DUCK, STAND, WAIT = range(3)


@dataclass(frozen=True)
class KnockOut(Game):
    """Some turns; a state is (turn, players still in).

    The deal pays player 0 half a point in one game of four. In every second turn the lowest
    player waits. If exactly one of those who act stands, it is knocked out in half of the cases,
    and pays one point, which those who are left share.
    """

    name: ClassVar[str] = "knock_out"
    turns: int = 4

    @property
    def facts(self):
        return GameFacts(
            name="knock_out", version=0, num_players=3, num_actions=3,
            observation_low=(0.0,) * 5, observation_high=(2.0, self.turns, 1.0, 1.0, 1.0),
            min_payoff=-1.25, max_payoff=2.0, zero_sum=True, seat_symmetric=False, public_state=True,
            max_length=self.turns, everyone_acts=False,
        )  # fmt: skip

    def initial(self):
        start = (0, (0, 1, 2))
        return [
            Transition(Fraction(1, 4), start, (0.5, -0.25, -0.25)),
            Transition(Fraction(3, 4), start, (0.0, 0.0, 0.0)),
        ]

    def acting_players(self, state):
        turn, players = state
        if turn == self.turns or len(players) == 1:
            return ()
        return players[turn % 2 :]

    def live_players(self, state):
        return state[1] if self.acting_players(state) else ()

    def legal_actions(self, state, player):
        if player in self.acting_players(state):
            return (DUCK, STAND)
        return (WAIT,) if player in self.live_players(state) else ()

    def transitions(self, state, actions):
        assert tuple(actions) == self.acting_players(state), "the acting players' actions, and no others"
        turn, players = state
        missed = Transition(Fraction(1), (turn + 1, players), (0.0, 0.0, 0.0))
        standing = [player for player, action in actions.items() if action == STAND]
        if len(standing) != 1:
            return [missed]
        left = tuple(player for player in players if player != standing[0])
        paid = tuple(-1.0 if p == standing[0] else (p in left) / len(left) for p in range(3))
        return [missed._replace(probability=Fraction(1, 2)), Transition(Fraction(1, 2), (turn + 1, left), paid)]

    def observation(self, state, player):
        turn, players = state
        return np.array([player, turn, *(p in players for p in range(3))], dtype=np.float32)

    def check(self, state):
        with reading_state(state, "a turn and the players still in"):
            turn, players = state
            if turn not in range(self.turns + 1) or not players or not set(players) <= {0, 1, 2}:
                raise ValueError

    def describe(self, state):
        return f"turn {state[0]}, still in {state[1]}"

    def describe_action(self, action, player=0):
        return ("duck", "stand", "wait")[action]


class Always:
    """Plays one action whenever it may, else the lowest that it may."""

    def __init__(self, action):
        self.action = action

    def action_probabilities(self, observations, action_masks):
        allowed = action_masks[:, self.action] == 1
        chosen = np.where(allowed, self.action, action_masks.argmax(axis=1))
        return np.eye(action_masks.shape[1])[chosen]
