"""Strategies for any game."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cardwar_envs.core.arrays import Masks, Observations, Probabilities
from cardwar_envs.core.game import Game
from cardwar_envs.core.policy import Policy, named_policy, needs_others, policy_names


class Uniform:
    """Plays at random: every card or move is equally likely.

    So a rank held twice is twice as likely.

    Names: "Random" in Sanwal and Drechsler 2002, section 5; "playing all options with uniform
    randomness" in Fetterman 2023, section 3, where it is an equilibrium of Dinosaur War.
    """

    stationary = True
    by_words = True

    def __init__(self, game: Game[Any]) -> None:
        self._game = game

    def __repr__(self) -> str:
        return f"<{type(self).__name__} for {self._game.facts.name}: every card alike>"

    @property
    def plays_uniformly(self) -> bool:
        """True if a batch of games may draw this policy's actions itself; False for subclasses that play otherwise."""
        return getattr(self.action_probabilities, "__func__", None) is Uniform.action_probabilities

    def action_probabilities(self, observations: Observations, action_masks: Masks) -> Probabilities:
        counts = self._game.action_counts(observations, action_masks)
        return np.asarray(counts / counts.sum(axis=1, keepdims=True))

    def exact_probabilities(self, observations: Observations, action_masks: Masks) -> list[list[Fraction]]:
        """Returns the probabilities as fractions."""
        return _shares(self._game.action_counts(observations, action_masks))


class UniformActions:
    """Plays at random: every different move is equally likely, even if several equal cards can make it."""

    stationary = True

    def __init__(self, game: Game[Any]) -> None:
        self._name = game.facts.name

    def __repr__(self) -> str:
        return f"<UniformActions for {self._name}: every legal action alike>"

    def action_probabilities(self, observations: Observations, action_masks: Masks) -> Probabilities:
        return np.asarray(action_masks / action_masks.sum(axis=1, keepdims=True), dtype=np.float64)

    def exact_probabilities(self, observations: Observations, action_masks: Masks) -> list[list[Fraction]]:
        """Returns the probabilities as fractions."""
        return _shares(action_masks)


def _shares(counts: NDArray[Any]) -> list[list[Fraction]]:
    """Returns each row's counts as fractions of their sum."""
    return [[Fraction(count) / Fraction(sum(row)) for count in row] for row in counts.tolist()]


# Names of solutions and of learned policies, which can take long to make.
SLOW = {"equilibrium", "level"}


def fitting_policies(game: Game[Any]) -> dict[str, Policy]:
    """Returns the named policies that can play a game, by name.

    Omits policies that are slow to make, policies that depend on the other seats, and further names of uniform play.
    """
    found: dict[str, Policy] = {}
    for name in policy_names():
        if name in SLOW or needs_others(name):
            continue
        try:
            policy = named_policy(name, game)
        except ValueError:
            continue
        if not isinstance(policy, Uniform) or name == "uniform":
            found[name] = policy
    return found
