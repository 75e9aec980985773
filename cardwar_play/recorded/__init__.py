"""Games that were recorded elsewhere, replayed by the rules."""
