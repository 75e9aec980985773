"""Turns scenes into an animated GIF, using Pillow."""

from __future__ import annotations

from collections.abc import Iterable
from io import BytesIO

from cardwar_envs.core.scene import Scene
from cardwar_envs.drawing.palette import PALETTE
from cardwar_envs.drawing.pixels import to_pixels

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
