"""mosaic-multigrid 7.0.0, PettingZooWrapper: shared spaces and observations, infos without agents, broken copies.

All environments share the space of missions, so that seeding it in one changes what another draws; two agents get the
very same mission array. A step with an illegal action raises, but has drawn from the generator by then. In the last
step, infos lack the agents that go out; a further step goes on with the game. There is no attribute `render_mode`, and
a deep copy cannot be stepped. Suggested fixes: make the space in each environment; copy the mission; check actions
first; keep the infos of agents that go out; pass `render_mode` on; define `AgentState.__deepcopy__`.
"""

import copy

import gymnasium
import mosaic_multigrid.envs  # noqa: F401  # registers the environments
from mosaic_multigrid.pettingzoo import PettingZooWrapper


def made(**parameters):
    return PettingZooWrapper(gymnasium.make("MosaicMultiGrid-C-1v1-IndAgObs-v1", **parameters))


first, second = made(), made()
print(
    "two environments share a space:", first.observation_space(0)["mission"] is second.observation_space(0)["mission"]
)
observations, _ = first.reset(seed=0)
print("two agents share an array:", observations[0]["mission"] is observations[1]["mission"])
state = first.env.unwrapped.np_random.bit_generator.state
try:
    first.step({0: -1, 1: 0})
except ValueError as error:
    kept = state == first.env.unwrapped.np_random.bit_generator.state
    print(f"step raises ValueError ({error}); the generator is as before: {kept}")
first.reset(seed=0)
while first.agents:
    *_, infos = first.step(dict.fromkeys(first.agents, 6))
print("infos of the last step:", infos)
print("a step after the end returns:", first.step({0: 0, 1: 0})[1:4])
print("the environment has render_mode:", hasattr(made(render_mode="rgb_array"), "render_mode"))
second.reset(seed=0)
second.step({0: 0, 1: 0})
try:
    copy.deepcopy(second).step({0: 0, 1: 0})
except AttributeError as error:
    print("a step of a deep copy raises AttributeError:", error)
