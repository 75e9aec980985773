"""Studies, which are many runs described by one file."""
