"""A window that shows scenes, if there is a screen and pygame-ce is installed."""

from __future__ import annotations

import os
import sys
import time

import numpy as np

from cardwar_envs.core.scene import Scene
from cardwar_envs.drawing.pixels import require_pygame, to_pixels


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
