"""pettingzoo 1.27.0, pursuit_v5: in AEC, who moves later in a cycle sees where the others have moved.

The metadata says `is_parallelizable`, and PettingZoo documents of such an environment that it "does not update the
observations of the agents except at the end of a cycle". Each pursuer moves as soon as it acts, so that the pursuers
after it observe its new place, while in the Parallel version all choose by the same old places: a policy learned in one
version acts on other information than in the other. Suggested fix: keep the actions until the last pursuer has acted.
"""

from pettingzoo.sisl import pursuit_v5


def after(action):
    """What pursuer_1 observes after the action of pursuer_0, which acts before it in the same cycle."""
    env = pursuit_v5.env()
    env.reset(seed=0)
    env.step(action)
    assert env.agent_selection == "pursuer_1"
    return env.observe("pursuer_1")


stays = after(4)
for action, name in enumerate(["left", "right", "up", "down"]):
    print(f"pursuer_0 goes {name}: pursuer_1 observes the same as if it stayed: {(after(action) == stays).all()}")
print("is_parallelizable:", pursuit_v5.env().metadata["is_parallelizable"])
