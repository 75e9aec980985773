"""Generates the parts of the documentation that describe games and commands."""
