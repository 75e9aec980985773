"""Opponents of graded strength: learned policies that come with the package, evaluated in NumPy."""
