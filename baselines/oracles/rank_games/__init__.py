"""Duels in which only the order of ranks matters, at full size."""
