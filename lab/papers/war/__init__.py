"""WAR with Auction Rounds 2017."""

from lab.papers.printed import read_paper

PAPER = read_paper(__file__)
