"""Pictures of duels: both hands, the last trick, who leads and what is carried over."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Protocol

from cardwar_envs.core.cards import INSIDE, PLATE, HandGrid, Slot, card, empty_place, name_plate, seats_in_view
from cardwar_envs.core.game import FORFEIT, GameFacts
from cardwar_envs.core.scene import (
    MARGIN,
    WIDTH,
    Box,
    Revealed,
    Scene,
    Shape,
    centred,
    heading,
    in_points,
    label,
    player_colour,
    spoken,
    table,
)
from cardwar_envs.games.duel.interleaving import Hand, Hands
from cardwar_envs.games.duel.state import DuelState

TOP, MIDDLE, SPACE = 68.0, 168.0, 16.0
CARD = (76.0, 100.0)


class DuelRules(Protocol):
    """The part of `Duel` that pictures need."""

    @property
    def trick_word(self) -> str:
        """What a trick is called."""

    @property
    def card_unit(self) -> str:
        """What a card's rank is a number of, or nothing."""

    @property
    def view(self) -> str:
        """Whether cards keep their ranks ("cards") or are renumbered ("word")."""

    @property
    def facts(self) -> GameFacts:
        """What is true of the game."""

    @property
    def hands(self) -> Hands:
        """Both hands at the start."""

    @property
    def ranks(self) -> Hand:
        """All ranks; action `i` plays `ranks[i]`."""

    @property
    def keeps_score(self) -> bool:
        """Whether states have the score."""

    def trick_outcomes(self, rank_0: int, rank_1: int) -> tuple[tuple[Fraction, int], ...]:
        """The ways a trick can go."""

    def describe_play(self, action: int, player: int) -> str:
        """What a player did."""

    def describe_revealed(self, revealed: Revealed[DuelState]) -> str:
        """All in text."""


@dataclass(frozen=True)
class Trick:
    """The last trick.

    Attributes:
        words: What each player did.
        winner: The player who won it, -1 if it was a tie; None if that is not known.
        odds: The probability that each player wins it, or that it is a tie (-1), if chance decided it.
    """

    words: tuple[str, str]
    winner: int | None
    odds: Mapping[int, float] = field(default_factory=dict)


def duel_scene(game: DuelRules, revealed: Revealed[DuelState]) -> Scene:
    """A picture of a duel."""
    size = len(game.hands[0])
    grid = HandGrid(size)
    block = PLATE + grid.height + SPACE
    height = round(TOP + 2 * block + MIDDLE + SPACE + 4)
    title, played = spoken(game.facts.name), size - len(revealed.state.hands[0])
    shapes: list[Shape] = [table(height), *heading(title, f"{played} of {size} {game.trick_word}s")]
    seats = seats_in_view(2, revealed.viewer)
    for player, top in zip(seats, (TOP, TOP + block + MIDDLE + SPACE), strict=True):
        paid = f"payoff {in_points(revealed.payoffs[player])}" if any(revealed.payoffs) else ""
        shapes += name_plate(player, top, revealed.viewer, paid)
        shapes += grid.draw(_slots(game, revealed.state, player), player, top + PLATE)
    shapes += _middle(game, revealed, Box(MARGIN, TOP + block, INSIDE, MIDDLE, "panel", radius=14), seats)
    return Scene(
        WIDTH, height, tuple(shapes), f"{title}: {_standing(game, revealed)}", game.describe_revealed(revealed)
    )


def _slots(game: DuelRules, state: DuelState, player: int) -> list[Slot]:
    """A place for each card; a card that was played leaves its place empty, unless ranks are renumbered."""
    start, left = game.hands[player], Counter(state.hands[player])
    if game.view == "word" or not HandGrid(len(start)).holds(len(start)):
        return [Slot(str(rank)) for rank in state.hands[player]]
    slots = []
    for rank in start:
        slots.append(Slot(str(rank), held=int(left[rank] > 0)))
        left[rank] -= 1
    return slots


