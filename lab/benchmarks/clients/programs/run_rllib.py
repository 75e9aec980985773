"""RLlib's wrapper of the Parallel environment."""

from each_game import on_each_game
from ray.rllib.env.wrappers.pettingzoo_env import ParallelPettingZooEnv

from cardwar_envs.envs.parallel import ParallelGameEnv


def play(game):
    """Plays 20 games with legal actions."""
    env = ParallelPettingZooEnv(ParallelGameEnv(game))
    for seed in range(20):
        observations, _ = env.reset(seed=seed)
        over = False
        while not over:
            spaces = {agent: env.get_action_space(agent) for agent in observations}
            actions = {agent: spaces[agent].sample(seen["action_mask"]) for agent, seen in observations.items()}
            observations, _, terminated, truncated, _ = env.step(actions)
            over = terminated["__all__"] or truncated["__all__"] or not observations


on_each_game("`ParallelPettingZooEnv`, 20 games with masks", play)
