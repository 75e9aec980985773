"""Reports on runs: groups of seeds, tables, pages, curves and play-offs."""
