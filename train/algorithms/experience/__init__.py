"""Where learners get their experience: games played, and buffers of what came of them."""
