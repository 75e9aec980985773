"""Rhoads and Bartholdi 2012, "Computer Solution to the Game of Pure Strategy"."""

from lab.papers.printed import read_paper

PAPER = read_paper(__file__)
