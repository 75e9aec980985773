"""The policies `search:SELECTION,simulations=N,leaf=LEAF`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from baselines.search.policy import LEAVES, SELECTIONS, SearchPolicy
from cardwar_envs.core.constant_sum import is_constant_sum
from cardwar_envs.core.game import Game
from cardwar_envs.core.policy import Policy
from cardwar_envs.core.policy_names import plays
from train.policies.by_word import policy_from
from train.text.parsing import fields_from, parameters_and_names


@dataclass(frozen=True)
class _Options:
    simulations: int
    leaf: str
    transpositions: int
    seed: int


def _fits(game: Game[Any]) -> bool:
    return game.facts.public_state and is_constant_sum(game)


@plays(_fits, lambda game: [f":{name}" for name in SELECTIONS])
def search(game: Game[Any], words: str = "") -> Policy:
    """Searches a tree of simulated games at every decision, as in `search:matrix,simulations=1000,leaf=uniform`.

    Raises a ValueError for an unknown option or value, or if the game is not a two-player zero-sum or constant-sum game
    with a public state.
    """
    texts, names = parameters_and_names(words.split(","))
    options = fields_from(_Options, texts, "search")
    leaf = options.get("leaf", "uniform")
    if leaf not in LEAVES:
        try:
            options["leaf"] = policy_from(leaf, game)
        except ValueError as error:
            raise ValueError(f"search: leaf {leaf!r}: {error}; a leaf is uniform, none, a policy or a run") from None
    return SearchPolicy(game, ",".join(names), **options)
