"""Predictive CFR+ on the sequence form.

Each information state minimises its regret by predictive regret matching+, with the last regret as the prediction; the
players alternate, and the average plans weigh iteration `t` by `t` squared.

Source: G. Farina, C. Kroer and T. Sandholm, "Faster Game Solving via Predictive Blackwell Approachability", AAAI 2021,
section 5.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from baselines.oracles.answers.protocol import Progress
from baselines.oracles.tree.sequence_form import Decisions, Floats, SequenceForm

# The average plans' NashConv is computed after this many iterations, and then each time the number grows by a tenth.
FIRST_CHECK = 32
# Iterations stop at this NashConv, as a share of the difference between the highest and lowest payoff.
TARGET = 1e-5
MOST_ITERATIONS = 100_000


class Minimised(NamedTuple):
    """Both players' last choices, `[sequences]` each, their NashConv in payoff points and the iterations."""

    behaviours: list[Floats]
    nash_conv: float
    iterations: int


class _Player:
    """One player's regrets, current behaviour and sum of plans."""

    def __init__(self, own: Decisions) -> None:
        self.own = own
        self._regrets, self._predicted = np.zeros((2, len(own.actions)))
        self.behaviour = own.choices(self._regrets)
        self.plan = own.plan(self.behaviour)
        self.total = np.zeros(len(own.actions))

    def learn(self, worth: Floats, iteration: int) -> None:
        """Updates regrets with what each sequence pays, and plays the next strategy."""
        to_go, values = self.own.following(worth, self.behaviour)
        gained = to_go[1:] - values[self.own.owners]
        self._predicted[1:] = gained
        self._regrets[1:] = np.maximum(self._regrets[1:] + gained, 0.0)
        self.behaviour = self.own.choices(np.maximum(self._regrets + self._predicted, 0.0))
        self.plan = self.own.plan(self.behaviour)
        self.total += float(iteration) ** 2 * self.plan


def minimise_regrets(
    form: SequenceForm, progress: Progress | None, iterations: int = MOST_ITERATIONS, target: float = TARGET
) -> Minimised:
    """Returns average strategies of a two-player zero-sum game, once their NashConv is at most `target` of the payoffs.

    Stops after `iterations`. `progress` is called with the number of iterations so far.
    """
    players = [_Player(own) for own in form.decisions]
    enough, check = target * float(np.ptp(form.payoffs)), FIRST_CHECK
    for iteration in range(1, iterations + 1):
        for seat, player in enumerate(players):
            player.learn(form.worth(seat, [each.plan for each in players]), iteration)
        if iteration >= min(check, iterations):
            check = check + check // 10
            found = nash_conv_of(form, [player.total / player.total[0] for player in players])
            if progress is not None:
                progress(iteration)
            if found <= enough:
                break
    return Minimised([each.own.choices(each.total) for each in players], found, iteration)


def nash_conv_of(form: SequenceForm, plans: list[Floats]) -> float:
    """Returns the NashConv of two plans in a zero-sum game, in payoff points."""
    return sum(float(own.best(form.worth(player, plans))[0]) for player, own in enumerate(form.decisions))
