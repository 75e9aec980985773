"""Pictures of WAR: the pot, and each player's hand by rank."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from cardwar_envs.core import cards
from cardwar_envs.core.cards import GAP, IN_A_ROW, INSIDE, PLATE, TOP, HandGrid, Slot
from cardwar_envs.core.game import FORFEIT, Game
from cardwar_envs.core.scene import (
    MARGIN,
    Box,
    Revealed,
    Scene,
    Shape,
    centred,
    in_points,
    in_sentence,
    label,
    player_colour,
    text_width,
)
from cardwar_envs.core.texts import counted, joined
from cardwar_envs.games.war.actions import WarActions, WarChoice
from cardwar_envs.games.war.state import Pile, WarState

PANEL, SPACE = 160.0, 14.0
# Maximum number of players whose hands are shown; with more, all have a tile, and only one hand is shown.
WITH_HANDS = 6
TILES, TILE = 4, 56.0
# Maximum number of players at war who are named.
NAMED = 3
NAMES = 240.0  # the room for their names


def war_scene(game: Game[WarState], actions: WarActions, revealed: Revealed[WarState]) -> Scene:
    """Draws a game of WAR."""
    ranks, players = actions.cards, game.facts.num_players
    places = len(ranks) if _has_places(ranks) else 2 * IN_A_ROW
    seats, plays = cards.seats_in_view(players, revealed.viewer), _plays(actions, revealed)
    crowd = len(seats) > WITH_HANDS
    tiles = -(-len(seats) // TILES) * (TILE + GAP) + SPACE if crowd else 0.0
    shown = [revealed.viewer or 0] if crowd else seats
    standing, reason, tie = _standing(revealed, plays), _reason(game, revealed), _tie(revealed, plays)
    panel = Box(MARGIN, TOP, INSIDE, PANEL, "panel", radius=14)
    short = reason or ("A tie without a war: the cards stay on the table" if tie else "")
    shapes = _table_panel(standing, short, revealed, plays, panel)
    top = TOP + PANEL + SPACE
    if crowd:
        for player in range(players):
            shapes += _tile(revealed, player, top)
        top += tiles
    for player in shown:
        grid = HandGrid(places, near=player == seats[-1])
        done = _words(plays[player]) if player in plays else ""
        remark = _piles(revealed, player)
        if revealed.over or player not in revealed.state.live:
            remark += f", payoff {in_points(revealed.payoffs[player])}"
        shapes += cards.name_plate(player, top, revealed, remark, done)
        shapes += grid.draw(_slots(ranks, revealed.state, player), player, top + PLATE, revealed.viewer)
        top += PLATE + grid.height + SPACE
    aside = "the game is over" if revealed.over else f"{counted(revealed.state.rounds_left, 'round')} left"
    drawn = cards.picture(game, revealed, top + 4, aside, shapes, standing)
    return replace(drawn, outcome=". ".join(filter(None, (tie, reason))), clickable="one of your cards")


def _has_places(ranks: Pile) -> bool:
    """Returns whether there is a place for each rank, so that ranks not held leave an empty place."""
    return len(ranks) <= IN_A_ROW * cards.MOST_ROWS


def _slots(ranks: Pile, state: WarState, player: int) -> list[Slot]:
    """One slot per rank, for the cards in the hand and the cards won."""
    held, won = Counter(state.hands[player]), Counter(state.wins[player])
    shown = ranks if _has_places(ranks) else sorted(held | won)
    return [Slot(str(rank), held[rank], won=won[rank]) for rank in shown]


def _plays(actions: WarActions, revealed: Revealed[WarState]) -> dict[int, Pile]:
    """The cards of each last play, discards first, or () for a forfeit; players who waited for others are left out."""
    plays: dict[int, Pile] = {}
    for player, action in (revealed.last_actions or {}).items():
        if action == FORFEIT:
            plays[player] = ()
        elif isinstance(play := actions.decode(action), WarChoice):
            plays[player] = (*play.discards, play.battle)
        elif play is not None:
            plays[player] = (play,)
    return plays


def _words(play: Pile) -> str:
    """The discards of a play, if there are any, or "forfeits"."""
    if not play:
        return "forfeits"
    return f"discards {' '.join(map(str, play[:-1]))}" if len(play) > 1 else ""


def _table_panel(
    standing: str, reason: str, revealed: Revealed[WarState], plays: Mapping[int, Pile], panel: Box
) -> list[Shape]:
    """Draws the standing, the reason for it if there is one, the cards that battled, and the pot."""
    pot, winner = revealed.state.pot, _taker(revealed, plays)[0]
    left, end, room = panel.x + 16, panel.x + panel.width - 16, panel.width - 32
    in_pot = f"{counted(len(pot), 'card')} in the pot" if pot else "the pot is empty"
    shapes: list[Shape] = [
        panel,
        label(left, panel.y + 32, standing, 330, 24, bold=True, colour="win"),
        label(end, panel.y + 31, in_pot, 180, 18, "end", colour="muted"),
    ]
    cards_put = [(play[-1], player) for player, play in plays.items() if play]
    battled = sorted((player, battle) for battle, player in sorted(cards_put, reverse=True)[:WITH_HANDS])
    if reason:
        shapes.append(label(left, panel.y + 66, reason, room, 20))
    elif battled:
        shapes.append(label(left, panel.y + 66, "played", room, 18, colour="muted"))
    places = [Box(panel.x + 20 + i * 44, panel.y + 88, 35, 50) for i in range(12)]
    for place, (player, battle) in zip(places, battled, strict=False):
        shapes += cards.card(place, str(battle), player, 18, won=player == winner, turned=True)
    return shapes + (_pot(pot, places[len(battled) + 1 if battled else 0 :]) if pot else [])


def _pot(pot: Pile, places: Sequence[Box]) -> list[Shape]:
    """Draws the pot: a tray with its name at the first place and its cards at the others."""
    first, last = places[0], places[-1]
    tray = Box(first.x - 8, first.y - 10, last.x + last.width - first.x + 16, first.height + 20, "slot", "win")
    slots = [Slot(str(rank), count) for rank, count in sorted(Counter(pot).items())]
    return [tray, centred(first, "pot", 18, bold=True), *cards.draw_slots(slots, places[1:], None)]


def _reason(game: Game[WarState], revealed: Revealed[WarState]) -> str:
    """Why the game is over; empty before its end."""
    live = revealed.state.live
    if not revealed.over:
        return ""
    if FORFEIT in (revealed.last_actions or {}).values():
        return "The game is forfeited"
    if len(live) > 1:
        return f"The limit of {counted(game.facts.max_rounds or 0, 'round')} is reached"
    if not live:
        return "The last players ran out of cards at the same time"
    if game.facts.num_players > 2:
        return "All others are out of cards"
    return f"{revealed.does(1 - live[0], 'is')} out of cards"


def _standing(revealed: Revealed[WarState], plays: Mapping[int, Pile]) -> str:
    """Returns text saying who has won, who is at war, or who has just taken how many cards."""
    if revealed.over:
        best = max(revealed.payoffs)
        winners = [player for player, paid in enumerate(revealed.payoffs) if paid == best]
        if best <= 0:
            return "A draw"
        won = f"{in_points(best, '')} point{'s' * (best != 1)}"
        return (
            f"{revealed.does(winners[0], 'wins')} {won}" if len(winners) == 1 else f"{len(winners)} players win {won}"
        )
    if tied := revealed.state.tied:
        return f"War between {_group(revealed, tied)}"
    winner, taken = _taker(revealed, plays)
    return "A new round" if winner is None else f"{revealed.does(winner, 'takes')} {counted(taken, 'card')}"


def _group(revealed: Revealed[WarState], players: Sequence[int], begins: bool = False) -> str:
    """The players' names, in or at the beginning of a sentence, or their number if the names do not fit."""
    names = joined([in_sentence(revealed.name(player), begins and player == players[0]) for player in players])
    if len(players) <= NAMED and text_width(names, 18) <= NAMES:
        return names
    return f"{len(players)} players" if len(revealed.payoffs) > 2 else f"{'B' if begins else 'b'}oth players"


