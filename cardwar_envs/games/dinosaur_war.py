"""Dinosaur War: the higher card wins the trick, a tie counts for neither player, and every trick pays.

Source: D. Fetterman, "Dinosaur War: A Strategic Game of Utter Chance" (2023), section 1.1
for the rules, section 1.3 for the payoff of a trick. The paper uses two identical decks of
ten cards; cards "need not be" unique, and its analysis covers unequal hands.

Version history: 0: first version.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from cardwar_envs.core.texts import WorkedRound
from cardwar_envs.games.duel import Duel


@dataclass(frozen=True)
class DinosaurWar(Duel):
    """Dinosaur War; the default is 1..10 against 1..10."""

    name: ClassVar[str] = "dinosaur_war"
    worked_round = WorkedRound((("1", "3"), ("2", "2"), ("3", "1")), "num_cards=3")
    default_cards: ClassVar[int] = 10
