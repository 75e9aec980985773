"""The policies `search:SELECTION,simulations=N,leaf=LEAF`."""

from __future__ import annotations

from typing import Any

from baselines.search.policy import SELECTIONS, SearchPolicy
from cardwar_envs.core.constant_sum import is_constant_sum
from cardwar_envs.core.game import Game
from cardwar_envs.core.parameters import did_you_mean
from cardwar_envs.core.policy import Policy
from cardwar_envs.core.policy_names import plays
from train.policies.by_word import policy_from

OPTIONS = "simulations", "leaf", "transpositions", "seed"
NUMBERS = {"simulations": (1, 10**9), "transpositions": (0, 1), "seed": (0, 2**63 - 1)}
# How a new node's value is estimated without a policy.
WITHOUT_POLICY = "uniform", "none"


def _fits(game: Game[Any]) -> bool:
    return game.facts.public_state and is_constant_sum(game)


@plays(_fits, lambda game: [f":{name}" for name in SELECTIONS])
def search(game: Game[Any], words: str = "") -> Policy:
    """Searches a tree of simulated games at every decision, as in `search:matrix,simulations=1000,leaf=uniform`.

    Raises a ValueError for an unknown option or value, or if the game is not a two-player zero-sum or constant-sum game
    with a public state.
    """
    selection, *rest = words.split(",")
    options: dict[str, str] = {}
    for word in rest:
        name, equals, value = word.partition("=")
        if name not in OPTIONS or not equals or name in options:
            hint = did_you_mean(name, OPTIONS)
            raise ValueError(f"search: {word!r}{hint} must be one of {', '.join(f'{o}=' for o in OPTIONS)} once")
        options[name] = value
    numbers: dict[str, Any] = {name: _number(name, options[name]) for name in NUMBERS if name in options}
    leaf: Any = options.get("leaf", "uniform")
    if leaf not in WITHOUT_POLICY:
        try:
            leaf = policy_from(leaf, game)
        except ValueError as error:
            raise ValueError(f"search: leaf {leaf!r}: {error}; a leaf is uniform, none, a policy or a run") from None
    return SearchPolicy(game, selection, leaf=leaf, **numbers)


def _number(name: str, text: str) -> int:
    low, high = NUMBERS[name]
    digits = text.lstrip("0") or "0"  # int() refuses thousands of digits with an error of its own
    fits = text.isascii() and text.isdigit() and len(digits) <= len(str(high))
    if not (fits and low <= int(digits) <= high):
        raise ValueError(f"search: {name} ({text!r}) must be an integer from {low} to {high:,}")
    return int(digits)
