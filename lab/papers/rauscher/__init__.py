"""Rauscher 2017: Dice Poker."""

from lab.papers.printed import read_paper

PAPER = read_paper(__file__)
