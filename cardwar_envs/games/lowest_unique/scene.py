"""Pictures of Lowest unique number: each player's last choice and payoff so far."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from typing import TypeVar

from cardwar_envs.core.cards import PLATE, last_play, name_plate, picture, seats_in_view
from cardwar_envs.core.game import FORFEIT, Game
from cardwar_envs.core.scene import MARGIN, WIDTH, Box, Revealed, Scene, Shape, in_points, label
from cardwar_envs.games.lowest_unique.winner import lowest_unique

S = TypeVar("S", bound=Hashable)

# Maximum number of players drawn; with more, the picture would be too tall.
MOST_ROWS = 12
TOP, ROW, STANDING = 72.0, 66.0, 56.0
NUMBER = (72.0, 56.0)


def lowest_unique_scene(game: Game[S], revealed: Revealed[S], aside: str) -> Scene:
    """Draws a game of Lowest unique number, with `aside` at the top right."""
    players = game.facts.num_players
    last = revealed.last_actions
    winner = None if last is None or FORFEIT in last.values() else lowest_unique(last)
    said = _said(revealed, winner)
    colour = "text" if winner is None else "win"
    shapes: list[Shape] = [label(MARGIN, TOP + 26, said, WIDTH - 2 * MARGIN, 22, bold=True, colour=colour)]
    for row, player in enumerate(seats_in_view(players, revealed.viewer)):
        top = TOP + STANDING + row * ROW
        paid = f"payoff {in_points(revealed.payoffs[player])}"
        shapes += name_plate(player, top + (NUMBER[1] - PLATE) / 2 + 3, revealed, paid)
        place = Box((WIDTH - NUMBER[0]) / 2, top, *NUMBER)
        shapes += last_play(game, revealed, player, place, 30, player == winner)
    total = _total(revealed) if revealed.over and game.facts.max_length > 1 else ""
    drawn = picture(game, revealed, TOP + STANDING + players * ROW + MARGIN, aside, shapes, total or said)
    return replace(drawn, outcome=said) if total else drawn


def _total(revealed: Revealed[S]) -> str:
    """Who has won the most in all rounds."""
    most = max(revealed.payoffs)
    best = [player for player, paid in enumerate(revealed.payoffs) if paid == most]
    if len(best) == len(revealed.payoffs):
        return "A draw"
    who = revealed.does(best[0], "has") if len(best) == 1 else f"{len(best)} players have"
    return f"{who} the highest payoff, {in_points(most)}"


def _said(revealed: Revealed[S], winner: int | None) -> str:
    """Describes the result of the last round."""
    if revealed.last_actions is None:
        return "No round was played yet"
    if FORFEIT in revealed.last_actions.values():
        return "The game is forfeited"
    return "Nobody won the round" if winner is None else f"{revealed.does(winner, 'has')} the lowest unique number"
