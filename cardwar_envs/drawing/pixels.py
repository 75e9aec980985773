"""Draws scenes with pygame-ce: as pixels, using its built-in font and no window, as animated GIFs, and in a window."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterable
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cardwar_envs.core.scene import Box, Disc, Scene, Text, text_width
from cardwar_envs.drawing.palette import PALETTE

# Supersampling factor, for smooth edges.
OVERSAMPLING = 2
NOT_DRAWN = {0: "\ufffd", ord("\n"): " "}
NEEDS_PYGAME = "pictures need pygame-ce, which comes with the extra: pip install 'cardwar-envs[render]'"


def require_pygame() -> Any:
    """Returns the module pygame, ready to draw text.

    Raises:
        ImportError: If pygame-ce is not installed; the message names the extra that installs it.
    """
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    try:
        import pygame
        import pygame.font
    except ImportError as error:
        raise ImportError(NEEDS_PYGAME, name="pygame") from error
    pygame.font.init()  # each time, because others may have quit it
    return pygame


def to_pixels(scene: Scene) -> NDArray[np.uint8]:
    """Returns the picture as an array `[height, width, 3]` of red, green and blue.

    Raises:
        ImportError: If pygame-ce is not installed; the message names the extra.
    """
    return _Painter(require_pygame()).paint(scene)


class _Painter:
    """Draws one scene. Fonts are not cached between scenes, because they become invalid when pygame quits."""

    def __init__(self, pygame: Any) -> None:
        self._pygame = pygame
        # The font is loaded by its path, because pygame makes it smaller than requested if it is loaded by name.
        self._font_file = str(Path(pygame.__file__).with_name(pygame.font.get_default_font()))
        self._fonts: dict[int, Any] = {}

    def paint(self, scene: Scene) -> NDArray[np.uint8]:
        pygame = self._pygame
        self._surface = pygame.Surface((scene.width * OVERSAMPLING, scene.height * OVERSAMPLING), depth=24)
        for shape in scene.shapes:
            if isinstance(shape, Text):
                self._text(shape)
            elif isinstance(shape, Disc):
                middle = _up(shape.x), _up(shape.y)
                pygame.draw.circle(self._surface, PALETTE[shape.fill], middle, _up(shape.radius))
            else:
                self._box(shape)
        smooth = pygame.transform.smoothscale(self._surface, (scene.width, scene.height))
        return np.ascontiguousarray(pygame.surfarray.array3d(smooth).swapaxes(0, 1))

    def _box(self, box: Box) -> None:
        pygame, surface, radius = self._pygame, self._surface, _up(box.radius)
        left, top, right, bottom = map(_up, box.bounds)
        rectangle = pygame.Rect(left, top, right - left, bottom - top)
        if box.fill is not None:
            pygame.draw.rect(surface, PALETTE[box.fill], rectangle, border_radius=radius)
        if box.stroke is not None:
            pygame.draw.rect(surface, PALETTE[box.stroke], rectangle, _up(box.line), border_radius=radius)

    def _text(self, text: Text) -> None:
        if not text.mono:
            width = self._font(text).size(_printable(text.text))[0] / OVERSAMPLING
            self._line(text, text.text, text.x - {"start": 0.0, "middle": width / 2, "end": width}[text.anchor])
            return
        # The font is proportional, so each character is centred in a cell of fixed width.
        left = text.bounds[0]
        for character in text.text:
            place = text_width(character, text.size, mono=True)
            wide = self._font(text).size(_printable(character))[0] / OVERSAMPLING
            self._line(text, character, left + (place - wide) / 2)
            left += place

    def _line(self, text: Text, words: str, left: float) -> None:
        font = self._font(text)
        drawn = font.render(_printable(words), True, PALETTE[text.colour])
        self._surface.blit(drawn, (_up(left), _up(text.y) - font.get_ascent()))

    def _font(self, text: Text) -> Any:
        size = max(1, _up(text.size))
        if size not in self._fonts:
            self._fonts[size] = self._pygame.font.Font(self._font_file, size)
        return self._fonts[size]


def _printable(text: str) -> str:
    """Replaces characters that pygame refuses to draw or at which it breaks lines."""
    return text.encode("utf-8", "replace").decode().translate(NOT_DRAWN)


def _up(length: float) -> int:
    return round(length * OVERSAMPLING)


NEEDS_PILLOW = "animations need Pillow, which comes with the extra: pip install 'cardwar-envs[render]'"
# Enough for the palette and for the colours of smooth edges.
COLOURS = 4 * len(PALETTE)


def to_gif(scenes: Iterable[Scene], seconds: float = 1.0, last: float = 4.0) -> bytes:
    """The pictures as an animated GIF that loops endlessly.

    Args:
        scenes: Pictures of one size, at least one.
        seconds: How long each picture is shown, in seconds.
        last: How long the last picture is shown, in seconds.

    Raises:
        ImportError: If Pillow or pygame-ce is not installed; the message names the extra.
    """
    try:
        from PIL import Image
    except ImportError as error:
        raise ImportError(NEEDS_PILLOW, name="PIL") from error
    frames = [
        Image.fromarray(to_pixels(scene)).quantize(COLOURS, dither=Image.Dither.NONE)  # dithering makes speckles
        for scene in scenes
    ]
    times = [round(1000 * seconds)] * (len(frames) - 1) + [round(1000 * last)]
    file = BytesIO()
    frames[0].save(file, "GIF", save_all=True, append_images=frames[1:], duration=times, loop=0)
    return file.getvalue()


class Window:
    """A window that opens with the first picture; pygame has one per process, so environments share it."""

    def __init__(self) -> None:
        self._open = False
        self._due = 0.0  # when the next picture may be shown

    def show(self, scene: Scene, fps: float) -> bool:
        """Shows a picture, after waiting so that at most `fps` pictures are shown per second.

        Returns:
            Whether it is shown; False if no window is available.
        """
        if not _may_have_screen():
            return False
        try:
            pygame = require_pygame()
        except ImportError:
            return False
        try:
            pygame.display.init()
            screen = pygame.display.get_surface()
            if screen is None or screen.get_size() != (scene.width, scene.height):
                screen = pygame.display.set_mode((scene.width, scene.height))
        except pygame.error:  # there is no screen after all
            return False
        self._open = True
        time.sleep(max(0.0, self._due - time.monotonic()))
        self._due = time.monotonic() + 1.0 / fps
        pygame.display.set_caption(scene.title)
        pygame.surfarray.blit_array(screen, np.swapaxes(to_pixels(scene), 0, 1))
        pygame.display.flip()
        pygame.event.pump()  # so that the window stays responsive
        return True

    def close(self) -> None:
        """Closes the window, if it was opened."""
        if self._open:
            require_pygame().display.quit()
            self._open = False


def _may_have_screen() -> bool:
    """Returns whether there may be a screen; without one, SDL would use an invisible driver and print warnings."""
    if os.environ.get("SDL_VIDEODRIVER") or sys.platform in ("darwin", "win32"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
