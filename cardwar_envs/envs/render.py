"""Renders a game in progress as text, as pixels or in a window."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from cardwar_envs.core.game import Game
from cardwar_envs.core.parameters import one_of
from cardwar_envs.core.scene import Revealed
from cardwar_envs.drawing.pixels import Window, to_pixels
from cardwar_envs.envs.session import Session, resolved_game

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


class ShownGame:
    """The base of environments with one game: its rules, the game in progress, and how it is shown."""

    metadata: dict[str, Any]
    _viewer: int | None = None  # the player whose view is rendered; None for a spectator

    def _set_up(
        self, game: str | Game[Any], parameters: Mapping[str, Any], render_mode: str | None, illegal_action: str
    ) -> None:
        self.game = resolved_game(game, parameters)
        self.render_mode = one_of("render_mode", render_mode, (None, *RENDER_MODES))
        self._session = Session(self.game, illegal_action)
        self._window = Window()
        self._rng: np.random.Generator | None = None

    def render(self) -> Frame | None:
        """Renders the view of the agent or, in PettingZoo, of a spectator.

        Returns:
            Text ("ansi") or pixels ("rgb_array"); None in mode "human", which shows it in a window.

        Raises:
            ResetNeeded: If there is no game yet.
            ImportError: In mode "rgb_array", if pygame-ce is not installed; the message names the extra.
        """
        if self.render_mode is None:
            gymnasium.logger.warn("render() does nothing: the environment was made without a render_mode")
            return None
        revealed = self._session.revealed(self._viewer)
        if self.render_mode != "human":
            return picture(self.game, revealed, self.render_mode)
        show(self.game, revealed, self._window, self.metadata["render_fps"])
        return None

    def close(self) -> None:
        """Closes the window, if there is one."""
        self._window.close()
