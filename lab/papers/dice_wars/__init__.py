"""The post "Dice Wars game"."""

from lab.papers.printed import read_paper

PAPER = read_paper(__file__)
