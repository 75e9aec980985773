"""Pictures by matplotlib with one look: no window, and the same bytes for the same drawing."""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable
from typing import Literal

import matplotlib as mpl
from matplotlib.figure import Figure

DOTS_PER_INCH = 120
# The salt makes SVG reproducible. Without mathematics a $ in a name is shown as a $.
SETTINGS = {"svg.hashsalt": "cardwar", "text.parse_math": False, "font.size": 9}


def picture(draw: Callable[[Figure], None], width: float, height: float, kind: Literal["png", "svg"] = "png") -> bytes:
    """Makes a picture.

    Args:
        draw: Draws on an empty figure.
        width: Of the figure, in inches.
        height: Likewise.
        kind: The format.

    Returns:
        The content of a file of that format.
    """
    with mpl.rc_context(SETTINGS), warnings.catch_warnings():
        # A name may have letters that the font lacks; they are drawn as boxes.
        warnings.filterwarnings("ignore", "Glyph .* missing from font")
        figure = Figure(figsize=(width, height), dpi=DOTS_PER_INCH, layout="constrained")
        draw(figure)
        file = io.BytesIO()
        figure.savefig(file, format=kind, metadata={"Date": None} if kind == "svg" else None)
    return file.getvalue()
