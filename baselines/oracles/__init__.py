"""Exact answers about games: one oracle per family of games, and the choice among them."""
