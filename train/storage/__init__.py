"""Files of runs and policies; they are written atomically and checked when they are read."""
