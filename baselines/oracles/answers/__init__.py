"""What all oracles share: requests, results, checks of the policies that they query."""
