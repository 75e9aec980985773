"""Equilibria that come with the package, to look up and to cite."""
