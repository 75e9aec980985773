"""gymnasium-robotics 1.4.2, FetchReach-v4: an action of NaN breaks the simulation without an error.

`step` clips the action to its bounds, which keeps NaN. MuJoCo only prints a warning and resets its state in the middle
of the episode, so a learner whose network returned NaN goes on with wrong data. Suggested fix: raise a ValueError
unless `action_space.contains(action)`, or unless the action is finite.
"""

import gymnasium
import gymnasium_robotics
import numpy as np

gymnasium.register_envs(gymnasium_robotics)
env = gymnasium.make("FetchReach-v4", disable_env_checker=True)
start = env.reset(seed=0)[0]["observation"][:3]
print("place of the gripper at first:", start.round(2).tolist())
for action in (np.full(4, np.nan, np.float32), np.zeros(4, np.float32)):
    observation, reward, *_ = env.step(action)
    place = observation["observation"][:3].round(2).tolist()
    print(f"after {action[0]}: {place}, reward {reward}, in its space: {env.observation_space.contains(observation)}")
