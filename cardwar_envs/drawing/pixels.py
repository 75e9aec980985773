"""Scenes as pixels, drawn by pygame-ce without a window and with the font that it ships."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cardwar_envs.core.scene import Box, Disc, Scene, Shape, Text, text_width
from cardwar_envs.drawing.palette import PALETTE

if TYPE_CHECKING:
    import pygame

# Shapes are drawn so many times larger and then made smaller, which smooths their edges.
OVERSAMPLING = 2
NEEDS_PYGAME = "pictures need pygame-ce, which comes with the extra: pip install 'cardwar-envs[render]'"


@cache
def require_pygame() -> Any:
    """The module pygame, ready to draw text.

    Raises:
        ImportError: If it is not installed; the message names the extra that installs it.
    """
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    try:
        import pygame
        import pygame.font
    except ImportError as error:
        raise ImportError(NEEDS_PYGAME, name="pygame") from error
    pygame.font.init()
    return pygame


def to_pixels(scene: Scene) -> NDArray[np.uint8]:
    """The picture as an array `[height, width, 3]` of red, green and blue.

    Raises:
        ImportError: If pygame-ce is not installed.
    """
    pygame = require_pygame()
    surface = pygame.Surface((scene.width * OVERSAMPLING, scene.height * OVERSAMPLING), depth=24)
    for shape in scene.shapes:
        _draw(pygame, surface, shape)
    smooth = pygame.transform.smoothscale(surface, (scene.width, scene.height))
    return np.ascontiguousarray(pygame.surfarray.array3d(smooth).swapaxes(0, 1))


def _draw(pygame: Any, surface: pygame.Surface, shape: Shape) -> None:
    if isinstance(shape, Text):
        _draw_text(surface, shape)
    elif isinstance(shape, Disc):
        pygame.draw.circle(surface, PALETTE[shape.fill], (_up(shape.x), _up(shape.y)), _up(shape.radius))
    else:
        _draw_box(pygame, surface, shape)


def _draw_box(pygame: Any, surface: pygame.Surface, box: Box) -> None:
    left, top, right, bottom = map(_up, box.bounds)
    rectangle = pygame.Rect(left, top, right - left, bottom - top)
    if box.fill is not None:
        pygame.draw.rect(surface, PALETTE[box.fill], rectangle, border_radius=_up(box.radius))
    if box.stroke is not None:
        pygame.draw.rect(surface, PALETTE[box.stroke], rectangle, _up(box.line), border_radius=_up(box.radius))


def _draw_text(surface: pygame.Surface, text: Text) -> None:
    font, colour = _font(max(1, _up(text.size))), PALETTE[text.colour]
    if not text.mono:
        drawn = font.render(_printable(text.text), True, colour)
        start = _up(text.x) - {"start": 0, "middle": drawn.get_width() // 2, "end": drawn.get_width()}[text.anchor]
        surface.blit(drawn, (start, _up(text.y) - font.get_ascent()))
        return
    # The font is proportional, so each character gets a place of the same width.
    step = text_width("0", text.size, mono=True) * OVERSAMPLING
    start = text.bounds[0] * OVERSAMPLING
    for i, character in enumerate(text.text):
        drawn = font.render(_printable(character), True, colour)
        surface.blit(drawn, (round(start + (i + 0.5) * step - drawn.get_width() / 2), _up(text.y) - font.get_ascent()))


@cache
def _font(size: int) -> Any:
    pygame = require_pygame()
    # By its path: by name pygame makes this font smaller than it is asked to.
    return pygame.font.Font(str(Path(pygame.__file__).with_name(pygame.font.get_default_font())), size)


def _printable(text: str) -> str:
    return text.replace("\0", "\ufffd")  # which pygame refuses


def _up(length: float) -> int:
    return round(length * OVERSAMPLING)
