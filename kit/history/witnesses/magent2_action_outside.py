"""magent2 0.3.4, adversarial_pursuit_v4: an action outside the space corrupts memory and kills the process.

No layer checks actions before they reach the C++ engine. If an agent passes 100000 instead of an action in Discrete(9),
the process dies with a segmentation fault; 17 ends in "double free or corruption" or, worse, goes unnoticed. A step
after the end also crashes (with map_size=7 the game has no predator and ends after one step). Suggested fix: in `step`
of magent_env.py, raise ValueError unless `self.action_space(agent).contains(action)`, and return empty dicts if
`self.agents` is empty.
"""

import subprocess
import sys

GAME = """
from magent2.environments import adversarial_pursuit_v4

env = adversarial_pursuit_v4.parallel_env(map_size={size})
env.reset(seed=1)
for _ in range(20):
    env.step(dict.fromkeys(env.agents, {action}))
"""

for size, action in [(45, 0), (45, 17), (45, 100000), (7, 0)]:
    command = [sys.executable, "-c", GAME.format(size=size, action=action)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    print(f"map_size={size}, action {action}: exit status {done.returncode} {done.stderr.strip()[-60:]}")
