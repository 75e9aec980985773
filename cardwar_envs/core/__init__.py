"""Games, policies, and episodes of policies playing games."""
