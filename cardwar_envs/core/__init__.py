"""The rules' side of the suite: what a game is, what a policy is, and how one is played."""
