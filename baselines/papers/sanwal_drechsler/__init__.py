"""Sanwal and Drechsler 2002: Jujitsu."""

from baselines.papers.printed import read_paper

PAPER = read_paper(__file__)
