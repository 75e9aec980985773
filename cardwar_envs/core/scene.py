"""Pictures as data: a scene is a list of shapes, which `cardwar_envs.drawing` turns into SVG or pixels.

A game draws the revealed information (`Revealed`) as a `Scene`. Both are plain data, independent of any drawing
library, and never contain a move before all players have committed. A scene is `WIDTH` units of length wide, and its
text is legible when the picture is 375 pixels wide.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

S = TypeVar("S", bound=Hashable)

WIDTH, MARGIN = 600, 20
# The smallest legible text size; text that would not fit otherwise is smaller, down to SMALLEST.
READABLE, SMALLEST = 18.0, 9.0
# The number of distinct player colours; with more players they repeat, and names tell players apart.
PLAYER_COLOURS = 6
# The viewer's name if players have names.
YOU = "You"
# Names of games that are not written as their names in code.
SPOKEN = {"liars_dice": "Liar's dice", "oshi_zumo": "Oshi-Zumo"}
# Verbs in the third person, and what follows "You".
IRREGULAR = {"has": "have", "is": "are"}


@dataclass(frozen=True)
class Revealed(Generic[S]):
    """The revealed information about a game in progress, for one viewer.

    Attributes:
        state: The current state.
        viewer: The player whose private information may be shown; None for a spectator, who sees only public
            information.
        last_actions: The joint action that led here (player -> action), or None.
        payoffs: Each player's payoff so far, in payoff points.
        over: Whether the game is over.
        before: The state in which `last_actions` were played, or None if unknown.
        names: Names of the players, with "You" for the viewer; if empty, they are called player_0 and so on.
    """

    state: S
    viewer: int | None
    last_actions: Mapping[int, int] | None
    payoffs: tuple[float, ...]
    over: bool
    before: S | None = None
    names: tuple[str, ...] = ()

    def name(self, player: int) -> str:
        """A player's name."""
        return self.names[player] if self.names else f"player_{player}"

    def does(self, player: int, verb: str) -> str:
        """The beginning of a sentence: a player and a verb in the third person, e.g. "player_1 wins" or "You win"."""
        name = self.name(player)
        does = IRREGULAR.get(verb, verb.removesuffix("s")) if name == YOU else verb
        return f"{in_sentence(name, begins=True)} {does}"

    def whose(self, player: int) -> str:
        """A player in the possessive: "your" or e.g. "player_1's"."""
        name = self.name(player)
        return "your" if name == YOU else f"{in_sentence(name)}'s"


Bounds = tuple[float, float, float, float]


@dataclass(frozen=True)
class Box:
    """A rectangle with rounded corners.

    Attributes:
        x: Left edge.
        y: Top edge.
        width: Its width.
        height: Its height.
        fill: Colour role of the inside (see `cardwar_envs.drawing.palette`); None leaves it unfilled.
        stroke: Colour role of the outline; None draws none.
        line: Width of the outline, which lies inside the rectangle.
        radius: Radius of the corners.
        pick: Item that a click picks in interactive play (see `Texts.picks`); empty for none.
        turned: Whether it is a move just revealed, which interactive play turns up.
    """

    x: float
    y: float
    width: float
    height: float
    fill: str | None = None
    stroke: str | None = None
    line: float = 2.0
    radius: float = 8.0
    pick: str = ""
    turned: bool = False

    @property
    def bounds(self) -> Bounds:
        """Left, top, right, bottom."""
        return self.x, self.y, self.x + self.width, self.y + self.height


@dataclass(frozen=True)
class Disc:
    """A filled circle around (`x`, `y`); `fill` is a colour role."""

    x: float
    y: float
    radius: float
    fill: str

    @property
    def bounds(self) -> Bounds:
        """Left, top, right, bottom."""
        return self.x - self.radius, self.y - self.radius, self.x + self.radius, self.y + self.radius


@dataclass(frozen=True)
class Text:
    """A line of text.

    Attributes:
        x: Position of the `anchor`.
        y: Its baseline.
        text: The characters.
        size: Size of the font.
        anchor: "start", "middle" or "end".
        bold: Whether it is bold.
        colour: Colour role.
        mono: Whether the font is monospaced.
    """

    x: float
    y: float
    text: str
    size: float = 20.0
    anchor: str = "start"
    bold: bool = False
    colour: str = "text"
    mono: bool = False

    @property
    def bounds(self) -> Bounds:
        """Left, top, right, bottom; an estimate that text in common fonts does not exceed."""
        width = text_width(self.text, self.size, self.mono)
        left = self.x - {"start": 0.0, "middle": width / 2, "end": width}[self.anchor]
        return left, self.y - 0.8 * self.size, left + width, self.y + 0.25 * self.size


Shape = Box | Disc | Text


@dataclass(frozen=True)
class Scene:
    """A picture.

    Attributes:
        width: Its width.
        height: Its height, the same for all pictures of a game, so that they can be frames of a video.
        shapes: The shapes, in drawing order.
        title: A short title.
        description: Alternative text for people who cannot see the picture.
        outcome: A sentence on the result of the last moves; empty if the title gives the result.
        clickable: What the viewer clicks to move, in the sentence "Click ...".
    """

    width: int
    height: int
    shapes: tuple[Shape, ...]
    title: str
    description: str = ""
    outcome: str = ""
    clickable: str = "your move in the picture"


