"""minigrid 3.2.0, MiniGrid-Dynamic-Obstacles: any action above 2 turns left; others raise too late.

`step` replaces an action of `action_space.n` or more by 0, "left", so a learner's wrong index goes unnoticed. An action
of -1 or 0.5 raises, but the obstacles have moved by then, so whoever catches the error plays another game. Suggested
fix: `if not self.action_space.contains(action): raise ValueError(...)` as the first line of `step`.
"""

import gymnasium
import minigrid  # noqa: F401  # registers the environments


def after(action):
    """What a step with an action gives in the game of seed 0."""
    env = gymnasium.make("MiniGrid-Dynamic-Obstacles-6x6-v0")
    env.reset(seed=0)
    observation, *rest = env.step(action)
    return observation["image"].tolist(), observation["direction"], rest


env = gymnasium.make("MiniGrid-Dynamic-Obstacles-6x6-v0")
print(f"{env.action_space}; the action 1,000,000 counts as 0: {after(1_000_000) == after(0)}")
env.reset(seed=0)
obstacles = env.unwrapped.obstacles
before = [tuple(map(int, each.cur_pos)) for each in obstacles]
try:
    env.step(-1)
except ValueError as error:
    print(f"step(-1) raises ValueError ({error}); obstacles before: {before}", end=", ")
    print("after:", [tuple(map(int, each.cur_pos)) for each in obstacles])
