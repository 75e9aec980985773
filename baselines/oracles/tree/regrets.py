"""Predictive CFR+ on the sequence form.

Each information state minimises its regret by predictive regret matching+, with the last regret as the prediction; the
players alternate, and the average plans weigh iteration `t` by `t` squared.

Source: G. Farina, C. Kroer and T. Sandholm, "Faster Game Solving via Predictive Blackwell Approachability", AAAI 2021,
section 5.
"""

from __future__ import annotations

import time
from typing import NamedTuple

import numpy as np

from baselines.oracles.answers.protocol import Progress
from baselines.oracles.tree.sequence_form import Decisions, Floats, SequenceForm
from baselines.system.layer_files import LayerFolder

# The average plans' NashConv is computed after this many iterations, and then each time the number grows by a tenth.
FIRST_CHECK = 32
# Iterations stop at this NashConv, as a share of the difference between the highest and lowest payoff.
TARGET = 1e-5
MOST_ITERATIONS = 100_000
# The time is estimated after TIMED iterations, for a number of them that large games have needed.
TIMED, USUAL = 8, 3_000


class Minimised(NamedTuple):
    """Both players' last choices, `[sequences]` each, their NashConv in payoff points and the iterations."""

    behaviours: list[Floats]
    nash_conv: float
    iterations: int


class _Player:
    """One player's regrets, current behaviour and sum of plans."""

    def __init__(self, own: Decisions, memory: Floats) -> None:
        """Goes on from `memory`, `[3, sequences]`, and keeps it up to date."""
        self.own = own
        self._regrets, self._predicted, self.total = memory
        self._choose()

    def _choose(self) -> None:
        self.behaviour = self.own.choices(np.maximum(self._regrets + self._predicted, 0.0))
        self.plan = self.own.plan(self.behaviour)

    def learn(self, worth: Floats, iteration: int) -> None:
        """Updates regrets with what each sequence pays, and plays the next strategy."""
        to_go, values = self.own.following(worth, self.behaviour)
        gained = to_go[1:] - values[self.own.owners]
        self._predicted[1:] = gained
        self._regrets[1:] = np.maximum(self._regrets[1:] + gained, 0.0)
        self._choose()
        self.total += float(iteration) ** 2 * self.plan


def minimise_regrets(
    form: SequenceForm,
    progress: Progress | None,
    iterations: int = MOST_ITERATIONS,
    target: float = TARGET,
    store: LayerFolder | None = None,
) -> Minimised:
    """Returns average strategies of a two-player zero-sum game, once their NashConv is at most `target` of the payoffs.

    Stops after `iterations`. `progress` is called with the number of iterations so far; if it has a method `forecast`,
    that is called with an estimate of the seconds. Each time when NashConv is computed, everything is written to
    `store`, so that a killed call goes on from there, with the same result; it loses at most a tenth of its work.
    """
    sizes = [len(own.actions) for own in form.decisions]
    # The number of iterations so far, then the memory of each player.
    memory, found = _stored(store, 1 + 3 * sum(sizes))
    parts = np.split(memory[1:].reshape(3, -1), np.cumsum(sizes)[:-1], axis=1)
    players = [_Player(own, part) for own, part in zip(form.decisions, parts, strict=True)]
    enough, done = target * float(np.ptp(form.payoffs)), int(memory[0])
    check = _next_check(done)
    for iteration in range(done + 1, iterations + 1):
        if found <= enough:
            break
        for seat, player in enumerate(players):
            player.learn(form.worth(seat, [each.plan for each in players]), iteration)
        if iteration == done + 1:
            begin = time.perf_counter()  # the first iteration also imports scipy and builds matrices
        if iteration == done + TIMED and (forecast := getattr(progress, "forecast", None)) is not None:
            each = (time.perf_counter() - begin) / (TIMED - 1)
            forecast(each * max(USUAL - done, 0), f"Predictive CFR+, if it takes {USUAL:,} iterations, takes about")
        memory[0] = iteration
        if iteration in (check, iterations):
            check = _next_check(iteration)
            found = nash_conv_of(form, [player.total / player.total[0] for player in players])
            if store is not None:
                store.write(0, memory, max(found, 0.0))
            if progress is not None:
                progress(iteration)
    return Minimised([each.own.choices(each.total) for each in players], found, int(memory[0]))


def _stored(store: LayerFolder | None, size: int) -> tuple[Floats, float]:
    """Returns what was stored, and its NashConv; zeros and infinity if nothing was."""
    found = None if store is None else store.read(0, size)
    return (np.zeros(size), np.inf) if found is None else found


def _next_check(iteration: int) -> int:
    """Returns the first number of iterations above this one after which NashConv is computed."""
    check = FIRST_CHECK
    while check <= iteration:
        check += check // 10
    return check


def nash_conv_of(form: SequenceForm, plans: list[Floats]) -> float:
    """Returns the NashConv of two plans in a zero-sum game, in payoff points."""
    return sum(float(own.best(form.worth(player, plans))[0]) for player, own in enumerate(form.decisions))
