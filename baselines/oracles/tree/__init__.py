"""Exact results for games in which players know different things for several moves."""
