"""Collects the learners' experience: plays games, and stores their results in buffers."""
