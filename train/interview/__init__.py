"""Interviews an agent: queries it, stores every answer, and computes exact figures from the answers."""
