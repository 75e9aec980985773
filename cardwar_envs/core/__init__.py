"""What a game is, what a policy is, and how policies play a game."""
