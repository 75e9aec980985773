"""Skins that turn any game into the environments of the field."""
