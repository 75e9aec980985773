"""Fetterman 2023: Dinosaur War."""

from lab.papers.printed import read_paper

PAPER = read_paper(__file__)
