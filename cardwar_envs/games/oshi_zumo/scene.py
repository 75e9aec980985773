"""Pictures of Oshi-Zumo: the board with the wrestler, both players' coins and the last bids."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from cardwar_envs.core.cards import INSIDE, Pictured, face_to_face, last_play
from cardwar_envs.core.scene import MARGIN, WIDTH, Box, Disc, Revealed, Scene, Shape, label, player_colour
from cardwar_envs.core.texts import counted
from cardwar_envs.games.oshi_zumo.state import OshiZumoState

BAR, BOARD, SPACE = 30.0, 144.0, 18.0
BID = (64.0, 64.0)
# Maximum number of fields drawn; the fields of a longer board would be too narrow to see.
MOST_FIELDS = 41


def oshi_zumo_scene(game: Pictured, revealed: Revealed[OshiZumoState], coins: int, size: int) -> Scene:
    """Draws a game with `coins` per player at the start and `size` fields on each side of the middle."""
    state, lines = revealed.state, [_where(revealed, size), *([_result(revealed)] if revealed.over else [])]

    def seat(player: int, top: float) -> list[Shape]:
        bid = Box(WIDTH / 2 - BID[0] / 2, top + BAR + SPACE, *BID)
        return [*_purse(state.coins[player], coins, player, top), *_bid(game, revealed, player, bid)]

    def between(board: Box, seats: Sequence[int]) -> list[Shape]:
        below, wide = board.y + BOARD - 12 - 14 * len(lines), INSIDE - 2 * MARGIN
        said = [label(WIDTH / 2, below + 28 * i, line, wide, 20, "middle", bold=True) for i, line in enumerate(lines)]
        room, top = (board.width - 2 * MARGIN) / 2, board.y + 20
        ends = [
            label(board.x + MARGIN, top, _end(revealed, 0), room, 18),
            label(board.x + board.width - MARGIN, top, _end(revealed, 1), room, 18, "end"),
        ]
        return [*_fields(state.position, size, board), *ends, *said]

    drawn = face_to_face(game, revealed, _left(revealed), lines[-1], seat, BAR + SPACE + BID[1], between, BOARD, SPACE)
    return replace(drawn, outcome=lines[0]) if revealed.over else drawn


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


def _end(revealed: Revealed[OshiZumoState], player: int) -> str:
    return f"{revealed.whose(player)} end".replace("your", "Your")


def _left(revealed: Revealed[OshiZumoState]) -> str:
    """How many moves are left, or at the end, why there are none."""
    state = revealed.state
    if not revealed.over:
        return f"at most {counted(state.moves_left, 'move')} left"
    return "the game is over" if any(state.coins) else "all coins are gone"


def _where(revealed: Revealed[OshiZumoState], size: int) -> str:
    """Where the wrestler stands."""
    position = revealed.state.position
    if position == 0:
        return "The wrestler stands in the middle"
    side = revealed.whose(int(position > 0))
    if abs(position) > size:
        return f"The wrestler is off the board at {side} end"
    return f"The wrestler stands {counted(abs(position), 'field')} on {side} side"


def _result(revealed: Revealed[OshiZumoState]) -> str:
    ahead = revealed.payoffs[0] - revealed.payoffs[1]
    return "A draw" if ahead == 0 else revealed.does(int(ahead < 0), "wins")
