"""mpe2 1.1.1, all AEC environments: an action waits where those who move later in the round can read it.

MPE's agents move at once, so in AEC the actions of a round wait in `current_actions`, a public attribute, until the
last agent has moved. An opponent's policy that is given the environment (as planners and search are) sees them.
Observations do not change, so ordinary learners are not affected. Suggested fix: a private attribute, and a sentence
in the documentation that copies of the environment hold the actions of the round.
"""

from mpe2 import simple_tag_v3

env = simple_tag_v3.env()
env.reset(seed=1)
print("adversary_0 chooses 3")
env.step(3)
print(env.agent_selection, "is to move and reads:", env.unwrapped.current_actions)
