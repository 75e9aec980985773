"""frondori-kitchen 0.1.0: `step` plays 2.7 as 2.

`step` converts actions with `int` before it checks their range, so a number that is no action is cut to one that no
agent chose: 2.7 plays 2 and -0.9 plays 0. Integers outside the range raise ValueError. A policy that by mistake returns
numbers instead of actions is never noticed. Suggested fix: raise unless `self.action_space(agent).contains(action)`.
"""

from frondori_kitchen import KitchenEnv


def after(action):
    """What chef_0 observes of itself after it has played an action."""
    env = KitchenEnv()
    env.reset(seed=1)
    return env.step({"chef_0": action, "chef_1": 0})[0]["chef_0"]["self"]


for action, whole in [(2.7, 2), (-0.9, 0)]:
    contained = KitchenEnv().action_space("chef_0").contains(action)
    print(f"{action} is an action: {contained}; it plays {whole}: {(after(action) == after(whole)).all()}")
try:
    after(6)
except ValueError as error:
    print("6 raises ValueError:", error)
