"""Exact answers about games: one oracle for each family, and the choice among them."""
