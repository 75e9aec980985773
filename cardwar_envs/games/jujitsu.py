"""Jujitsu: the higher card wins the trick, ties carry over to the next decided trick, and most tricks win.

Source: R. Sanwal and I. Drechsler, "Equilibrium Strategies for Jujitsu" (2002), section 1.1
for the rules, section 2.1 for the payoff (+1 / 0 / -1), section 2.4 for the carried ties.
The standard game has 13 cards.

Version history: 0: first version.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from cardwar_envs.core.texts import WorkedRound
from cardwar_envs.games.duel import Duel


@dataclass(frozen=True)
class Jujitsu(Duel):
    """Jujitsu; the default is 1..13 against 1..13."""

    name: ClassVar[str] = "jujitsu"
    worked_round = WorkedRound((("1", "4"), ("3", "3"), ("4", "2"), ("2", "1")), "num_cards=4")
    default_cards: ClassVar[int] = 13

    ties: str = "carry"
    payoff: str = "win"
