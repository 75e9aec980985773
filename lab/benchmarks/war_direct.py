"""WAR written directly in Python: hands are lists, players look through all cards, `random` draws.

This is a straightforward implementation of the paper ("WAR with Auction Rounds", 2017), which shares no
code with the package. The compiled simulator is compared with it: in speed by
`lab.benchmarks.war_simulation`, in results by the tests.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random

Hand = list[int]


@dataclass(eq=False)
class Player:
    seat: int
    strategy: str
    hand: Hand
    wins: Hand = field(default_factory=list)


def simple_minded(usable: Hand, others: list[Hand], discards: int, careful: bool) -> int:
    """The battle card, from usable cards in ascending order."""
    highest_of_others = max((max(other) for other in others if other), default=0)
    if usable[-1] > highest_of_others:
        return next(card for card in usable if card > highest_of_others)
    if usable[-1] == highest_of_others and len(usable) >= discards + 2:
        seconds = [sorted(other)[-2] for other in others if len(other) > 1] if careful else []
        if not seconds or usable[-2] >= max(seconds):
            return usable[-1]
    return usable[0]


# Chooses from the usable cards in ascending order, the others' hands, the discards of a war, and whether this is a war.
CHOICES: dict[str, Callable[[Hand, list[Hand], int, bool], int]] = {
    "min": lambda usable, others, discards, at_war: usable[0],
    "max": lambda usable, others, discards, at_war: usable[-1],
    "simple_minded_1": lambda usable, others, discards, at_war: simple_minded(usable, others, discards, True),
    "simple_minded_2": lambda usable, others, discards, at_war: simple_minded(usable, others, discards, at_war),
}


def play_game(
    line_up: Sequence[str],
    random: Random,
    ranks: int = 12,
    discards: int = 3,
    max_rounds: int | None = None,
    focus: int | None = None,
) -> tuple[int, int]:
    """The winner (-1: nobody, -2: unfinished, -3: the focus seat is out) and the rounds played."""
    playing = [Player(seat, name, list(range(2, ranks + 2))) for seat, name in enumerate(line_up)]
    pot: Hand = []
    rounds = 0
    while len(playing) > 1:
        if rounds == max_rounds:
            return -2, rounds
        if focus is not None and all(player.seat != focus for player in playing):
            return -3, rounds
        rounds += 1
        winners = clash(playing, pot, random, discards, at_war=False)
        while len(winners) > 1:
            winners = clash(winners, pot, random, discards, at_war=True)
        if winners:
            winners[0].wins += pot
            pot = []
        for player in playing:
            if not player.hand:
                player.hand, player.wins = player.wins, []
        playing = [player for player in playing if player.hand]
    return (playing[0].seat if playing else -1), rounds


def clash(players: list[Player], pot: Hand, random: Random, discards: int, at_war: bool) -> list[Player]:
    """All players lay a battle card, in a war with discards; returns the players with the highest card."""
    price = discards if at_war else 0
    puts = [put_down(player, players, random, discards, at_war) for player in players]
    for player, put in zip(players, puts, strict=True):
        if put is None:
            pot += player.hand
            player.hand = []
        else:
            for card in put:
                player.hand.remove(card)
            pot += put
    highest = max((put[price] for put in puts if put), default=0)
    return [player for player, put in zip(players, puts, strict=True) if put and put[price] == highest]


def put_down(player: Player, players: list[Player], random: Random, discards: int, at_war: bool) -> Hand | None:
    """The player's discards and battle card; None if the player has too few cards."""
    price = discards if at_war else 0
    if len(player.hand) <= price:
        return None
    if player.strategy == "dummie":
        return random.sample(player.hand, price + 1) if at_war else [random.choice(player.hand)]
    others = [other.hand for other in players if other is not player]
    player.hand.sort()
    battle = CHOICES[player.strategy](player.hand[price:], others, discards, at_war)
    return [*player.hand[:price], battle]
