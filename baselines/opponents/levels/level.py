"""The policies `level:1` to `level:5`: learned opponents for a few games, ordered by strength.

Each level is a file beside this one. It contains a learned policy, its game, how it was trained, and its exact
exploitability. `python -m lab.levels` makes the files; `docs/levels.md` has the table. `checksums.txt` shows whether
a file is unchanged.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baselines.matrix_game.lookahead import HasOutputs, Lookahead, StateValues
from baselines.opponents.levels.network import NumpyNetwork
from baselines.oracles.rank_games.word_policy import WordPolicy, word_view
from baselines.system.files import read_checked
from cardwar_envs.core.cached import cached_by_game
from cardwar_envs.core.game import Game
from cardwar_envs.core.policy import Masks, Observations, Policy, Probabilities, observation_keys
from cardwar_envs.core.policy_names import plays
from cardwar_envs.core.table_policy import TablePolicy
from cardwar_envs.envs.branching import MovesLeft
from cardwar_envs.envs.engines.engine import Views
from cardwar_envs.games import make_game

FOLDER = Path(__file__).parent
DATA = "data"


@dataclass(frozen=True)
class Level:
    """A learned policy that ships with the package."""

    game: str  # the game's name
    parameters: Mapping[str, Any]  # a policy trained with `view="word"` also plays with `view="cards"`
    title: str  # the game and its parameters, for display
    number: int  # 1 for the weakest
    kind: str  # "table" of probabilities, or "lookahead" with a network of state values
    learner: str  # the algorithm that trained it
    arguments: Mapping[str, Any]  # the algorithm's arguments other than the defaults
    steps: int  # of training
    seed: int  # of the learner
    exploitability: float  # exact, in payoff points
    path: Path  # its file

    def learned_for(self) -> Game[Any]:
        """Returns the game that it was trained on."""
        return make_game(self.game, **self.parameters)


@cache
def levels() -> tuple[Level, ...]:
    """Returns all levels, grouped by game, weakest first.

    Raises:
        ValueError: If a file is damaged; the error names it.
    """
    from safetensors import safe_open

    found = []
    for path in read_checked(FOLDER, ".safetensors"):
        with safe_open(path, framework="np") as file:
            found.append(Level(**json.loads(file.metadata()[DATA]), path=path))
    return tuple(sorted(found, key=lambda each: (each.game, each.parameters.get("num_cards", 0), each.number)))


def ladder(game: Game[Any]) -> dict[str, Level]:
    """Returns the levels for a game, by number."""
    words = word_view(game)
    return {str(each.number): each for each in levels() if each.learned_for() in (game, words)}


@plays(lambda game: bool(ladder(game)), lambda game: [f":{number}" for number in ladder(game)])
@cached_by_game(8)
def level(game: Game[Any], number: str = "") -> Policy:
    """Plays as it learned by training; a higher number is a stronger opponent.

    Raises:
        ValueError: If the game has no levels, or none with that number; the error lists the levels.
    """
    graded = ladder(game)
    if not graded:
        titles = ", ".join(dict.fromkeys(each.title for each in levels()))
        raise ValueError(f"{game.facts.name} has no levels with these parameters; there are levels for {titles}")
    if number not in graded:
        raise ValueError(f"level ({number!r}) must be one of {', '.join(graded)}, as in level:{min(graded)}")
    chosen = graded[number]
    learned_for = chosen.learned_for()
    policy = read_level(chosen, learned_for)
    return LevelPolicy(chosen, policy if learned_for == game else WordPolicy(game, policy))


class LevelPolicy:
    """A policy that plays a level; `level` describes it, with its exact exploitability."""

    by_words = True  # plays the same in states with the same interleaving (see `rank_games.interleavings`)

    def __init__(self, which: Level, policy: Policy) -> None:
        self.level, self._policy = which, policy

    def action_probabilities(self, observations: Observations, action_masks: Masks) -> Probabilities:
        return self._policy.action_probabilities(observations, action_masks)

    def __repr__(self) -> str:
        return f"<level:{self.level.number} of {self.level.title}, exploitability {self.level.exploitability:.4f}>"


class LookaheadLevel:
    """Plays the optimal strategy of the one-step matrix game with a network's state values."""

    by_words = True

    def __init__(self, game: Game[Any], network: HasOutputs) -> None:
        self._name = game.facts.name
        self._lookahead, self._values = Lookahead(game), StateValues(game, network)

    def __repr__(self) -> str:
        return f"<LookaheadLevel for {self._name}>"

    def action_probabilities(self, observations: Observations, action_masks: Masks) -> Probabilities:
        return self._lookahead.strategies(observations, self._values)

    def estimate(self, views: Views) -> tuple[NDArray[np.float64], None]:
        """Returns the values of states, as leaves of a search (see `baselines.search.policy.Leaf`)."""
        return self._values(views.observations), None


class NetworksByMovesLeft:
    """A network for each number of moves left; other states have the value 0."""

    def __init__(self, game: Game[Any], networks: Mapping[int, NumpyNetwork]) -> None:
        self._moves_left, self._networks = MovesLeft(game), networks

    def outputs(self, observations: Observations) -> NDArray[np.float64]:
        """`[batch, observation_size]` -> `[batch, 1]`."""
        values, moves_left = np.zeros((len(observations), 1)), self._moves_left(observations)
        for number, network in self._networks.items():
            values[moves_left == number] = network.outputs(observations[moves_left == number])
        return values


def _values_in(arrays: Mapping[str, NDArray[Any]], game: Game[Any]) -> HasOutputs:
    """Reads `weights_0`, `bias_0`, ... of one network or, with names such as `5.weights_0`, by the moves left."""

    def network(prefix: str) -> NumpyNetwork:
        count = sum(name.startswith(f"{prefix}weights_") for name in arrays)
        return NumpyNetwork(game, [(arrays[f"{prefix}weights_{i}"], arrays[f"{prefix}bias_{i}"]) for i in range(count)])

    numbers = {int(before) for before, dot, _ in (name.partition(".") for name in arrays) if dot}
    return NetworksByMovesLeft(game, {each: network(f"{each}.") for each in numbers}) if numbers else network("")


def read_level(which: Level, game: Game[Any]) -> Policy:
    """Reads the policy in a level's file, for the game that it was trained on."""
    from safetensors.numpy import load_file

    arrays = load_file(which.path)
    if which.kind == "lookahead":
        return LookaheadLevel(game, _values_in(arrays, game))
    observations = arrays["observations"].astype(np.float32)
    probabilities = arrays["probabilities"].astype(np.float64)
    probabilities /= probabilities.sum(axis=1, keepdims=True)
    return TablePolicy(dict(zip(observation_keys(observations), probabilities, strict=True)))
