"""Writes what the documents say of games and commands, from the games and the commands themselves."""
