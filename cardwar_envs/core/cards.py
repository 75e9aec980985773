"""Cards in pictures: single cards, a hand of them in rows, and the plate with a player's name above a hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cardwar_envs.core.scene import (
    MARGIN,
    WIDTH,
    Box,
    Shape,
    centred,
    label,
    player_colour,
    text_width,
)

INSIDE = WIDTH - 2 * MARGIN
GAP = 6.0
IN_A_ROW, MOST_ROWS = 13, 4
WIDEST = 64.0
PLATE = 34.0


@dataclass(frozen=True)
class Slot:
    """A place in a hand.

    Attributes:
        text: What the card says.
        held: Whether the card is there; if not, its place is shown empty.
    """

    text: str
    held: bool = True


def card(box: Box, text: str, player: int, size: float, won: bool = False) -> tuple[Shape, ...]:
    """A card of a player, face up; a card that won stands out by a frame."""
    face = Box(box.x, box.y, box.width, box.height, "card", "edge", 1.5, 0.12 * box.width + 2)
    frame = Box(box.x - 6, box.y - 6, box.width + 12, box.height + 12, None, "win", 4, 0.12 * box.width + 8)
    drawn = (face, centred(face, text, size, bold=True, colour=player_colour(player)))
    return (frame, *drawn) if won else drawn


def empty_place(box: Box, text: str = "", size: float = 20.0) -> tuple[Shape, ...]:
    """Where a card was, or will be."""
    place = Box(box.x, box.y, box.width, box.height, None, "slot", 2, 0.12 * box.width + 2)
    return (place, centred(place, text, size, colour="muted")) if text else (place,)


@dataclass(frozen=True)
class HandGrid:
    """The rows in which a hand of a given size is shown; cards are as large as the rows allow.

    Attributes:
        size: Cards of the largest hand.
    """

    size: int

    @property
    def _shown(self) -> int:
        return min(max(self.size, 1), IN_A_ROW * MOST_ROWS)

    def holds(self, cards: int) -> bool:
        """Whether so many cards can be shown."""
        return cards <= self.rows * self.columns

    @property
    def rows(self) -> int:
        """Number of rows."""
        return -(-self._shown // IN_A_ROW)

    @property
    def columns(self) -> int:
        """Cards in a row."""
        return -(-self._shown // self.rows)

    @property
    def card_width(self) -> float:
        """Width of a card."""
        return min(WIDEST, (INSIDE - GAP * (self.columns - 1)) / self.columns)

    @property
    def card_height(self) -> float:
        """Height of a card."""
        return max(44.0, 1.25 * self.card_width)

    @property
    def height(self) -> float:
        """Height of all rows."""
        return self.rows * (self.card_height + GAP) - GAP

    def place(self, index: int, top: float) -> Box:
        """Where the card of that index is, if the rows begin at `top`."""
        row, column = divmod(index, self.columns)
        left = (WIDTH - self.columns * (self.card_width + GAP) + GAP) / 2
        step = self.card_height + GAP
        return Box(left + column * (self.card_width + GAP), top + row * step, self.card_width, self.card_height)

    def draw(self, slots: Sequence[Slot], player: int, top: float) -> list[Shape]:
        """A hand; of one too large for the rows as many cards as fit, and the number of the others."""
        shapes: list[Shape] = []
        fitting = self.holds(len(slots))
        shown = slots if fitting else slots[: self.rows * self.columns - 1]
        for index, slot in enumerate(shown):
            box = self.place(index, top)
            draw = card(box, slot.text, player, 0.5 * self.card_width) if slot.held else empty_place(box)
            shapes.extend(draw)
        if not fitting:
            shapes.extend(empty_place(self.place(len(shown), top), f"+{len(slots) - len(shown)}"))
        return shapes


def name_plate(player: int, top: float, remark: str, viewer: int | None) -> list[Shape]:
    """A player's name on its colour at the left, and a remark at the right; `PLATE` high."""
    name = f"player_{player}"
    plate = Box(MARGIN, top, text_width(name, 18) + 24, PLATE - 6, player_colour(player), radius=14, line=0)
    shapes: list[Shape] = [plate, centred(plate, name, 18, bold=True)]
    right = plate.x + plate.width + 10
    if player == viewer:
        shapes.append(label(right, top + 21, "you", 60, 18, colour="muted"))
        right += 60
    shapes.append(label(WIDTH - MARGIN, top + 21, remark, WIDTH - MARGIN - right, 18, "end", colour="text"))
    return shapes


def seats_in_view(num_players: int, viewer: int | None) -> list[int]:
    """The players from top to bottom: the viewer sits at the bottom."""
    others = [player for player in range(num_players) if player != viewer]
    return others if viewer is None else [*others, viewer]