# -- text that fits ---------------------------------------------------------------------

NARROW, WIDE = frozenset(" !'(),-./:;I[]fijlrt|·"), frozenset("@%MWmw—…")


def text_width(text: str, size: float, mono: bool = False) -> float:
    """An upper estimate of the width of a line in common fonts, bold or not."""
    if mono:
        return 0.62 * size * sum(2 if unicodedata.east_asian_width(each) in "WF" else 1 for each in text)
    return size * sum(map(_char_width, text))


def _char_width(character: str) -> float:
    if character in NARROW:
        return 0.42
    if character in WIDE or unicodedata.east_asian_width(character) in "WF":
        return 1.05
    return 0.78 if character.isupper() else 0.7


def fitted(text: str, size: float, room: float, mono: bool = False) -> tuple[str, float]:
    """The text and a font size at which it fits: smaller if necessary, truncated below `SMALLEST`."""
    size = min(size, max(SMALLEST, size * room / max(text_width(text, size, mono), 1e-9)))
    kept = text
    while kept and text_width(kept, size, mono) > room * 1.0001:
        text = text[:-1]
        kept = text.rstrip() + "…"
        if not text:
            return "", size
    return kept, size


def label(
    x: float, y: float, text: str, room: float, size: float = 20.0, anchor: str = "start", **look: object
) -> Text:
    """A line of text that is at most `room` wide; `look` are further fields of `Text`."""
    words, fits = fitted(text, size, room, bool(look.get("mono")))
    return Text(x, y, words, fits, anchor, **look)  # type: ignore[arg-type]  # a field of another type is a mistake here


def centred(box: Box, text: str, size: float, **look: object) -> Text:
    """A line of text in the middle of a box."""
    words, fits = fitted(text, size, box.width - 6)
    return Text(box.x + box.width / 2, box.y + box.height / 2 + 0.36 * fits, words, fits, "middle", **look)  # type: ignore[arg-type]


def player_colour(player: int | None) -> str:
    """The colour role of a player, or for None the role of things that belong to no player."""
    return "ink" if player is None else f"player_{player % PLAYER_COLOURS}"


def in_points(payoff: float, sign: str = "+") -> str:
    """Formats payoff points with at most four decimals; `sign=""` omits the plus sign."""
    # Before Python 3.12, a Fraction has no format.
    return f"{float(payoff):{sign},.4f}".rstrip("0").rstrip(".")


def spoken(name: str) -> str:
    """A game's name as a title, e.g. `Dice Wars` for `dice_wars`; names of other libraries are unchanged."""
    return name if ":" in name else SPOKEN.get(name, name.replace("_", " ").title())


def in_sentence(name: str, begins: bool = False) -> str:
    """A player's name in, or at the beginning of, a sentence: "you", "player_1" or "the perfect player"."""
    if name == YOU:
        return YOU if begins else YOU.lower()
    article = "The" if begins else "the"
    return f"{article} {name[0].lower()}{name[1:]}" if name.endswith(" player") else name


def with_names(text: str, names: Sequence[str]) -> str:
    """Replaces player_0 and so on by names, padded to equal width in columns at the start of lines."""

    def name(found: re.Match[str]) -> str:
        begins, player, column = found.groups()
        called = names[int(player)] if int(player) < len(names) else found[0]
        if column:
            return called.ljust(max(map(len, names))) + column
        return in_sentence(called, begins is not None)

    return re.sub(r"(?m)(^)?\bplayer_(\d+)\b(  )?", name, text)


# -- shared elements of pictures --------------------------------------------------------


def table(height: float) -> Box:
    """The background of a picture."""
    return Box(0, 0, WIDTH, height, "table", radius=0)


def heading(title: str, aside: str) -> tuple[Text, ...]:
    """The title at the top left and a remark at the top right."""
    inside = WIDTH - 2 * MARGIN
    name = label(MARGIN, 46, title, inside * 0.6, 30, bold=True)
    return name, label(WIDTH - MARGIN, 44, aside, inside * 0.39, 20, "end", colour="muted")


def plain_scene(title: str, aside: str, lines: Iterable[str], description: str, height: int = 440) -> Scene:
    """Draws lines of text, reduced in size until they fit."""
    panel = Box(MARGIN, 70, WIDTH - 2 * MARGIN, height - 70 - MARGIN, "panel", radius=12)
    rows = list(lines)
    room, tall = panel.width - 2 * MARGIN, panel.height - 2 * MARGIN
    most = int(tall / (1.4 * SMALLEST))
    if len(rows) > most:
        rows = [*rows[: most - 1], f"... and {len(rows) - most + 1} more lines"]
    widest = max((text_width(row, 1.0, mono=True) for row in rows), default=1.0)
    size = max(SMALLEST, min(20.0, tall / (1.4 * max(1, len(rows))), room / max(widest, 1.0)))
    text = (
        label(panel.x + MARGIN, panel.y + MARGIN + (1.4 * i + 1) * size, row, room, size, mono=True)
        for i, row in enumerate(rows)
    )
    return Scene(WIDTH, height, (table(height), *heading(title, aside), panel, *text), title, description)
