"""mpe2 1.1.1, all AEC environments: agents that move later in a round can read the actions of earlier agents.

MPE's agents move simultaneously, so in AEC the actions of a round are stored until the last agent has moved, in the
public attribute `current_actions`. A policy that has access to the environment, such as a planner, can read them.
Observations do not show them, so ordinary learners are not affected. Suggested fix: use a private attribute, and
document that copies of the environment contain the actions of the current round.
"""

from mpe2 import simple_tag_v3

env = simple_tag_v3.env()
env.reset(seed=1)
print("adversary_0 chooses 3")
env.step(3)
print(env.agent_selection, "is to move and reads:", env.unwrapped.current_actions)
