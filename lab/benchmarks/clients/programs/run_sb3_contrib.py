"""MaskablePPO of sb3-contrib, which gets the masks from the environment."""

import gymnasium
from each_game import on_each_game
from sb3_contrib import MaskablePPO


def learn(game):
    """Trains briefly; an illegal action would raise an error."""
    env = gymnasium.make("cardwar/game-v0", game=game)
    MaskablePPO("MultiInputPolicy", env, n_steps=64, device="cpu").learn(128)


on_each_game("MaskablePPO, 128 steps, masks", learn)
