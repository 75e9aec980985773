"""Generates the parts of the documents that describe games and commands."""
