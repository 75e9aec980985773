"""Learners without a network; each of their iterations updates all states of a small game."""
