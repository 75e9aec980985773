"""Dice Wars: in each battle both players roll a stack of dice, and the higher total wins.

Source: the post "Dice Wars game", which gives the odds of one battle between two stacks of
six-sided dice. The duel here consists of such battles: both players choose simultaneously which of
their stacks to send. A card of rank k is a stack of k dice.

Version history: 0: first version.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import accumulate
from typing import ClassVar

from cardwar_envs.core.parameters import set_whole_number
from cardwar_envs.core.texts import WorkedRound
from cardwar_envs.games.duel import Duel
from cardwar_envs.games.duel.how_to_play import how_to_play, stacks_in_words
from cardwar_envs.games.duel.interleaving import Hands

MAX_SIDES = 1000


@dataclass(frozen=True)
class DiceWars(Duel, keeps_claims=True):
    """Dice Wars; the default is stacks of 1..6 dice each.

    All declarations of `Duel` remain valid here: this class overrides only `trick_outcomes` and `ranks_are_ordinal`,
    which these declarations take into account.

    Attributes:
        sides: Number of faces of every die, 1 to 1000.
    """

    name: ClassVar[str] = "dice_wars"
    own_words: ClassVar[tuple[str, ...]] = ("stack", "battle")
    worked_round = WorkedRound((("3", "2"), ("1", "3"), ("2", "1")), "num_cards=3", outcomes=(0, 1, 2))
    default_cards: ClassVar[int] = 6
    lowest_rank: ClassVar[int | None] = 1
    trick_word: ClassVar[str] = "battle"
    card_word: ClassVar[str] = "stack"
    rank_units: ClassVar[tuple[str, str]] = ("die", "dice")

    sides: int = 6

    def __post_init__(self) -> None:
        super().__post_init__()
        set_whole_number(self, "sides", 1, MAX_SIDES)

    @property
    def ranks_are_ordinal(self) -> bool:
        """False: odds depend on the numbers of dice, not only on their order."""
        return False

    def trick_outcomes(self, rank_0: int, rank_1: int) -> tuple[tuple[Fraction, int], ...]:
        """The possible outcomes of a battle of `rank_0` against `rank_1` dice."""
        return battle_outcomes(rank_0, rank_1, self.sides)

    @property
    def how_to_play(self) -> str:
        """Explains the stacks, how to win a battle, what a tie is worth and what is paid."""
        duel = how_to_play(
            self.hands,
            self.ties,
            self.payoff,
            self.view,
            held=stacks_in_words,
            card=self.card_word,
            trick=self.trick_word,
            decided=f"All their dice, with faces 1 to {self.sides}, are rolled. The higher total wins the battle",
            equal="both totals are equal",
        )
        return f"{duel} You see who won a {self.trick_word} and the odds, not the dice: only the result is drawn."

    def _possible_ties(self, hands: Hands) -> int:
        """The number of tricks played, which bounds the number of ties for stacks of any size."""
        return len(self.hands[0]) - len(hands[0])


@cache
def total_counts(dice: int, sides: int) -> tuple[int, ...]:
    """Number of the `sides ** dice` rolls with each total: `dice`, `dice + 1`, ..., `dice * sides`.

    Each further die replaces every count by a sum over `sides` neighbours, computed by running sums.
    """
    counts = (1,) * sides
    for _ in range(dice - 1):
        sums = (*accumulate(counts), *(sum(counts),) * (sides - 1))
        counts = tuple(s - (sums[i - sides] if i >= sides else 0) for i, s in enumerate(sums))
    return counts


@cache
def battle_outcomes(dice_0: int, dice_1: int, sides: int) -> tuple[tuple[Fraction, int], ...]:
    """The distribution of one battle: (probability, winner); 1 for player 0, -1 for player 1, 0 for a tie.

    Replacing each die d of player 1 by `sides + 1 - d` leaves its distribution unchanged. The outcome then depends only
    on the sum of all dice: player 0 wins if it exceeds `(sides + 1) * dice_1`; equality is a tie.
    """
    counts = total_counts(dice_0 + dice_1, sides)
    tie = sides * dice_1 - dice_0  # the index of that total in the counts, of which the first is for a 1 on each die
    won, lost, rolls = sum(counts[max(tie + 1, 0) :]), sum(counts[: max(tie, 0)]), sum(counts)
    odds = ((Fraction(won, rolls), 1), (Fraction(rolls - won - lost, rolls), 0), (Fraction(lost, rolls), -1))
    return tuple((probability, winner) for probability, winner in odds if probability)
