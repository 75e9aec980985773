"""What steps a batch of games: through the rules, or compiled."""
