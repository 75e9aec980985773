"""States of Goofspiel, the order of prizes, and checks of states."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache, partial
from itertools import combinations, repeat
from typing import NamedTuple

from cardwar_envs.core.game import CERTAIN
from cardwar_envs.core.parameters import checked_tuple, reading_state, whole_number, whole_numbers
from cardwar_envs.games.duel.interleaving import Hand, Hands, check_packed, most_ties, packed_from_one

Played = tuple[tuple[int, int, int], ...]


class GoofspielState(NamedTuple):
    """A state of Goofspiel.

    Attributes:
        hands: The cards that each player still holds, ascending.
        prize: The current prize; 0 when the game is over.
        prizes: The prizes that come later, ascending.
        score: Points won by player 0 minus points won by player 1; 0 if the payoff does not depend on it.
        carried: Points of tied prizes, which go to the winner of the next decided prize.
        played: With hidden bids, (prize, bid of player 0, bid of player 1) for each prize that is gone; else empty.
    """

    hands: Hands
    prize: int
    prizes: Hand
    score: int = 0
    carried: int = 0
    played: Played = ()


# Makes a state from its fields faster than its class.
new_state: Callable[[tuple[Hands, int, Hand, int, int, Played]], GoofspielState] = partial(
    tuple.__new__, GoofspielState
)


def next_prizes(order: str, left: Hand) -> list[tuple[Fraction, int, Hand]]:
    """Returns the possible next prizes: (probability, prize, prizes left); the prize is 0 if none is left."""
    if not left:
        return [(CERTAIN, 0, ())]
    if order == "random":
        others = reversed([*combinations(left, len(left) - 1)])  # the first of these lacks the last prize
        return [*zip(repeat(_one_in(len(left))), left, others, strict=False)]
    prize = left[-1] if order == "descending" else left[0]
    return [(CERTAIN, prize, without(left, prize))]


@cache
def _one_in(number: int) -> Fraction:
    return Fraction(1, number)


def without(cards: Hand, card: int) -> Hand:
    """Returns the cards without one copy of `card`."""
    place = cards.index(card)
    return cards[:place] + cards[place + 1 :]


def check_state(
    state: GoofspielState, cards: Hand, order: str, carries: bool, keeps_score: bool, by_word: bool
) -> None:
    """Implements `Goofspiel.check`: `order` is `prizes`; `carries` and `by_word` mean `ties="carry"`, `view="word"`."""
    hands, prize, prizes, score, carried, _ = _checked_types(state)
    _check_prizes(prize, prizes, cards, order)
    if by_word:
        check_packed((cards, cards), hands, packed_from_one)
    else:
        _check_cards(hands, cards)
    gone = sorted({*cards} - {prize, *prizes})
    ties = 0
    if carries:  # a tied prize has taken two equal cards
        ties = most_ties((cards, cards), hands) or 0 if by_word else len({*cards} - {*hands[0], *hands[1]})
    could_carry = sum(gone[len(gone) - ties :])
    if not 0 <= carried <= could_carry:
        raise ValueError(f"state has {carried} carried points, which must be in 0..{could_carry}")
    if not keeps_score and score:
        raise ValueError(f"state has score {score}, which must be 0 in a game in which the score does not matter")
    won = sum(gone) - carried
    odd = keeps_score and carries and (score - won) % 2  # points that are not carried were won by a player
    if abs(score) > won or odd:
        raise ValueError(f"state has score {score}, impossible if at most {won} points were won")


def _checked_types(state: GoofspielState) -> GoofspielState:
    """Returns the state; raises a ValueError unless it has sorted tuples, integers, and as many prizes as cards."""
    with reading_state(state, "a GoofspielState of hands, a prize, later prizes, a score and carried points"):
        hand_0, hand_1 = (whole_numbers("hand", hand) for hand in checked_tuple("hands", state.hands))
        prizes = whole_numbers("prizes", state.prizes)
        numbers = (whole_number(name, getattr(state, name)) for name in ("prize", "score", "carried"))
        prize, score, carried = numbers
    for name, cards in (("hand", hand_0), ("hand", hand_1), ("prizes", prizes)):
        if tuple(sorted(cards)) != cards:
            raise ValueError(f"state has unsorted {name} {cards}")
    count = len(prizes) + (prize != 0)
    if not len(hand_0) == len(hand_1) == count:
        raise ValueError(f"state has hands of {len(hand_0)} and {len(hand_1)} cards, and {count} prizes")
    return GoofspielState((hand_0, hand_1), prize, prizes, score, carried)


def _check_prizes(prize: int, prizes: Hand, cards: Hand, order: str) -> None:
    left = tuple(sorted((*prizes, prize))) if prize else prizes
    if len({*left}) < len(left) or not {*left} <= {*cards}:
        raise ValueError(f"state has prizes {left}, which must be distinct numbers in 1..{len(cards)}")
    if left and not prize:
        raise ValueError(f"state has later prizes {prizes} and no prize to bid for")
    if order == "random" or not left:
        return
    possible = cards[: len(left)] if order == "descending" else cards[-len(left) :]
    if left != possible or prize != next_prizes(order, left)[0][1]:
        raise ValueError(f"state has prize {prize} and later {prizes}, impossible if the order is {order}")


def _check_cards(hands: Hands, cards: Hand) -> None:
    for player, hand in enumerate(hands):
        if len({*hand}) < len(hand) or not {*hand} <= {*cards}:
            raise ValueError(f"state has hand {hand} of player_{player}, which must be distinct cards of the game")
