"""Interactive play: one trainer for the terminal and the browser."""
