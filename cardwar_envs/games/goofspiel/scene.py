"""Pictures of Goofspiel: both hands, the current prize, the last bids and the later prizes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from cardwar_envs.core.cards import INSIDE, HandGrid, Slot, empty_place, face_to_face, last_play, stacked, standing
from cardwar_envs.core.game import FORFEIT, Game
from cardwar_envs.core.scene import MARGIN, WIDTH, Box, Revealed, Scene, Shape, centred, label
from cardwar_envs.core.texts import counted, margin_in_words
from cardwar_envs.games.goofspiel.state import GoofspielState

BIDS = 140.0  # height of the row with the prize and the last bids
CARD = (64.0, 84.0)


def goofspiel_scene(
    game: Game[GoofspielState], revealed: Revealed[GoofspielState], by_word: bool, carries: bool
) -> Scene:
    """Draws a game.

    With `by_word`, cards are renumbered, so the last bids do not name cards; with `carries`, tied prizes are carried.
    """
    cards, state = game.facts.num_actions, revealed.state
    gone = cards - len(state.hands[0])
    grid, near_grid, margin = HandGrid(cards), HandGrid(cards, near=True), _margin(revealed, cards, carries)

    def slots(player: int) -> list[Slot]:
        return grid.slots(range(1, cards + 1), state.hands[player], by_word)

    def between(panel: Box, seats: Sequence[int]) -> list[Shape]:
        return [*_bids(game, revealed, margin, panel, seats), *_prizes(state, grid, panel.y + BIDS + 12)]

    drawn = face_to_face(
        game,
        revealed,
        f"prize {gone + 1} of {cards}" if gone < cards else f"all {cards} prizes are gone",
        " ".join(filter(None, (_standing(revealed), margin))),
        lambda player, top, near: (near_grid if near else grid).draw(slots(player), player, top, revealed.viewer),
        (grid.height, near_grid.height),
        between,
        BIDS + 30 + (grid.height if grid.holds(grid.size) else 30),
    )
    return replace(drawn, outcome=_result(revealed), clickable="one of your cards")


def _bids(
    game: Game[GoofspielState], revealed: Revealed[GoofspielState], margin: str, panel: Box, seats: Sequence[int]
) -> list[Shape]:
    """Draws the prize on the left, the last bids beside it, and the score on the right."""
    prize, first = revealed.state.prize, Box(panel.x + 20, panel.y + 42, *CARD)
    shapes: list[Shape] = [label(first.x, panel.y + 28, "prize", 90, 18, colour="muted")]
    shapes += _prize_card(first, prize, 32) if prize else empty_place(first)
    places = [Box(first.x + 84 + i * (CARD[0] + 14), first.y, *CARD) for i in (0, 1)]
    shapes.append(label(places[0].x, panel.y + 28, "last bids", 150, 18, colour="muted"))
    winner = _winner(revealed.last_actions or {})
    for player, place in zip(seats, places, strict=True):
        shapes += last_play(game, revealed, player, place, 32, winner == player)
    left = places[1].x + CARD[0] + 16
    lines = [
        (_standing(revealed), 24, True, "text"),
        (margin, 19, False, "text"),
        (_result(revealed), 19, False, "win"),
    ]
    if revealed.state.carried and not revealed.over:
        lines.append((f"carried points: {revealed.state.carried}", 18, False, "muted"))
    return shapes + stacked(lines, Box(left, first.y, panel.x + panel.width - 8 - left, CARD[1]))


def _prizes(state: GoofspielState, grid: HandGrid, top: float) -> list[Shape]:
    """Draws a row with the later prizes, and an empty place for each of the others."""
    if not grid.holds(grid.size):
        text = f"{len(state.prizes)} prizes come later"
        return [label(2 * MARGIN, top + 24, text, INSIDE - 2 * MARGIN, 18, colour="muted")]
    shapes: list[Shape] = []
    for prize in range(1, grid.size + 1):
        place = _inside(grid.place(prize - 1, top))
        shapes += _prize_card(place, prize, 0.5 * place.width) if prize in state.prizes else empty_place(place)
    return shapes


def _inside(place: Box) -> Box:
    """Moves the place towards the middle, so that a row as wide as the picture fits into the panel."""
    share = (INSIDE - 32) / INSIDE
    left = WIDTH / 2 + (place.x - WIDTH / 2) * share
    return Box(left, place.y, place.width * share, place.height)


def _prize_card(box: Box, prize: int, size: float) -> tuple[Shape, ...]:
    face = Box(box.x, box.y, box.width, box.height, "slot", "win", 2, 0.12 * box.width + 2)
    return face, centred(face, str(prize), size, bold=True)


def _winner(actions: Mapping[int, int]) -> int | None:
    """The player with the higher card; None for a tie. Renumbered cards keep their order."""
    if not actions or FORFEIT in actions.values() or actions[0] == actions[1]:
        return None
    return int(actions[1] > actions[0])


def _result(revealed: Revealed[GoofspielState]) -> str:
    """A sentence on who won the last prize."""
    actions, before = revealed.last_actions, revealed.before
    if actions is None or before is None or FORFEIT in actions.values():
        return ""
    winner = _winner(actions)
    if winner is None:
        return "Nobody won the prize"
    return f"{revealed.does(winner, 'won')} {counted(before.prize + before.carried, 'point')}"


def _standing(revealed: Revealed[GoofspielState]) -> str:
    """A sentence on who leads by how much, or who has won."""
    ahead = revealed.payoffs[0] - revealed.payoffs[1] if revealed.over else _lead(revealed)
    return standing(revealed, ahead, f" by {abs(_lead(revealed))}")


def _lead(revealed: Revealed[GoofspielState]) -> int:
    """Player 0's lead in points: the state's score or, if prizes are paid immediately, the payoff so far."""
    return revealed.state.score or round(revealed.payoffs[0])


def _margin(revealed: Revealed[GoofspielState], cards: int, carries: bool) -> str:
    """By how many points a game was won; empty before its end and after a forfeit."""
    if not revealed.over or revealed.state.hands[0]:
        return ""
    # Every point was won by a player, unless it was carried to the end; discarded prizes are not known.
    won = cards * (cards + 1) // 2 - revealed.state.carried if carries else None
    return margin_in_words(_lead(revealed), "point", won)
