"""highway-env 1.12.1, highway-fast-v0: the info of reset() names a random action, and 2.7 is played as 2.

`reset` fills `info["action"]` with a sample of `action_space`, which no seed determines, though nobody has acted yet:
two runs with the same seed log different infos, and the space's own random stream moves on. An action of 2.7 is cut to
2 without an error. Suggested fixes: leave the action out of the first info; check `action_space.contains(action)`.
"""

import gymnasium
import highway_env  # noqa: F401  # registers the environments

env = gymnasium.make("highway-fast-v0")
print("info['action'] after reset(seed=1), eight times:", [int(env.reset(seed=1)[1]["action"]) for _ in range(8)])


def after(action):
    env.reset(seed=1)
    observation, reward, *_ = env.step(action)
    return observation.tolist(), reward


print(f"{env.action_space}; the action 2.7 gives what 2 gives: {after(2.7) == after(2)}")
