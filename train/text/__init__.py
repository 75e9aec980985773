"""Text to values and back: arguments, games, numbers; validation of data from files."""
