"""Games between policies: played in batches, with confidence intervals; and play that looks one move ahead."""
