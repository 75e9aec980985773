"""Pictures of Oshi-Zumo: the board with the wrestler, both players' coins and the last bids."""

from __future__ import annotations

from collections.abc import Sequence

from cardwar_envs.core.cards import INSIDE, Pictured, face_to_face, last_play
from cardwar_envs.core.scene import MARGIN, WIDTH, YOU, Box, Disc, Revealed, Scene, Shape, label, player_colour
from cardwar_envs.games.oshi_zumo.state import OshiZumoState

BAR, BOARD, SPACE = 30.0, 130.0, 18.0
BID = (72.0, 72.0)
# Maximum number of fields drawn; the fields of a longer board would be too narrow to see.
MOST_FIELDS = 41


def oshi_zumo_scene(game: Pictured, revealed: Revealed[OshiZumoState], coins: int, size: int) -> Scene:
    """Draws a game with `coins` per player at the start and `size` fields on each side of the middle."""
    state, standing = revealed.state, _standing(revealed)

    def seat(player: int, top: float) -> list[Shape]:
        bid = Box(WIDTH / 2 - BID[0] / 2, top + BAR + SPACE, *BID)
        return [*_purse(state.coins[player], coins, player, top), *_bid(game, revealed, player, bid)]

    def between(board: Box, seats: Sequence[int]) -> list[Shape]:
        said = label(WIDTH / 2, board.y + BOARD - 16, standing, INSIDE - 2 * MARGIN, 20, "middle", bold=True)
        room, top = (board.width - 2 * MARGIN) / 2, board.y + 20
        ends = [
            label(board.x + MARGIN, top, f"{_whose(revealed, 0)} end", room, 18),
            label(board.x + board.width - MARGIN, top, f"{_whose(revealed, 1)} end", room, 18, "end"),
        ]
        return [*_fields(state.position, size, board), *ends, said]

    aside = f"at most {state.moves_left} moves left"
    return face_to_face(game, revealed, aside, standing, seat, BAR + SPACE + BID[1], between, BOARD, SPACE)


def _purse(left: int, coins: int, player: int, top: float) -> list[Shape]:
    """Draws a bar as long as the remaining coins, and their number."""
    room = INSIDE - 150
    shapes: list[Shape] = [Box(MARGIN, top, room, BAR, "panel")]
    if left:
        shapes.append(Box(MARGIN, top, max(room * left / coins, 6.0), BAR, "card", player_colour(player), 4, 6))
    shapes.append(label(WIDTH - MARGIN, top + 22, f"{left} of {coins} coins", 145, 19, "end"))
    return shapes


def _bid(game: Pictured, revealed: Revealed[OshiZumoState], player: int, box: Box) -> list[Shape]:
    """Draws a player's last bid, with its name."""
    shapes: list[Shape] = [label(box.x - 12, box.y + box.height / 2 + 6, "last bid", 120, 18, "end", colour="muted")]
    actions = revealed.last_actions
    won = actions is not None and actions[player] > actions[1 - player] >= 0
    return [*shapes, *last_play(game, revealed, player, box, 30, won)]


def _fields(position: int, size: int, board: Box) -> list[Shape]:
    """Draws the fields with player 0's side on the left, the places off the board, and the wrestler."""
    count = min(2 * size + 3, MOST_FIELDS)
    step = (board.width - 2 * MARGIN) / count
    width, middle = min(step * 0.84, 56.0), board.y + 54
    shown = range(-(count // 2), count // 2 + 1)
    shapes: list[Shape] = []
    for field in shown:
        centre = WIDTH / 2 + field * step
        side = "muted" if field == 0 else player_colour(int(field > 0))
        fill = None if abs(field) > size else "slot"
        shapes.append(Box(centre - width / 2, middle - width / 2, width, width, fill, side, 3))
    at = max(shown[0], min(position, shown[-1]))
    shapes.append(Disc(WIDTH / 2 + at * step, middle, 0.32 * width, "win"))
    return shapes


def _standing(revealed: Revealed[OshiZumoState]) -> str:
    """A sentence on where the wrestler is, or who has won."""
    position, ahead = revealed.state.position, revealed.payoffs[0] - revealed.payoffs[1]
    if revealed.over:
        return "a draw" if ahead == 0 else revealed.does(int(ahead < 0), "wins")
    if position == 0:
        return "the wrestler stands in the middle"
    fields = "1 field" if abs(position) == 1 else f"{abs(position)} fields"
    return f"the wrestler stands {fields} on {_whose(revealed, int(position > 0))} side"


def _whose(revealed: Revealed[OshiZumoState], player: int) -> str:
    name = revealed.name(player)
    return "your" if name == YOU else f"{name}'s"
