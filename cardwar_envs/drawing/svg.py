"""Draws scenes as SVG, without any dependency."""

from __future__ import annotations

import re
from html import escape

from cardwar_envs.core.scene import Box, Disc, Scene, Shape
from cardwar_envs.drawing.palette import PALETTE

FONTS = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"
MONOSPACED = "ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace"
# Characters that XML 1.0 does not allow, not even escaped.
NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def to_svg(scene: Scene) -> str:
    """The picture as one SVG element, which can be embedded in a page or saved as a file.

    Screen readers read its title and description. It loads no resources and has no ids, so a page can embed many.
    """
    size = f'width="{scene.width}" height="{scene.height}" viewBox="0 0 {scene.width} {scene.height}"'
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" font-family="{FONTS}">',
        f"<title>{_escaped(scene.title)}</title>",
        f"<desc>{_escaped(scene.description)}</desc>",
        *map(_element, scene.shapes),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _element(shape: Shape) -> str:
    if isinstance(shape, Disc):
        return f'<circle cx="{_n(shape.x)}" cy="{_n(shape.y)}" r="{_n(shape.radius)}" fill="{PALETTE[shape.fill]}"/>'
    if isinstance(shape, Box):
        return _rectangle(shape)
    look = f'font-size="{_n(shape.size)}" fill="{PALETTE[shape.colour]}"'
    if shape.anchor != "start":
        look += f' text-anchor="{shape.anchor}"'
    if shape.bold:
        look += ' font-weight="700"'
    if shape.mono:
        look += f' font-family="{MONOSPACED}" xml:space="preserve"'
    return f'<text x="{_n(shape.x)}" y="{_n(shape.y)}" {look}>{_escaped(shape.text)}</text>'


def _rectangle(box: Box) -> str:
    fill = "none" if box.fill is None else PALETTE[box.fill]
    line = 0.0 if box.stroke is None else box.line
    place = f'x="{_n(box.x + line / 2)}" y="{_n(box.y + line / 2)}"'
    size = f'width="{_n(box.width - line)}" height="{_n(box.height - line)}"'
    outline = "" if box.stroke is None else f' stroke="{PALETTE[box.stroke]}" stroke-width="{_n(line)}"'
    corner = f' rx="{_n(max(box.radius - line / 2, 0.0))}"' if box.radius else ""
    return f'<rect {place} {size}{corner} fill="{fill}"{outline}/>'


def _n(number: float) -> str:
    return f"{number:.2f}".rstrip("0").rstrip(".")


def _escaped(text: str) -> str:
    return escape(NOT_XML.sub("\ufffd", text), quote=False)
