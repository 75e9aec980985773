"""Games with private information in which both players move once."""
