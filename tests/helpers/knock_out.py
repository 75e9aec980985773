"""Policies for the toy of three players in which players wait, drop out and are paid by the deal."""

from dataclasses import replace

import numpy as np

from cardwar_envs import CERTAIN
from cardwar_envs.fixtures import DUCK, STAND, WAIT, KnockOut

__all__ = ["DUCK", "STAND", "WAIT", "Always", "Consoling", "KnockOut"]


class Consoling(KnockOut, keeps_claims=True):
    """Knock out without payments by the deal; each later move pays half a point to every player who has left."""

    @property
    def facts(self):
        return replace(super().facts, zero_sum=False, max_payoff=4.0)

    def initial(self):
        return [super().initial()[1]._replace(probability=CERTAIN, rewards=(0.0,) * 3)]

    def transitions(self, state, actions):
        extra = [0.0 if player in state[1] else 0.5 for player in range(3)]
        found = super().transitions(state, actions)
        return [each._replace(rewards=tuple(np.add(each.rewards, extra).tolist())) for each in found]


class Always:
    """Plays one action whenever it may, else the lowest that it may."""

    def __init__(self, action):
        self.action = action

    def action_probabilities(self, observations, action_masks):
        allowed = action_masks[:, self.action] == 1
        chosen = np.where(allowed, self.action, action_masks.argmax(axis=1))
        return np.eye(action_masks.shape[1])[chosen]
