"""Shared parts of pictures: cards, rows of cards, name plates, and two players face to face."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from cardwar_envs.core import scene
from cardwar_envs.core.game import GameFacts
from cardwar_envs.core.scene import MARGIN, WIDTH, Box, Disc, Revealed, Scene, Shape, centred, label, player_colour

INSIDE = WIDTH - 2 * MARGIN
GAP = 5.0
IN_A_ROW, MOST_ROWS = 13, 4
# So many cards in a row are at least 44 pixels wide in a picture that is 350 pixels wide, as on a phone.
NEAR = 7
WIDEST = 64.0, 76.0  # of cards in other hands, and in the near one
WIDEST_NAME = 240.0
PLATE = 34.0
TOP = 68.0  # below the heading
# Positions of a face's pips relative to its centre, in quarters of the die's width.
PIPS = {
    1: [(0, 0)],
    2: [(-1, -1), (1, 1)],
    3: [(-1, -1), (0, 0), (1, 1)],
    4: [(-1, -1), (-1, 1), (1, -1), (1, 1)],
    5: [(-1, -1), (-1, 1), (0, 0), (1, -1), (1, 1)],
    6: [(-1, -1), (-1, 0), (-1, 1), (1, -1), (1, 0), (1, 1)],
}


class Pictured(Protocol):
    """The part of `Game` that all pictures need; a game's own scene may need more."""

    @property
    def facts(self) -> GameFacts:
        """The static properties of the game."""

    def describe_play(self, action: int, player: int) -> str:
        """Describes a player's move."""

    def describe_revealed(self, revealed: Revealed[Any]) -> str:
        """Returns the revealed information as text."""


@dataclass(frozen=True)
class Slot:
    """A place in a hand.

    Attributes:
        text: The card's label.
        held: Number of such cards in the hand; without any cards, the place is empty.
        pick: Item that a click on the card picks; empty if it picks nothing.
        won: Number of such cards beside the hand, drawn with a plus.
    """

    text: str
    held: int = 1
    pick: str = ""
    won: int = 0


def card(
    box: Box, text: str, player: int | None, size: float, won: bool = False, pick: str = "", turned: bool = False
) -> tuple[Shape, ...]:
    """Draws a face-up card in its player's colour (None: neutral); a winning card has a frame.

    `pick` and `turned` are as in `Box`.
    """
    face = Box(box.x, box.y, box.width, box.height, "card", "edge", 1.5, 0.12 * box.width + 2, pick, turned)
    frame = Box(box.x - 6, box.y - 6, box.width + 12, box.height + 12, None, "win", 4, 0.12 * box.width + 8)
    drawn = (face, centred(face, text, size, bold=True, colour=player_colour(player)))
    return (frame, *drawn) if won else drawn


def die(place: Box, roll: int | None, sides: int, player: int) -> list[Shape]:
    """Draws a die with pips, or with a number if it has more than six faces; "?" if the roll is hidden."""
    width, colour = place.width, player_colour(player if roll else None)
    face = replace(place, fill="card" if roll else "back", stroke="edge", radius=0.155 * width)
    if roll is None or sides > 6:
        return [face, centred(face, str(roll or "?"), 0.48 * width, bold=True, colour=colour)]
    x, y, step = place.x + width / 2, place.y + width / 2, width / 4
    return [face, *(Disc(x + across * step, y + down * step, 0.095 * width, colour) for across, down in PIPS[roll])]


def empty_place(box: Box, text: str = "", size: float = 20.0) -> tuple[Shape, ...]:
    """Draws an empty place for a card."""
    place = Box(box.x, box.y, box.width, box.height, None, "slot", 2, 0.12 * box.width + 2)
    return (place, centred(place, text, size, colour="muted")) if text else (place,)


def draw_slots(slots: Sequence[Slot], places: Sequence[Box], player: int | None) -> list[Shape]:
    """Draws slots at places; if there are too many slots, the last place shows how many cards are left out."""
    fitting = slots if len(slots) <= len(places) else slots[: len(places) - 1]
    shapes = [shape for place, slot in zip(places, fitting, strict=False) for shape in _draw_slot(place, slot, player)]
    if len(fitting) < len(slots):
        left_out = sum(slot.held + slot.won for slot in slots[len(fitting) :])
        shapes += empty_place(places[-1], f"+{left_out}")
    return shapes


