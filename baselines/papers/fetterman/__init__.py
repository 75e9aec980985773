"""Fetterman 2023: Dinosaur War."""

from baselines.papers.printed import read_paper

PAPER = read_paper(__file__)
