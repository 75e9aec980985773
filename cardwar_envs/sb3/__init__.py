"""Stable-Baselines3 and sb3-contrib for simultaneous-move games.

    from sb3_contrib import MaskablePPO
    from cardwar_envs import make_game
    from cardwar_envs.sb3 import ExploitabilityCallback, from_sb3, make_self_play

    game = make_game("jujitsu", num_cards=4)
    model = MaskablePPO("MlpPolicy", make_self_play(game, num_games=64), n_steps=20, batch_size=1280, ent_coef=0.1)
    model.learn(200_000, callback=ExploitabilityCallback(game, every=20_000))
    policy = from_sb3(model)  # for the oracles, for opponent=policy, for matches

`make_self_play` makes environments in which the model has every seat; `make_against` makes environments in which
policies have the other seats. Both are SB3 `VecEnv`s with action masks. Single-agent environments work as well:
`make_vec_env("cardwar/Jujitsu-v0", env_kwargs={"num_cards": 4})` with MaskablePPO("MultiInputPolicy"), and SB3's own
PPO with `illegal_action="forfeit"` in `env_kwargs`.

Requires Stable-Baselines3 (extra `train`).
"""

try:
    import stable_baselines3 as _sb3  # noqa: F401  # imported here for a clear error
except ModuleNotFoundError as error:
    raise ImportError(
        f"cardwar_envs.sb3 needs {error.name}; it comes with the extra: pip install 'cardwar-envs[train]'",
        name=error.name,
    ) from None

from cardwar_envs.sb3.against import AgainstVecEnv, Opponents, make_against, one_seat_each
from cardwar_envs.sb3.callback import ExploitabilityCallback
from cardwar_envs.sb3.model_policy import SB3Policy, from_sb3
from cardwar_envs.sb3.self_play import SelfPlayVecEnv, make_self_play

__all__ = [
    "AgainstVecEnv",
    "ExploitabilityCallback",
    "Opponents",
    "SB3Policy",
    "SelfPlayVecEnv",
    "from_sb3",
    "make_against",
    "make_self_play",
    "one_seat_each",
]
