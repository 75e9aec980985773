"""A policy that searches at every decision."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from baselines.search.search import SELECTIONS, Leaf, Search
from cardwar_envs.core import streams
from cardwar_envs.core.game import Game
from cardwar_envs.core.policy import Masks, Observations, Policy, Probabilities
from cardwar_envs.envs.branching import distinct, row_hashes

__all__ = ["SELECTIONS", "SearchPolicy"]


class SearchPolicy:
    """Plays the strategy that a search from the current state recommends.

    The search's seed is a function of the policy's seed and the observation, so equal queries have equal answers.
    """

    def __init__(
        self,
        game: Game[Any],
        selection: str = "matrix",
        simulations: int = 1000,
        leaf: Leaf | Policy | str = "uniform",
        transpositions: bool = True,
        seed: int = 0,
    ) -> None:
        """Takes a seed, an integer of at least 0, and the arguments of `Search`.

        Raises:
            ValueError: If the game or an argument is unsupported.
        """
        if type(seed) is not int or not 0 <= seed < 2**63:
            raise ValueError(f"seed ({seed!r}) must be an integer from 0 to 2**63 - 1")
        self._search = Search(game, selection, simulations, leaf, transpositions)
        self._seed = np.random.SeedSequence(seed).generate_state(1, np.uint64)
        self._text = f"{game.facts.name}: {selection}, {simulations:,} simulations"

    def __repr__(self) -> str:
        return f"<{type(self).__name__} for {self._text}>"

    def action_probabilities(self, observations: Observations, action_masks: Masks) -> Probabilities:
        if not len(observations):
            return action_masks.astype(np.float64)
        first, places = distinct(observations)
        asked = observations[first] + np.float32(0.0)  # without -0.0, as equal observations have one seed
        answers: Probabilities = action_masks[first] / action_masks[first].sum(axis=1, keepdims=True)
        seeds = self._seeds(asked)
        for placed in self._search.rules.place(asked):
            found = self._search.run(placed, seeds[placed.where])
            answers[placed.where] = found.strategies[np.arange(len(placed.seats)), placed.seats]
        return answers[places]

    def _seeds(self, observations: Observations) -> NDArray[np.uint64]:
        with np.errstate(over="ignore"):
            return streams.mixed(row_hashes(observations) + self._seed)
