"""Matplotlib pictures with one look: no window, and the same bytes for the same drawing."""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable
from typing import Any, Literal

import matplotlib as mpl
from matplotlib.figure import Figure

DOTS_PER_INCH = 120
Kind = Literal["png", "svg"]
# The salt makes SVG reproducible. Without mathematics a $ in a name is shown as a $.
SETTINGS: dict[Any, Any] = {"svg.hashsalt": "cardwar", "text.parse_math": False, "font.size": 9}


def picture(draw: Callable[[Figure], None], width: float, height: float, kind: Kind = "png") -> bytes:
    """Renders what `draw` draws on an empty figure to a file's content; width and height in inches."""
    return as_file(drawing(draw, width, height), kind)


def drawing(draw: Callable[[Figure], None], width: float, height: float) -> Figure:
    """As `picture`, but returns the figure itself."""
    with mpl.rc_context(SETTINGS):
        figure = Figure(figsize=(width, height), dpi=DOTS_PER_INCH, layout="constrained")
        draw(figure)
    return figure


def as_file(figure: Figure, kind: Kind) -> bytes:
    """Renders a figure to a file's content."""
    file = io.BytesIO()
    with mpl.rc_context(SETTINGS), warnings.catch_warnings():
        # A name may have letters that the font lacks; they are drawn as boxes.
        warnings.filterwarnings("ignore", "Glyph .* missing from font")
        figure.savefig(file, format=kind, metadata={"Date": None} if kind == "svg" else None)
    return file.getvalue()
