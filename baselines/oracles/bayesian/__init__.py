"""Games in which both players move once and have private information."""
