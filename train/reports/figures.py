"""Renders matplotlib pictures in one style, without a window; the same drawing gives the same bytes."""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable
from typing import Any, Literal

import matplotlib as mpl
from matplotlib.figure import Figure

DOTS_PER_INCH = 120
Kind = Literal["png", "svg"]
# The salt makes SVG reproducible. Math text is disabled, so that a $ in a name is shown as a $.
SETTINGS: dict[Any, Any] = {"svg.hashsalt": "cardwar", "text.parse_math": False, "font.size": 9}


def picture(draw: Callable[[Figure], None], width: float, height: float, kind: Kind = "png") -> bytes:
    """Calls `draw` with an empty figure and returns the content of an image file; width and height are in inches."""
    return as_file(drawing(draw, width, height), kind)


def drawing(draw: Callable[[Figure], None], width: float, height: float) -> Figure:
    """Like `picture`, but returns the figure itself."""
    with mpl.rc_context(SETTINGS):
        figure = Figure(figsize=(width, height), dpi=DOTS_PER_INCH, layout="constrained")
        draw(figure)
    return figure


def as_file(figure: Figure, kind: Kind) -> bytes:
    """Renders a figure; returns the content of an image file."""
    file = io.BytesIO()
    with mpl.rc_context(SETTINGS), warnings.catch_warnings():
        # A name can contain letters that the font lacks; they are drawn as boxes.
        warnings.filterwarnings("ignore", "Glyph .* missing from font")
        figure.savefig(file, format=kind, metadata={"Date": None} if kind == "svg" else None)
    return file.getvalue()
