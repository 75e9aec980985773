"""Exact results for games with private information in which both players move once."""
