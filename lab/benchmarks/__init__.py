"""Speed, measured beside that of others in one run."""
