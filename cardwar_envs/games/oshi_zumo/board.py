"""Draws the board of Oshi-Zumo: a row of fields between two edges, and the wrestler on it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cardwar_envs.core.scene import MARGIN, WIDTH, Box, Revealed, Shape, label, player_colour

BOARD = 204.0  # height of the panel
# Maximum number of fields drawn; the fields of a longer board would be too narrow to see.
MOST_FIELDS = 41
FEET = 122.0  # from the top of the panel
# The parts of the wrestler, from back to front: colour role; left, top, width, height and radius in percent of the
# height, from the point between the feet, downwards.
WRESTLER = (
    *(("skin", left, -31.5, 22.2, 31.5, 9.0) for left in (-30.5, 8.3)),  # legs
    *(("skin", left, -8.3, 27.0, 8.3, 4.1) for left in (-35.3, 8.3)),  # feet
    *(("skin", left, -61.0, 18.5, 18.5, 9.2) for left in (-38.9, 20.4)),  # shoulders
    *(("skin", left, -53.7, 13.0, 29.6, 6.5) for left in (-40.8, 27.8)),  # arms
    ("skin", -27.8, -64.8, 55.6, 44.4, 22.2),
    *(("shade", left, -52.0, 12.0, 2.8, 1.4) for left in (-15.8, 3.8)),  # chest
    ("player_2", -26.9, -35.2, 53.8, 9.3, 3.7),  # belt
    ("player_2", -7.4, -31.5, 14.8, 16.7, 3.7),
    ("win", -7.4, -34.3, 14.8, 7.4, 1.9),
    ("hair", -4.6, -100.0, 9.2, 11.1, 4.6),
    ("hair", -14.8, -91.7, 29.6, 26.0, 13.9),
    ("skin", -13.0, -86.1, 26.0, 24.0, 11.1),  # face
    *(("ink", left, -76.9, 3.7, 3.7, 1.9) for left in (-7.4, 3.7)),  # eyes
    *(("ink", left, -81.5, 6.5, 1.9, 0.9) for left in (-9.3, 2.8)),  # brows
    ("shade", -3.7, -70.4, 7.4, 2.3, 1.1),
)


def board_shapes(position: int, size: int, panel: Box, revealed: Revealed[Any]) -> list[Shape]:
    """Draws the fields with player 0's side on the left, who wins beyond each edge, and the wrestler."""
    count = min(2 * size + 3, MOST_FIELDS)
    step = (panel.width - 2 * MARGIN) / count
    width, middle = min(step * 0.84, 56.0), panel.y + FEET
    shown = range(-(count // 2), count // 2 + 1)
    whole = shown[-1] > size  # otherwise the edges are farther away
    at, shapes = max(shown[0], min(position, shown[-1])), list[Shape]()
    for field in shown:
        side, fill = "muted" if field == 0 else player_colour(int(field > 0)), "slot"
        if abs(field) > size:  # off the board
            side = fill = player_colour(int(field < 0))
        side = "win" if field == at else side
        left = WIDTH / 2 + field * step - width / 2
        shapes.append(Box(left, middle - 0.3 * width, width, 0.6 * width, fill, side, 3))
    for player, sign, anchor in ((1, -1, "start"), (0, 1, "end")):
        if whole:
            edge = WIDTH / 2 + sign * (size + 0.5) * step
            shapes.append(Box(edge - 4, middle - 0.35 * width, 8, 0.7 * width, "win", radius=4))
        says = f"{revealed.does(player, 'wins')} {'here' if whole else 'farther on'}"
        end, room = WIDTH / 2 + sign * (panel.width / 2 - MARGIN), panel.width / 2 - MARGIN
        shapes.append(label(end, panel.y + 28, says, room, 18, anchor, colour="muted"))
    return [*shapes, *_wrestler(WIDTH / 2 + at * step, middle, min(88.0, 30.0 + 1.2 * width))]


def _wrestler(middle: float, feet: float, height: float) -> Sequence[Box]:
    unit = height / 100
    return [
        Box(middle + left * unit, feet + top * unit, wide * unit, tall * unit, colour, radius=radius * unit)
        for colour, left, top, wide, tall, radius in WRESTLER
    ]
