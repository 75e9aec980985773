"""Functions that make environments."""

from cardwar_envs import jujitsu_v0


def needs_size(size):
    return jujitsu_v0.parallel_env(num_cards=size)


def noisy(render_mode=None):
    """Prints once, when the second environment is made: the first one only shows that it can be."""
    made.append(jujitsu_v0.parallel_env(num_cards=3, render_mode=render_mode))
    if len(made) == 3:
        print("the checks have begun")
    return made[-1]


made = []
