"""WAR with Auction Rounds."""

from cardwar_envs.games.war.rules import War

__all__ = ["War"]
