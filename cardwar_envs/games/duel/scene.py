"""Pictures of duels: both hands, the last trick, the leader and carried ties."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from typing import Protocol

from cardwar_envs.core.cards import HandGrid, Pictured, Slot, face_to_face, last_play, stacked
from cardwar_envs.core.game import FORFEIT
from cardwar_envs.core.scene import Box, Revealed, Scene, Shape, centred, label, player_colour
from cardwar_envs.games.duel.interleaving import Hand, Hands
from cardwar_envs.games.duel.state import DuelState

MIDDLE = 168.0
CARD = (76.0, 100.0)


class _Duel(Pictured, Protocol):
    """The part of `Duel` that its pictures need."""

    @property
    def trick_word(self) -> str: ...
    @property
    def card_unit(self) -> str: ...
    @property
    def view(self) -> str: ...
    @property
    def hands(self) -> Hands: ...
    @property
    def ranks(self) -> Hand: ...
    @property
    def keeps_score(self) -> bool: ...
    def trick_outcomes(self, rank_0: int, rank_1: int) -> tuple[tuple[Fraction, int], ...]: ...


@dataclass(frozen=True)
class Trick:
    """The last trick.

    Attributes:
        winner: The player who won the trick, -1 for a tie; None if unknown.
        odds: The probability of each winner (-1 for a tie), if chance decided the trick.
    """

    winner: int | None
    odds: Mapping[int, float] = field(default_factory=dict)


def duel_scene(game: _Duel, revealed: Revealed[DuelState]) -> Scene:
    """Draws a duel."""
    size, trick = len(game.hands[0]), _last_trick(game, revealed)
    grid = HandGrid(size)
    drawn = face_to_face(
        game,
        revealed,
        f"{size - len(revealed.state.hands[0])} of {size} {game.trick_word}s",
        _standing(game, revealed),
        lambda player, top: grid.draw(_slots(game, revealed.state, player), player, top, revealed.viewer),
        grid.height,
        partial(_middle, game, revealed),
        MIDDLE,
    )
    return replace(drawn, outcome=_outcome(revealed, trick, game.trick_word) if trick else "")


def _slots(game: _Duel, state: DuelState, player: int) -> list[Slot]:
    """One slot per card; the slots of played cards stay empty, unless ranks are renumbered."""
    start, left = game.hands[player], Counter(state.hands[player])
    if game.view == "word" or not HandGrid(len(start)).holds(len(start)):
        return [Slot(str(rank)) for rank in state.hands[player]]
    slots = []
    for rank in start:
        slots.append(Slot(str(rank), held=int(left[rank] > 0)))
        left[rank] -= 1
    return slots


def _middle(game: _Duel, revealed: Revealed[DuelState], panel: Box, seats: Sequence[int]) -> list[Shape]:
    """Draws the last trick on the left and the score on the right."""
    trick, word = _last_trick(game, revealed), game.trick_word
    shapes: list[Shape] = [label(panel.x + 16, panel.y + 28, f"last {word}", 200, 18, colour="muted")]
    places = [Box(panel.x + 24 + i * (CARD[0] + 28), panel.y + 46, *CARD) for i in (0, 1)]
    for player, place in zip(seats, places, strict=True):
        shapes += last_play(game, revealed, player, place, 40, trick is not None and trick.winner == player)
        if trick is not None:
            caption = Box(place.x, place.y + 0.7 * place.height, place.width, 0.25 * place.height)
            shapes.append(centred(caption, game.card_unit, 18, colour="ink"))
    lines = [(_standing(game, revealed), 26, True, "text")]
    if trick is not None:
        lines.append((_result(revealed, trick, word), 20, False, "text" if trick.winner == -1 else "win"))
    if revealed.state.ties and not revealed.over:
        ties = revealed.state.ties
        lines.append((f"{ties} tied, the next counts {ties + 1}", 18, False, "muted"))
    left = places[1].x + CARD[0] + 32
    right = Box(left, panel.y, panel.x + panel.width - 16 - left, panel.height)
    if trick is not None and len(trick.odds) > 1:
        right = Box(right.x, right.y, right.width, right.height - 62)
        below = right.y + right.height
        shapes.append(label(right.x, below + 8, "odds before the roll", right.width, 18, colour="muted"))
        shapes += _odds_bar(trick.odds, seats, Box(right.x, below + 18, right.width, 28))
    return shapes + stacked(lines, right)


def _odds_bar(odds: Mapping[int, float], seats: Sequence[int], bar: Box) -> list[Shape]:
    """Draws the odds of each player and of a tie as parts of a bar, with percentages where there is room."""
    shapes: list[Shape] = []
    left = bar.x
    for who in (seats[0], -1, seats[1]):
        part = Box(left, bar.y, odds.get(who, 0.0) * bar.width, bar.height, radius=0, line=0)
        part = replace(part, fill="slot" if who == -1 else player_colour(who))
        if part.width >= 1:
            shapes.append(part)
        if part.width >= 40:
            shapes.append(centred(part, _percent(odds[who]), 18))
        left += part.width
    return shapes


def _percent(share: float) -> str:
    """A probability in percent; "100%" and "0%" are certain."""
    if 0.0 < share < 0.005:
        return "<1%"
    return ">99%" if 0.995 <= share < 1.0 else f"{share:.0%}"


def _last_trick(game: _Duel, revealed: Revealed[DuelState]) -> Trick | None:
    actions = revealed.last_actions
    if actions is None:
        return None
    if FORFEIT in actions.values():
        return Trick(None)
    outcomes = game.trick_outcomes(game.ranks[actions[0]], game.ranks[actions[1]])
    if len(outcomes) == 1:
        return Trick(_who(outcomes[0][1]))
    odds = {_who(sign): float(chance) for chance, sign in outcomes}
    if revealed.before is None or not game.keeps_score:
        return Trick(None, odds)
    return Trick(_who(revealed.state.score - revealed.before.score), odds)


def _who(points: float) -> int:
    """The player who leads, given player 0's points minus player 1's; -1 if neither does."""
    return -1 if points == 0 else int(points < 0)


def _result(revealed: Revealed[DuelState], trick: Trick, word: str) -> str:
    if trick.winner is None:
        return ""
    return f"the {word} is tied" if trick.winner == -1 else f"{revealed.name(trick.winner)} won the {word}"


def _outcome(revealed: Revealed[DuelState], trick: Trick, word: str) -> str:
    """The result, with its probability if chance decided it."""
    said = _result(revealed, trick, word)
    if trick.winner is None or len(trick.odds) < 2:
        return said
    return f"{said}, with probability {_percent(trick.odds[trick.winner])}"


def _standing(game: _Duel, revealed: Revealed[DuelState]) -> str:
    """A sentence on who leads by how much, or who has won."""
    state, payoffs = revealed.state, revealed.payoffs
    forfeited = revealed.over and bool(state.hands[0])
    scored = game.keeps_score and not forfeited
    leader = _who(state.score if scored else payoffs[0] - payoffs[1])
    if leader == -1:
        return "A draw" if revealed.over else "Nobody leads"
    if revealed.over:
        return revealed.does(leader, "wins")
    return revealed.does(leader, "leads") + (f" by {abs(state.score)}" if scored else "")
