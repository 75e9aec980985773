"""Exact results for games of many rounds over few positions, by value iteration."""
