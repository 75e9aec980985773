"""A game in progress as text."""

from __future__ import annotations

from typing import Any

import gymnasium

from cardwar_envs.envs.session import FORFEIT, Session


def session_text(session: Session[Any]) -> str:
    """The state, and the moves that led to it once all are revealed."""
    game = session.game
    lines = [game.describe(session.state)]
    if session.last_actions is not None:
        moves = (
            f"{session.agents[player]} {'forfeits' if action == FORFEIT else game.describe_action(action, player)}"
            for player, action in session.last_actions.items()
        )
        lines.append("played  " + "  ".join(moves))
    if not session.acting:
        lines.append("the game is over")
    return "\n".join(lines)


def render(session: Session[Any], render_mode: str | None) -> str | None:
    """Returns the text in mode "ansi", prints it in mode "human"."""
    if render_mode is None:
        gymnasium.logger.warn("render() does nothing: the environment was made without a render_mode")
        return None
    session.require_start()
    text = session_text(session)
    if render_mode == "ansi":
        return text
    print(text, end="\n\n")
    return None
