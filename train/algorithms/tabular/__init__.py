"""Learners without a network; each iteration goes over all states of a small game."""
