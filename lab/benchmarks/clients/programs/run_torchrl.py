"""TorchRL's GymEnv, and its PettingZooWrapper on both interfaces, with masks."""

import torch
from each_game import on_each_game
from pettingzoo.utils import BaseParallelWrapper, BaseWrapper
from torchrl.envs import ActionMask, GymEnv, PettingZooWrapper, TransformedEnv
from torchrl.envs.utils import check_env_specs

from cardwar_envs import War
from cardwar_envs.envs.aec import AECGameEnv
from cardwar_envs.envs.parallel import ParallelGameEnv


def without_masks(infos):
    """Removes masks from `infos`: if the observation has one too, TorchRL leaves it there and fails on other infos."""
    return {agent: {key: told for key, told in info.items() if key != "action_mask"} for agent, info in infos.items()}


class WithoutMasks(BaseParallelWrapper):
    """Has masks in observations only; only WAR needs this, because its infos also have a `utility`."""

    def reset(self, seed=None, options=None):
        observations, infos = super().reset(seed=seed, options=options)
        return observations, without_masks(infos)

    def step(self, actions):
        *rest, infos = super().step(actions)
        return *rest, without_masks(infos)


class WithoutMasksAEC(BaseWrapper):
    """The same for AEC."""

    @property
    def infos(self):
        return without_masks(self.env.infos)


def single(game, **arguments):
    """The Gymnasium environment; TorchRL passes a keyword of its own, `frameskip`, to the constructor."""
    return GymEnv("cardwar/game-v0", game=game, **arguments)


def parallel(game):
    """The Parallel environment; agents may leave before the end."""
    env = ParallelGameEnv(game)
    return PettingZooWrapper(WithoutMasks(env) if isinstance(game, War) else env, use_mask=True, done_on_any=False)


def aec(game):
    """The AEC environment."""
    env = AECGameEnv(game)
    return PettingZooWrapper(WithoutMasksAEC(env) if isinstance(game, War) else env, use_mask=True, done_on_any=False)


def check_aec(game):
    """Restarts games that end before the checker's third step; by default the checker draws an action after the end."""
    check_env_specs(aec(game), break_when_any_done=False)


def play(env):
    """Plays 20 games with legal actions drawn by TorchRL."""
    torch.manual_seed(0)
    for _ in range(20):
        env.rollout(1000)


on_each_game(
    "`GymEnv`: `check_env_specs`, illegal actions forfeit",
    lambda game: check_env_specs(single(game, illegal_action="forfeit")),
)
on_each_game(
    "`GymEnv`: 20 rollouts with masks, by `ActionMask`", lambda game: play(TransformedEnv(single(game), ActionMask()))
)
on_each_game("Parallel, WAR without masks in infos: `check_env_specs`", lambda game: check_env_specs(parallel(game)))
on_each_game("Parallel, WAR without masks in infos: 20 rollouts with masks", lambda game: play(parallel(game)))
on_each_game("AEC, WAR without masks in infos: `check_env_specs(..., break_when_any_done=False)`", check_aec)
on_each_game("AEC, WAR without masks in infos: 20 rollouts with masks", lambda game: play(aec(game)))
