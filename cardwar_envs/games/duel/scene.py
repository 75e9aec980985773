"""Pictures of duels: both hands, the last trick, the leader and carried ties."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from typing import Protocol

from cardwar_envs.core.cards import HandGrid, Pictured, Slot, face_to_face, last_play, stacked, standing
from cardwar_envs.core.game import FORFEIT
from cardwar_envs.core.scene import Box, Revealed, Scene, Shape, centred, label, player_colour
from cardwar_envs.core.texts import margin_in_words
from cardwar_envs.games.duel.interleaving import Hand, Hands
from cardwar_envs.games.duel.state import DuelState

MIDDLE = 190.0
CARD = (76.0, 100.0)


class _Duel(Pictured, Protocol):
    """The part of `Duel` that its pictures need."""

    @property
    def trick_word(self) -> str: ...
    @property
    def card_word(self) -> str: ...
    @property
    def rank_units(self) -> tuple[str, str]: ...
    @property
    def ties(self) -> str: ...
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
    grids, renumbered = (HandGrid(size), HandGrid(size, near=True)), game.view == "word"

    def slots(player: int) -> list[Slot]:
        return grids[0].slots(game.hands[player], revealed.state.hands[player], renumbered)

    drawn = face_to_face(
        game,
        revealed,
        f"{size - len(revealed.state.hands[0])} of {size} {game.trick_word}s",
        " ".join(filter(None, (_standing(game, revealed), _margin(game, revealed)))),
        lambda player, top, near: grids[near].draw(slots(player), player, top, revealed.viewer),
        [grid.height for grid in grids],
        partial(_middle, game, revealed),
        MIDDLE,
    )
    outcome = _outcome(revealed, trick, game.trick_word) if trick else ""
    return replace(drawn, outcome=outcome, clickable=f"one of your {game.card_word}s")


def _middle(game: _Duel, revealed: Revealed[DuelState], panel: Box, seats: Sequence[int]) -> list[Shape]:
    """Draws the last trick on the left and the score on the right."""
    trick, word = _last_trick(game, revealed), game.trick_word
    shapes: list[Shape] = [label(panel.x + 16, panel.y + 28, f"last {word}", 200, 18, colour="muted")]
    places = [Box(panel.x + 20 + i * (CARD[0] + 18), panel.y + 54, *CARD) for i in (0, 1)]
    for player, place in zip(seats, places, strict=True):
        shapes += last_play(game, revealed, player, place, 40, trick is not None and trick.winner == player)
        if trick is not None:
            caption = Box(place.x, place.y + 0.7 * place.height, place.width, 0.25 * place.height)
            shapes.append(centred(caption, _unit(game, revealed, player), 18, colour="ink"))
    lines = [(_standing(game, revealed), 26, True, "text"), (_margin(game, revealed), 20, False, "text")]
    if trick is not None:
        lines.append((_result(revealed, trick, word), 20, False, "text" if trick.winner == -1 else "win"))
    if ties := revealed.state.ties:
        worth = "won by nobody" if revealed.over else f"the next counts {ties + 1}"
        lines.append((f"{ties} tied, {worth}", 18, False, "muted"))
    left = places[1].x + CARD[0] + 18
    right = Box(left, panel.y, panel.x + panel.width - 10 - left, panel.height)
    if trick is not None and len(trick.odds) > 1:
        right = Box(right.x, right.y, right.width, right.height - 62)
        below = right.y + right.height
        shapes.append(label(right.x, below + 14, "drawn with these odds", right.width, 18, colour="muted"))
        shapes += _odds_bar(trick.odds, seats, Box(right.x, below + 24, right.width, 28))
    return shapes + stacked(lines, right)


def _unit(game: _Duel, revealed: Revealed[DuelState], player: int) -> str:
    """The unit of the rank that the player played last, e.g. "dice"; empty after a forfeit."""
    action = FORFEIT if revealed.last_actions is None else revealed.last_actions[player]
    return "" if action == FORFEIT else game.rank_units[game.ranks[action] != 1]


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
    return f"The {word} is tied" if trick.winner == -1 else f"{revealed.does(trick.winner, 'won')} the {word}"


def _outcome(revealed: Revealed[DuelState], trick: Trick, word: str) -> str:
    """The result, with its probability if chance decided it."""
    said = _result(revealed, trick, word)
    if trick.winner is None or len(trick.odds) < 2:
        return said
    return f"{said}, with probability {_percent(trick.odds[trick.winner])}"


def _standing(game: _Duel, revealed: Revealed[DuelState]) -> str:
    """A sentence on who leads by how much, or who has won."""
    if game.keeps_score and not _forfeited(revealed):
        return standing(revealed, revealed.state.score, f" by {abs(revealed.state.score)}")
    return standing(revealed, revealed.payoffs[0] - revealed.payoffs[1])


def _margin(game: _Duel, revealed: Revealed[DuelState]) -> str:
    """By how many tricks a game was won; empty before its end and after a forfeit."""
    if not revealed.over or _forfeited(revealed):
        return ""
    ahead = revealed.state.score if game.keeps_score else round(revealed.payoffs[0])
    # Every trick was won by a player, unless it was carried to the end; discarded ties are not known.
    won = len(game.hands[0]) - revealed.state.ties if game.ties == "carry" else None
    return margin_in_words(ahead, game.trick_word, won)


def _forfeited(revealed: Revealed[DuelState]) -> bool:
    return revealed.over and bool(revealed.state.hands[0])
