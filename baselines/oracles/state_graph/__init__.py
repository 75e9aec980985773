"""Any finite game, its states listed."""
