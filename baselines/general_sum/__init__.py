"""Equilibria of games in which payoffs do not sum to zero: found here, and verified by `baselines.nash`."""
