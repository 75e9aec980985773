"""The settings of MaskablePPO that sb3-contrib ships, as arguments of `ppo`; it leaves the number of games open."""

LIBRARY: dict[str, int | float] = {
    "rollout": 2048,
    "batch_size": 64,
    "epochs": 10,
    "learning_rate": 3e-4,
    "final_rate": 1.0,
    "gamma": 0.99,
    "gae_lambda": 0.95,
    "normalize_advantage": 1,
    "clip_range": 0.2,
    "entropy": 0.0,
    "width": 64,
    "layers": 2,
    "relu": 0,
}
