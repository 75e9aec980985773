"""Files and processors."""
