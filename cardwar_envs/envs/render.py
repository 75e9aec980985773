"""A game in progress as text."""

from __future__ import annotations

from typing import Any

import gymnasium

from cardwar_envs.envs.session import Session


def render(session: Session[Any], render_mode: str | None) -> str | None:
    """Returns the text in mode "ansi", prints it in mode "human"."""
    if render_mode is None:
        gymnasium.logger.warn("render() does nothing: the environment was made without a render_mode")
        return None
    text = session.game.describe_revealed(session.revealed(None))
    if render_mode == "ansi":
        return text
    print(text, end="\n\n")
    return None
