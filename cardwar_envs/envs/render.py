"""Renders a game in progress as text, as pixels or in a window."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from cardwar_envs.core.game import Game
from cardwar_envs.core.scene import Revealed
from cardwar_envs.drawing.pixels import Window, to_pixels
from cardwar_envs.envs.session import Session

RENDER_MODES = ["human", "ansi", "rgb_array"]
# Frames per second in a window and in videos.
RENDER_FPS = 2
Frame = str | NDArray[np.uint8]


def picture(game: Game[Any], revealed: Revealed[Any], render_mode: str) -> Frame:
    """Renders the revealed information as text ("ansi") or as pixels `[height, width, 3]` ("rgb_array").

    Raises:
        ImportError: In mode "rgb_array", if pygame-ce is not installed; the message names the extra.
    """
    return game.describe_revealed(revealed) if render_mode == "ansi" else to_pixels(game.scene(revealed))


def show(game: Game[Any], revealed: Revealed[Any], window: Window, fps: float) -> None:
    """Shows the revealed information in the window; prints it as text if no window is available."""
    if not window.show(game.scene(revealed), fps):
        print(game.describe_revealed(revealed), end="\n\n")


def render(
    session: Session[Any], viewer: int | None, render_mode: str | None, window: Window, fps: float
) -> Frame | None:
    """Renders the view of a player or of a spectator (None): returns it or, in mode "human", shows it.

    Raises:
        ResetNeeded: If there is no game yet.
        ImportError: As for `picture`.
    """
    if render_mode is None:
        gymnasium.logger.warn("render() does nothing: the environment was made without a render_mode")
        return None
    revealed = session.revealed(viewer)
    if render_mode != "human":
        return picture(session.game, revealed, render_mode)
    show(session.game, revealed, window, fps)
    return None
