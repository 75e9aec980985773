"""Engines, which step a batch of games through the Python rules or compiled."""
