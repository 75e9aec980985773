"""The table of standings: entries, each a learned policy with its exact exploitability and the cost of learning it."""
