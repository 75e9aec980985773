"""Learned policies: networks and tables, and the files that keep them."""
