"""A person plays a game: one trainer, in the terminal and in a browser."""
