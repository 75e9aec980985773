"""Goofspiel with hidden bids: what a player sees, and checks of states."""

from __future__ import annotations

from array import array
from math import factorial

from cardwar_envs.core.parameters import checked_tuple, reading_state, whole_number
from cardwar_envs.core.scene import Revealed, Scene, in_points, plain_scene, spoken, with_names
from cardwar_envs.games.duel.interleaving import Hand
from cardwar_envs.games.duel.state import ZERO
from cardwar_envs.games.goofspiel.state import GoofspielState

# Entries of an observation for each prize that is gone: the prize, the own card, and who won it.
PER_PRIZE = 3
WINNER = {1: "you win", 0: "nobody wins", -1: "the other player wins"}


def observed(state: GoofspielState, player: int, size: int) -> array[float]:
    """The player's cards, the later prizes, the current prize, and for each prize before: own card and winner."""
    row = ZERO * (2 * size + 1 + PER_PRIZE * size)
    for card in state.hands[player]:
        row[card - 1] = 1.0
    for prize in state.prizes:
        row[size - 1 + prize] = 1.0
    row[2 * size] = state.prize
    at = 2 * size + 1
    for prize, *bids in state.played:
        own, other = bids[player], bids[1 - player]
        row[at], row[at + 1], row[at + 2] = prize, own, (own > other) - (own < other)
        at += PER_PRIZE
    return row


def bounds(size: int) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """The lower and upper bounds of the entries of `observed`."""
    low = (0.0,) * (2 * size + 1) + (0.0, 0.0, -1.0) * size
    return low, (1.0,) * (2 * size) + (float(size),) + (float(size), float(size), 1.0) * size


def histories(size: int, random: bool) -> int:
    """The number of histories in which the players have a choice: at least two cards each."""
    total = factorial(size)
    return sum(
        (total // factorial(left)) ** 2 * (total // factorial(left - 1) if random else 1) for left in range(2, size + 1)
    )


def lines_for(revealed: Revealed[GoofspielState], carries: bool) -> list[str]:
    """What the viewer sees as lines of text; a spectator sees no cards. In the end, all see all bids."""
    state, viewer = revealed.state, revealed.viewer
    lines = [f"prize {state.prize or '-'}  later {' '.join(map(str, state.prizes)) or '-'}"]
    if viewer is not None:
        lines.append(f"player_{viewer}  {' '.join(map(str, state.hands[viewer])) or '-'}")
    for prize, *bids in state.played:
        won = (bids[0] > bids[1]) - (bids[0] < bids[1])
        if viewer is None:
            both = f"player_0 {bids[0]}, player_1 {bids[1]}, " if revealed.over else ""
            lines.append(f"prize {prize}: {both}{f'player_{int(won < 0)} wins' if won else 'nobody wins'}")
        else:
            other = f", the other player {bids[1 - viewer]}" if revealed.over else ""
            lines.append(f"prize {prize}: you bid {bids[viewer]}{other}, {WINNER[won if viewer == 0 else -won]}")
    if carries:
        lines.append(f"carried points {state.carried}")
    return lines


def scene_for(name: str, revealed: Revealed[GoofspielState], carries: bool, text: str) -> Scene:
    """Draws `lines_for` and the payoffs so far, which follow from who won."""
    lines = lines_for(revealed, carries)
    if any(revealed.payoffs):
        paid = (f"player_{player}  {in_points(each)}" for player, each in enumerate(revealed.payoffs))
        lines += ["", "payoffs so far", *paid]
    if revealed.names:
        lines = with_names("\n".join(lines), revealed.names).splitlines()
    return plain_scene(spoken(name), "the game is over" if revealed.over else "", lines, text)


def check_played(state: GoofspielState, cards: Hand, carries: bool, keeps_score: bool) -> None:
    """Raises a ValueError unless the hands, the prizes left, the score and the carried points follow from the bids."""
    hands, prizes, score, carried = [[*cards], [*cards]], [*cards], 0, 0
    with reading_state(state, "a GoofspielState whose `played` has a prize and two bids for each prize that is gone"):
        for entry in checked_tuple("played", state.played):
            prize, *bids = (whole_number("played", number) for number in checked_tuple("played", entry))
            if prize not in prizes or not all(bid in hand for bid, hand in zip(bids, hands, strict=True)):
                raise ValueError(f"state has played {entry}, but a prize or a card of it is not left")
            prizes.remove(prize)
            for bid, hand in zip(bids, hands, strict=True):
                hand.remove(bid)
            at_stake, won = prize + carried, (bids[0] > bids[1]) - (bids[0] < bids[1])
            carried = at_stake if carries and not won else 0
            score += at_stake * won if keeps_score else 0
    left = tuple(sorted((*state.prizes, state.prize))) if state.prize else state.prizes
    found = state.hands, left, state.score, state.carried
    expected = tuple(map(tuple, hands)), tuple(prizes), score, carried
    if found != expected:
        raise ValueError(
            f"state has hands, prizes, score and carried points {found}; after its bids they are {expected}"
        )
