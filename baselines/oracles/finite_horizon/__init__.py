"""Exact results of games of many rounds over few positions, by value iteration."""
