"""Backends that draw scenes: SVG, without dependencies, and pixels and a window, which need pygame-ce."""
