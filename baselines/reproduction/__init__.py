"""The former place of `baselines.papers`."""
