"""Opponents of graded strength: learned policies that ship with the package, evaluated in NumPy."""
