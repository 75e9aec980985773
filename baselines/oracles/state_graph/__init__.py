"""Exact results of finite games, by enumerating their states."""