def _draw_slot(place: Box, slot: Slot, player: int | None) -> tuple[Shape, ...]:
    """Draws one slot: an empty place, a card, or a card with the numbers of equal cards below.

    If there are no such cards in the hand, only beside it, the card is an outline.
    """
    if not slot.held and not slot.won:
        return empty_place(place)
    if slot.held == 1 and not slot.won:
        return card(place, slot.text, player, 0.5 * place.width, pick=slot.pick)
    upper = Box(place.x, place.y, place.width, 0.62 * place.height)
    lower = Box(place.x, place.y + 0.55 * place.height, place.width, 0.4 * place.height)
    if not slot.held:
        outline, rank, number, count = empty_place(place)[0], "muted", "muted", f"+{slot.won}"
    else:
        outline, rank, number = card(place, "", player, 0, pick=slot.pick)[0], player_colour(player), "ink"
        count = f"{slot.held}+{slot.won}" if slot.won else f"x{slot.held}"
    return (
        outline,
        centred(upper, slot.text, 0.5 * place.width, bold=True, colour=rank),
        centred(lower, count, 0.44 * place.width, colour=number),
    )


class HandGrid:
    """The layout of a hand in rows, with cards as large as the rows allow.

    The hand at the bottom of a picture is `near`: its cards are large enough for a finger, if they fit in two rows.

    Attributes:
        size: Number of cards in the largest hand.
        rows: Number of rows.
        columns: Cards in a row.
        card_width: Width of a card.
        card_height: Height of a card.
        height: Height of all rows.
    """

    def __init__(self, size: int, near: bool = False) -> None:
        shown = min(max(size, 1), IN_A_ROW * MOST_ROWS)
        self.size = size
        self.rows = -(-shown // (NEAR if near and shown <= 2 * NEAR else IN_A_ROW))
        self.columns = -(-shown // self.rows)
        self.card_width = min(WIDEST[near], (INSIDE - GAP * (self.columns - 1)) / self.columns)
        self.card_height = max(44.0, 1.25 * self.card_width)
        self.height = self.rows * (self.card_height + GAP) - GAP

    def holds(self, cards: int) -> bool:
        """Returns whether `cards` cards fit."""
        return cards <= self.rows * self.columns

    def place(self, index: int, top: float) -> Box:
        """Returns the box of the card with that index, if the rows begin at `top`."""
        row, column = divmod(index, self.columns)
        left = (WIDTH - self.columns * (self.card_width + GAP) + GAP) / 2
        step = self.card_height + GAP
        return Box(left + column * (self.card_width + GAP), top + row * step, self.card_width, self.card_height)

    def slots(self, start: Sequence[int], left: Sequence[int], renumbered: bool) -> list[Slot]:
        """One slot per card of a hand; those of played cards stay empty, if they have room and keep their numbers."""
        if renumbered or not self.holds(len(start)):
            return [Slot(str(card)) for card in left]
        held, slots = Counter(left), []
        for card in start:
            slots.append(Slot(str(card), held=int(held[card] > 0)))
            held[card] -= 1
        return slots

    def draw(self, slots: Sequence[Slot], player: int, top: float, viewer: int | None = None) -> list[Shape]:
        """Draws a hand; if it is too large for the rows, draws the cards that fit and the number of the others.

        The viewer picks a card by clicking on it.
        """
        if player == viewer:
            slots = [replace(slot, pick=slot.text) for slot in slots]
        return draw_slots(slots, [self.place(index, top) for index in range(self.rows * self.columns)], player)


def name_plate(player: int, top: float, revealed: Revealed[Any], right: str = "", left: str = "") -> list[Shape]:
    """Draws a plate with a player's name in the player's colour, with one remark beside it and one at the right end."""
    name, viewer = revealed.name(player), revealed.viewer
    width = min(scene.text_width(name, 18), WIDEST_NAME) + 24
    plate = Box(MARGIN, top, width, PLATE - 6, player_colour(player), radius=14, line=0)
    shapes: list[Shape] = [plate, centred(plate, name, 18, bold=True)]
    start, end = plate.x + plate.width + 10, WIDTH - MARGIN
    for remark, colour in (("you" if player == viewer and not revealed.names else "", "muted"), (left, "text")):
        if remark:
            shapes.append(label(start, top + 21, remark, (end - start) * (0.55 if right else 1.0), 18, colour=colour))
            start = shapes[-1].bounds[2] + 6
    if right:
        shapes.append(label(end, top + 21, right, end - start, 18, "end", colour="muted"))
    return shapes


def seats_in_view(num_players: int, viewer: int | None) -> list[int]:
    """Returns the players from top to bottom, the viewer last."""
    others = [player for player in range(num_players) if player != viewer]
    return others if viewer is None else [*others, viewer]


def last_play(
    game: Pictured, revealed: Revealed[Any], player: int, place: Box, size: float, won: bool
) -> tuple[Shape, ...]:
    """Draws a player's last move as a card; an empty place before the first move."""
    if revealed.last_actions is None:
        return empty_place(place)
    return card(place, game.describe_play(revealed.last_actions[player], player), player, size, won, turned=True)


def stacked(lines: Sequence[tuple[str, float, bool, str]], room: Box) -> list[Shape]:
    """Draws lines of text (text, size, bold, colour), centred vertically; skips empty ones."""
    said = [line for line in lines if line[0]]
    step = min(34.0, room.height / max(1, len(said)))
    first = room.y + room.height / 2 - step / 2 * (len(said) - 1) + 8
    return [
        label(room.x, first + step * i, text, room.width, size, bold=bold, colour=colour)
        for i, (text, size, bold, colour) in enumerate(said)
    ]


def standing(revealed: Revealed[Any], ahead: float, by: str = "") -> str:
    """A sentence on who leads or, at the end, who has won; `ahead` is player 0's lead, `by` says how large it is."""
    if ahead == 0:
        return "A draw" if revealed.over else "Nobody leads"
    leader = int(ahead < 0)
    return revealed.does(leader, "wins") if revealed.over else revealed.does(leader, "leads") + by


def picture(
    game: Pictured, revealed: Revealed[Any], height: float, aside: str, shapes: Sequence[Shape], said: str
) -> Scene:
    """Assembles a picture: `shapes` below a heading with `aside` to its right; the title ends with what is `said`."""
    title, tall = scene.spoken(game.facts.name), 2 * round(height / 2)  # even, as video formats need
    drawn = (scene.table(tall), *scene.heading(title, aside), *shapes)
    return Scene(WIDTH, tall, drawn, f"{title}: {said}", game.describe_revealed(revealed))


def face_to_face(
    game: Pictured,
    revealed: Revealed[Any],
    aside: str,
    said: str,
    seat: Callable[[int, float, bool], Sequence[Shape]],
    heights: Sequence[float],
    between: Callable[[Box, list[int]], Sequence[Shape]],
    between_height: float,
    space: float = 16.0,
) -> Scene:
    """Draws two players, the viewer below, with a panel between them and `space` around it.

    `seat` draws what is below a player's name, given the player, where it begins, and whether it is the player below;
    `heights` are those of the upper and the lower seat. `between` draws the panel, given the players from top to
    bottom. `aside` and `said` are as in `picture`.
    """
    seats, top = seats_in_view(2, revealed.viewer), TOP
    panel = Box(MARGIN, TOP + PLATE + heights[0] + space, INSIDE, between_height, "panel", radius=14)
    shapes: list[Shape] = [panel, *between(panel, seats)]
    for near, player in enumerate(seats):
        paid = f"payoff {scene.in_points(revealed.payoffs[player])}" if any(revealed.payoffs) else ""
        shapes += [*name_plate(player, top, revealed, paid), *seat(player, top + PLATE, bool(near))]
        top = panel.y + between_height + space
    return picture(game, revealed, top + PLATE + heights[1] + space + 4, aside, shapes, said)
