"""Pictures of Dice Poker: two dice, each visible to its player, and both players' moves."""

from __future__ import annotations

from cardwar_envs.core.cards import INSIDE, Pictured, picture, seats_in_view
from cardwar_envs.core.scene import (
    MARGIN,
    WIDTH,
    Box,
    Disc,
    Revealed,
    Scene,
    Shape,
    centred,
    in_points,
    label,
    player_colour,
)
from cardwar_envs.games.dice_poker.state import CHECK, FOLD, RAISE, DicePokerState, seen_rolls

TOP, PANEL, GAP, FOOT = 72.0, 256.0, 16.0, 64.0
DIE = 116.0
# Positions of a face's pips relative to its centre, in quarters of the die's width.
PIPS = {
    1: [(0, 0)],
    2: [(-1, -1), (1, 1)],
    3: [(-1, -1), (0, 0), (1, 1)],
    4: [(-1, -1), (-1, 1), (1, -1), (1, 1)],
    5: [(-1, -1), (-1, 1), (0, 0), (1, -1), (1, 1)],
    6: [(-1, -1), (-1, 0), (-1, 1), (1, -1), (1, 0), (1, 1)],
}


def dice_scene(game: Pictured, revealed: Revealed[DicePokerState], sides: int, stakes: str) -> Scene:
    """Draws a game with dice of `sides` faces; `stakes` describes ante and raise."""
    rolls, wide, plays = seen_rolls(revealed), (INSIDE - GAP) / 2, revealed.last_actions
    shapes: list[Shape] = []
    for column, player in enumerate(seats_in_view(2, revealed.viewer)):
        panel = Box(MARGIN + column * (wide + GAP), TOP, wide, PANEL, "panel", radius=14)
        plate = Box(panel.x + 16, panel.y + 16, panel.width - 32, 32, player_colour(player), radius=16, line=0)
        name = revealed.name(player) + (", you" if player == revealed.viewer and not revealed.names else "")
        die = Box(panel.x + (wide - DIE) / 2, panel.y + 66, DIE, DIE, "card", "edge", 2, 18)
        done = Box(panel.x + 10, panel.y + 196, panel.width - 20, 44)
        shapes += [panel, plate, centred(plate, name, 20, bold=True), *_face(die, rolls[player], sides, player)]
        words = "to decide" if plays is None else game.describe_play(plays[player], player)
        if player == 1 and revealed.state.actions and revealed.state.actions[0] == CHECK:
            words = f"would {words}"
        shapes.append(centred(done, words, 26, bold=plays is not None))
    outcome = _outcome(revealed)
    shapes.append(label(WIDTH / 2, TOP + PANEL + 42, outcome, INSIDE, 26, "middle", bold=True, colour="win"))
    return picture(game, revealed, TOP + PANEL + FOOT, stakes, shapes, outcome)


def _face(die: Box, roll: int | None, sides: int, player: int) -> list[Shape]:
    """Draws a die with pips, or with a number if it has more than six faces; "?" if the roll is hidden."""
    colour = player_colour(player)
    if roll is None:
        hidden = Box(die.x, die.y, die.width, die.height, "back", "edge", 2, 18)
        return [hidden, centred(hidden, "?", 60, bold=True, colour="ink")]
    if sides > 6:
        return [die, centred(die, str(roll), 52, bold=True, colour=colour)]
    middle, step = (die.x + DIE / 2, die.y + DIE / 2), DIE / 4
    return [die, *(Disc(middle[0] + across * step, middle[1] + down * step, 11, colour) for across, down in PIPS[roll])]


def _outcome(revealed: Revealed[DicePokerState]) -> str:
    if not revealed.over:
        return "Both decide at the same time"
    paid, (roll_0, roll_1), actions = revealed.payoffs[0], *revealed.state
    if not paid:
        return f"Nobody wins anything{' with equal rolls' * (roll_0 == roll_1)}"
    how = ""
    if actions is not None:  # otherwise the game was forfeited
        how = f" after {revealed.whose(1)} fold" if actions == (RAISE, FOLD) else " with the higher roll"
    return f"{revealed.does(int(paid < 0), 'wins')} {in_points(abs(paid), '')}{how}"
