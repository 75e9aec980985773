"""Sanwal and Drechsler 2002: Jujitsu."""

from lab.papers.printed import read_paper

PAPER = read_paper(__file__)
