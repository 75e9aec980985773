"""Learners without a network, which go over all states of a small game."""