def _tie(revealed: Revealed[WarState], plays: Mapping[int, Pile]) -> str:
    """Says who has just tied without a war; empty if nobody, or unknown."""
    unknown = revealed.before is None or not plays or not all(plays.values())
    if unknown or revealed.state.tied or _taker(revealed, plays)[0] is not None:
        return ""
    highest = max(play[-1] for play in plays.values())
    tied = [player for player, play in plays.items() if play[-1] == highest]
    return f"{_group(revealed, tied, begins=True)} tied with too few cards for a war and lost them to the table"


def _taker(revealed: Revealed[WarState], plays: Mapping[int, Pile]) -> tuple[int | None, int]:
    """Returns the player who has just taken the cards at stake, and the number of cards; None if nobody, or unknown."""
    before = revealed.before
    if before is not None and revealed.state is not before:
        for player, play in plays.items():
            taken = _cards(revealed.state, player) - _cards(before, player) + len(play)
            if taken > 0:
                return player, taken
    return None, 0


def _cards(state: WarState, player: int) -> int:
    return len(state.hands[player]) + len(state.wins[player])


def _piles(revealed: Revealed[WarState], player: int) -> str:
    state = revealed.state
    if player not in state.live:
        return "out"
    if revealed.over:
        return counted(_cards(state, player), "card")
    words = f"hand {len(state.hands[player])} + won {len(state.wins[player])}"
    return f"at war, {words}" if player in state.tied else words


def _tile(revealed: Revealed[WarState], player: int, top: float) -> list[Shape]:
    """Draws a tile with a summary of a player, if there are too many players to show their hands."""
    row, column = divmod(player, TILES)
    wide = (INSIDE - (TILES - 1) * GAP) / TILES
    tile = Box(MARGIN + column * (wide + GAP), top + row * (TILE + GAP), wide, TILE, "panel", radius=8)
    plate = Box(tile.x + 4, tile.y + 4, wide - 8, 24, player_colour(player), radius=8, line=0)
    below = Box(tile.x, tile.y + 28, wide, 26)
    you = player == revealed.viewer
    return [
        tile,
        plate,
        centred(plate, revealed.name(player) + (", you" if you and not revealed.names else ""), 18, bold=True),
        centred(below, _piles(revealed, player), 18),
    ]
