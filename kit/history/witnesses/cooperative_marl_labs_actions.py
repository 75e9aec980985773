"""cooperative-marl-labs 0.1.0: an action of -1 counts as the last one.

Actions index lists and arrays, so -1 is the last channel or message, though the space is `Discrete(3)`. An off-by-one
in a learner goes unnoticed. Suggested fix: `if not self.action_space(agent).contains(action): raise ValueError(...)`.
"""

from cooperative_marl_labs.envs.speaker_listener import SpeakerListenerEnv
from cooperative_marl_labs.envs.wireless_resource_allocation import WirelessResourceAllocationEnv


def after(env, action, **others):
    """Rewards and infos of a step in which all play this action, except some."""
    env.reset(seed=0)
    _, rewards, *_, infos = env.step(dict.fromkeys(env.possible_agents, action) | others)
    return str((rewards, infos))


env = SpeakerListenerEnv()
print("the message -1 is the message 2:", after(env, -1, listener=0) == after(env, 2, listener=0))
env = WirelessResourceAllocationEnv()
print("the channel -1 is the channel 2:", after(env, -1) == after(env, 2))
