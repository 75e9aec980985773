"""Where a game of Goofspiel stands, and the checks of what its states are made of."""

from __future__ import annotations

from typing import NamedTuple

from cardwar_envs.core.parameters import checked_tuple, whole_number, whole_numbers
from cardwar_envs.games.duel.interleaving import Hand, Hands


class GoofspielState(NamedTuple):
    """Where a game of Goofspiel stands.

    Attributes:
        hands: The cards that each player still holds, ascending.
        prize: The prize that both bid for now; 0 when the game is over.
        prizes: The prizes that come later, ascending.
        score: Points won by player 0 minus points won by player 1; 0 where the payoff does not depend on it.
        carried: Points of tied prizes that the next winner takes as well.
    """

    hands: Hands
    prize: int
    prizes: Hand
    score: int = 0
    carried: int = 0


def checked_state(state: GoofspielState) -> GoofspielState:
    """The state, if it is made of sorted tuples and whole numbers, with as many prizes as cards.

    Raises:
        ValueError: If it is not.
    """
    try:
        hash(state)  # lists for hands would break what comes after
        hand_0, hand_1 = (whole_numbers("hand", hand) for hand in checked_tuple("hands", state.hands))
        prizes = whole_numbers("prizes", state.prizes)
        numbers = (whole_number(name, getattr(state, name)) for name in ("prize", "score", "carried"))
        prize, score, carried = numbers
    except (AttributeError, TypeError, ValueError):
        raise ValueError(
            f"state ({state!r}) must be a GoofspielState of hands, a prize, later prizes, a score and carried points"
        ) from None
    for name, cards in (("hand", hand_0), ("hand", hand_1), ("prizes", prizes)):
        if tuple(sorted(cards)) != cards:
            raise ValueError(f"state has unsorted {name} {cards}")
    count = len(prizes) + (prize != 0)
    if not len(hand_0) == len(hand_1) == count:
        raise ValueError(f"state has hands of {len(hand_0)} and {len(hand_1)} cards, and {count} prizes")
    return GoofspielState((hand_0, hand_1), prize, prizes, score, carried)
