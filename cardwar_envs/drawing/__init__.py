"""Backends that draw scenes: SVG, which needs nothing, and pixels and a window, which need pygame-ce."""
