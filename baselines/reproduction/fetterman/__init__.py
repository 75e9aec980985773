"""Fetterman 2023: Dinosaur War."""
