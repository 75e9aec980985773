"""Engines, which step a batch of games with the Python rules or with compiled rules."""
