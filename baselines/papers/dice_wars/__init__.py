"""The post "Dice Wars game"."""

from baselines.papers.printed import read_paper

PAPER = read_paper(__file__)
