"""WAR with Auction Rounds 2017."""

from baselines.papers.printed import read_paper

PAPER = read_paper(__file__)
