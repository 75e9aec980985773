"""Asks an agent what it plays, keeps every answer, and computes what follows exactly from the answers."""
