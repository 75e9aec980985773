"""Interviews of agents: queries an agent, stores every answer, and computes figures from the answers."""
