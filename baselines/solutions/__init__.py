"""Equilibria that ship with the package, to look up and to cite."""
