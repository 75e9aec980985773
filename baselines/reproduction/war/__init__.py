"""WAR with Auction Rounds 2017."""
