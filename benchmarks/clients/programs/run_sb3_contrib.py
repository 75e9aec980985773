"""MaskablePPO of sb3-contrib, which finds the masks by itself."""

import gymnasium
from each_game import on_each_game
from sb3_contrib import MaskablePPO


def learn(game):
    """Learns a little; an illegal action would raise an error."""
    env = gymnasium.make("cardwar/game-v0", game=game)
    MaskablePPO("MultiInputPolicy", env, n_steps=64, device="cpu").learn(128)


on_each_game("MaskablePPO, 128 steps, masks", learn)
