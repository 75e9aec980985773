"""Learned policies: networks, tables, and the files that store them."""
