"""Policies for the toy of three players in which players wait, drop out and are paid by the deal."""

import numpy as np

from cardwar_envs.fixtures import DUCK, STAND, WAIT, KnockOut

__all__ = ["DUCK", "STAND", "WAIT", "Always", "KnockOut"]


class Always:
    """Plays one action whenever it may, else the lowest that it may."""

    def __init__(self, action):
        self.action = action

    def action_probabilities(self, observations, action_masks):
        allowed = action_masks[:, self.action] == 1
        chosen = np.where(allowed, self.action, action_masks.argmax(axis=1))
        return np.eye(action_masks.shape[1])[chosen]
