"""Gymnasium's RecordVideo, which writes videos with moviepy."""

from pathlib import Path

import gymnasium
from each_game import on_each_game
from gymnasium.wrappers import RecordVideo


def film(game):
    """Records one episode."""
    folder = Path(game.facts.name)
    env = RecordVideo(gymnasium.make("cardwar/game-v0", game=game, render_mode="rgb_array"), str(folder))
    observation, _ = env.reset(seed=0)
    done = False
    while not done:
        observation, _, terminated, truncated, _ = env.step(env.action_space.sample(observation["action_mask"]))
        done = terminated or truncated
    env.close()
    if not list(folder.glob("*.mp4")):
        raise RuntimeError("no video was written")


on_each_game("Gymnasium's `RecordVideo`, one film", film)
