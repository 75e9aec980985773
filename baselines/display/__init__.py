"""Displays optimal play at a state: as data, figures and HTML."""
