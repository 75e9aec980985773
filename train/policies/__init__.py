"""Learned policies: networks and tables, and the files that store them."""
