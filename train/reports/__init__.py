"""Reports on runs: groups of seeds, tables, pages, curves, play-offs."""
