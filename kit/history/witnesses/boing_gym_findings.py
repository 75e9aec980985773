"""boing-gym 0.1.0: observations leave their space, 2.7 is played as 2, and render() returns its cache.

The ball is observed up to 55 pixels outside the picture, while the space ends at 50. Actions are cut to integers.
`render` keeps the picture that it returns, so whoever draws into it sees that again. Suggested fixes: widen the space;
check `action_space.contains(action)`; return a copy.
"""

import boing_gym  # noqa: F401  # registers the environment
import gymnasium

env = gymnasium.make("Boing-v0", disable_env_checker=True)
low, outside = env.observation_space.low[0], []
for seed in range(8):
    env.reset(seed=seed)
    over = False
    while not over and not outside:
        observation, _, over, *_ = env.step(0)
        outside = [float(observation[0])] if not env.observation_space.contains(observation) else []
print("x of the ball:", outside, "bound:", low)


def after(action):
    env.reset(seed=1)
    return [env.step(action)[0].tolist() for _ in range(3)]


print(f"{env.action_space}; the action 2.7 gives what 2 gives: {after(2.7) == after(2)}")
picture = env.render()
picture[:] = 7
print("after writing 7 into a picture, the next one begins with", env.render()[0, 0].tolist())
