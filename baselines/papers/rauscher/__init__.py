"""Rauscher 2017: Dice Poker."""

from baselines.papers.printed import read_paper

PAPER = read_paper(__file__)
