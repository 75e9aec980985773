"""Files of runs and policies. A file is either complete or absent, and is checked when it is read."""
