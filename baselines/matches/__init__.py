"""Games between policies, played in batches, with confidence intervals; and one-step look-ahead."""
