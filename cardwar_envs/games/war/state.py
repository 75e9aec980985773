"""States of WAR, and checks of states."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any, NamedTuple

from cardwar_envs.core.parameters import checked_tuple, reading_state, whole_number, whole_numbers

Pile = tuple[int, ...]


class _WarFields(NamedTuple):
    hands: tuple[Pile, ...]
    wins: tuple[Pile, ...]
    pot: Pile
    tied: tuple[int, ...]
    live: tuple[int, ...]
    rounds_left: int


class WarState(_WarFields):
    """A state of WAR.

    Attributes:
        hands: The cards that each player can play, ascending.
        wins: The cards that each player has won and not picked up yet, ascending.
        pot: The cards on the table, ascending: carried over, or at stake in the current war.
        tied: The players in the current war, ascending, including players that cannot pay for it;
            empty when a round begins.
        live: The players who are still in the game, ascending.
        rounds_left: Rounds that can still be played, including the current one.
    """

    __slots__ = ()

    def __new__(
        cls,
        hands: Iterable[Iterable[int]],
        wins: Iterable[Iterable[int]],
        pot: Iterable[int] = (),
        tied: Iterable[int] = (),
        live: Iterable[int] | None = None,
        *,
        rounds_left: int,
    ) -> WarState:
        """Sorts the piles; by default, the players in the game are those who have cards or are at war."""
        hand_piles, win_piles = (tuple(tuple(sorted(pile)) for pile in piles) for piles in (hands, wins))
        at_war = tuple(sorted(tied))
        if live is None:
            piles = enumerate(zip(hand_piles, win_piles, strict=True))
            live = [player for player, (hand, won) in piles if hand or won or player in at_war]
        return new_state(hand_piles, win_piles, tuple(sorted(pot)), at_war, tuple(sorted(live)), rounds_left)

    def __reduce__(self) -> tuple[Any, ...]:
        return new_state, tuple(self)


def new_state(*fields: Any) -> WarState:
    """A state from its six fields, which must be sorted; not sorting them saves time in every step."""
    return tuple.__new__(WarState, fields)


def utility(state: WarState, player: int) -> int:
    """The paper's utility of a player: the sum of the cards in its hand and its wins pile."""
    return sum(state.hands[player]) + sum(state.wins[player])


def check_state(state: WarState, cards: range, num_players: int, discards: int, max_rounds: int) -> None:
    """Implements `War.check` for a game with these parameters; `cards` are each player's cards at the start."""
    with reading_state(state, "a WarState of hands, wins, pot, tied, live and rounds"):
        by_seat = {name: checked_tuple(name, getattr(state, name)) for name in ("hands", "wins")}
        named = {f"{name}[{player}]": pile for name, piles in by_seat.items() for player, pile in enumerate(piles)}
        piles = {name: whole_numbers(name, pile) for name, pile in {**named, "pot": state.pot}.items()}
        groups = {name: whole_numbers(name, getattr(state, name)) for name in ("tied", "live")}
        rounds_left = whole_number("rounds_left", state.rounds_left)
    if (len(state.hands), len(state.wins)) != (num_players, num_players):
        raise ValueError(f"state has {len(state.hands)} hands and {len(state.wins)} wins piles, not {num_players}")
    _check_cards(piles, cards, num_players)
    for name, players in groups.items():
        if list(players) != sorted(set(players)) or not set(players) <= set(range(num_players)):
            raise ValueError(f"state has {name} {players}, which must be players 0..{num_players - 1}, ascending")
    if not 0 <= rounds_left <= max_rounds:
        raise ValueError(f"state has {rounds_left} rounds left, which must be in 0..{max_rounds}")
    if state.tied:
        _check_war(state, discards)
    else:
        _check_round(state)


def _check_cards(piles: dict[str, Pile], cards: range, num_players: int) -> None:
    for name, pile in piles.items():
        if tuple(sorted(pile)) != pile:
            raise ValueError(f"state has unsorted {name} {pile}")
    count = Counter(card for pile in piles.values() for card in pile)
    for card in sorted(count.keys() | set(cards)):
        expected = num_players if card in cards else 0
        if count[card] != expected:
            raise ValueError(f"state has card {card} {count[card]} times, but must have it {expected} times")


def _check_round(state: WarState) -> None:
    for player, (hand, won) in enumerate(zip(state.hands, state.wins, strict=True)):
        if won and not hand:
            raise ValueError(f"state has player_{player} with wins {won} and no hand, which it would have picked up")
        if bool(hand) != (player in state.live):
            raise ValueError(f"state has live {state.live}, which must be the players with a hand when a round begins")


def _check_war(state: WarState, discards: int) -> None:
    if state.rounds_left == 0:
        raise ValueError("state has a war, so rounds_left must be at least 1")
    if len(state.tied) < 2 or not set(state.tied) <= set(state.live):
        raise ValueError(f"state has tied {state.tied}, which must be at least two of the players in the game")
    if all(len(state.hands[player]) <= discards for player in state.tied):
        raise ValueError(f"state has tied {state.tied}, but none of them holds the {discards + 1} cards of a war")
    if max(Counter(state.pot).values(), default=0) < len(state.tied):
        raise ValueError(f"state has tied {state.tied}, but the pot {state.pot} does not have that many equal cards")
    for player, (hand, won) in enumerate(zip(state.hands, state.wins, strict=True)):
        if player not in state.live and (hand or won):
            raise ValueError(f"state has player_{player} with cards but not among live {state.live}")
