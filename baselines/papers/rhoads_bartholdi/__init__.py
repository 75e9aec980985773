"""Rhoads and Bartholdi 2012, "Computer Solution to the Game of Pure Strategy"."""

from baselines.papers.printed import read_paper

PAPER = read_paper(__file__)
