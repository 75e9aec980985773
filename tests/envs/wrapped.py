"""Environments for the kit to check beside those of the games: wrapped ones, and one whose players leave early."""

from pettingzoo.utils import (
    AssertOutOfBoundsWrapper,
    BaseParallelWrapper,
    OrderEnforcingWrapper,
    aec_to_parallel,
    parallel_to_aec,
)

from cardwar_envs import dice_poker_v0, dice_wars_v0, goofspiel_v0, lowest_unique_v0
from cardwar_envs.fixtures import FIXTURES


def order_enforced(render_mode=None):
    return OrderEnforcingWrapper(AssertOutOfBoundsWrapper(dice_poker_v0.env(render_mode=render_mode)))


def as_parallel(render_mode=None):
    return aec_to_parallel(goofspiel_v0.env(num_cards=3, render_mode=render_mode))


def as_aec(render_mode=None):
    return parallel_to_aec(lowest_unique_v0.parallel_env(rounds=2, render_mode=render_mode))


class Flattened(BaseParallelWrapper):
    """Observations are arrays; masks stand in infos, where our environments have them too."""

    def observation_space(self, agent):
        return self.env.observation_space(agent)["observation"]

    def reset(self, seed=None, options=None):
        return self._flat(*self.env.reset(seed, options))

    def step(self, actions):
        return self._flat(*self.env.step(actions))

    def _flat(self, observations, *rest):
        return {agent: seen["observation"] for agent, seen in observations.items()}, *rest


def flattened(render_mode=None):
    return Flattened(dice_wars_v0.parallel_env(num_cards=3, render_mode=render_mode))


def leaving(render_mode=None):
    """Players wait, drop out, and are paid by the deal."""
    return FIXTURES["knock_out"].aec(render_mode=render_mode)


def leaving_parallel(render_mode=None):
    return FIXTURES["knock_out"].parallel(render_mode=render_mode)
