"""Files of runs and policies: whole or absent, and checked when they are read."""