def _middle(game: DuelRules, revealed: Revealed[DuelState], panel: Box, seats: Sequence[int]) -> list[Shape]:
    """The last trick at the left, the standing at the right."""
    trick, word = _last_trick(game, revealed), game.trick_word
    shapes: list[Shape] = [panel, label(panel.x + 16, panel.y + 28, f"last {word}", 200, 18, colour="muted")]
    places = [Box(panel.x + 24 + i * (CARD[0] + 28), panel.y + 46, *CARD) for i in (0, 1)]
    for player, place in zip(seats, places, strict=True):
        if trick is None:
            shapes += empty_place(place)
        else:
            shapes += card(place, trick.words[player], player, 40, won=trick.winner == player)
            caption = Box(place.x, place.y + 0.7 * place.height, place.width, 0.25 * place.height)
            shapes.append(centred(caption, game.card_unit, 18, colour="ink"))
    lines = [(_standing(game, revealed), 26, True, "text")]
    if trick is not None:
        lines.append((_result(trick, word), 20, False, "text" if trick.winner == -1 else "win"))
    if revealed.state.ties and not revealed.over:
        ties = revealed.state.ties
        lines.append((f"{ties} tied, the next counts {ties + 1}", 18, False, "muted"))
    left = places[1].x + CARD[0] + 32
    right = Box(left, panel.y, panel.x + panel.width - 16 - left, panel.height)
    if trick is not None and len(trick.odds) > 1:
        right = Box(right.x, right.y, right.width, right.height - 36)
        shapes += _odds_bar(trick.odds, seats, Box(right.x, right.y + right.height - 12, right.width, 28))
    return shapes + _lines(lines, right)


def _lines(lines: Sequence[tuple[str, float, bool, str]], room: Box) -> list[Shape]:
    """Lines of text (text, size, bold, colour), which are centred vertically; empty ones are left out."""
    said = [line for line in lines if line[0]]
    first = room.y + room.height / 2 - 17 * (len(said) - 1) + 8
    return [
        label(room.x, first + 34 * i, text, room.width, size, bold=bold, colour=colour)
        for i, (text, size, bold, colour) in enumerate(said)
    ]


def _odds_bar(odds: Mapping[int, float], seats: Sequence[int], bar: Box) -> list[Shape]:
    """The odds of each player and of a tie as parts of a bar, with percentages where there is room."""
    shapes: list[Shape] = []
    left = bar.x
    for who in (seats[0], -1, seats[1]):
        part = Box(left, bar.y, odds.get(who, 0.0) * bar.width, bar.height, radius=0, line=0)
        part = replace(part, fill="slot" if who == -1 else player_colour(who))
        if part.width >= 1:
            shapes.append(part)
        if part.width >= 40:
            share = f"{odds[who]:.0%}"
            shapes.append(centred(part, ">99%" if share == "100%" and odds[who] < 1.0 else share, 18))
        left += part.width
    return shapes


def _last_trick(game: DuelRules, revealed: Revealed[DuelState]) -> Trick | None:
    actions = revealed.last_actions
    if actions is None:
        return None
    words = game.describe_play(actions[0], 0), game.describe_play(actions[1], 1)
    if FORFEIT in actions.values():
        return Trick(words, None)
    outcomes = game.trick_outcomes(game.ranks[actions[0]], game.ranks[actions[1]])
    if len(outcomes) == 1:
        return Trick(words, _who(outcomes[0][1]))
    odds = {_who(sign): float(chance) for chance, sign in outcomes}
    if revealed.before is None or not game.keeps_score:
        return Trick(words, None, odds)
    return Trick(words, _who(revealed.state.score - revealed.before.score), odds)


def _who(points: float) -> int:
    """The player for whom the points are: player 0 if they are positive, -1 if there are none."""
    return -1 if points == 0 else int(points < 0)


def _result(trick: Trick, word: str) -> str:
    if trick.winner is None:
        return ""
    return f"the {word} is tied" if trick.winner == -1 else f"player_{trick.winner} won the {word}"


def _standing(game: DuelRules, revealed: Revealed[DuelState]) -> str:
    """Who leads by how much, or who has won."""
    state, payoffs = revealed.state, revealed.payoffs
    forfeited = revealed.over and bool(state.hands[0])
    scored = game.keeps_score and not forfeited
    leader = _who(state.score if scored else payoffs[0] - payoffs[1])
    if leader == -1:
        return "A draw" if revealed.over else "Nobody leads"
    if revealed.over:
        return f"player_{leader} wins"
    return f"player_{leader} leads" + (f" by {abs(state.score)}" if scored else "")
