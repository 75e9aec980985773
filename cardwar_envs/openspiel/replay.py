"""OpenSpiel's states and tensors of the states that were listed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cardwar_envs.openspiel.listing import Listing

# Of tensors: 200 MB.
MOST_NUMBERS = 50_000_000


def replayed(game: Any, history: Sequence[int]) -> Any:
    """OpenSpiel's state after a history."""
    state, rest = game.new_initial_state(), list(history)
    while rest:
        width = game.num_players() if state.is_simultaneous_node() else 1
        actions, rest = rest[:width], rest[width:]
        if state.is_simultaneous_node():
            state.apply_actions(actions)
        else:
            state.apply_action(actions[0])
    return state


def tensors_of(listed: Listing) -> NDArray[np.float32]:
    """`[states, players, size]`: OpenSpiel's tensors of all states, of size 0 if it provides none or they are many."""
    game, players = listed.game, range(listed.game.num_players())
    kind, shape = game.get_type(), []
    if kind.provides_observation_tensor:
        shape = game.observation_tensor_shape()
    elif kind.provides_information_state_tensor:
        shape = game.information_state_tensor_shape()
    size = math.prod(shape) if shape else 0
    if len(listed.nodes) * len(players) * size > MOST_NUMBERS:
        size = 0
    found = np.zeros((len(listed.nodes), len(players), size), dtype=np.float32)
    if not size:
        return found
    for number, node in enumerate(listed.nodes):
        if node.acting:  # the end of a game has no next move to learn, and tensors need not be defined there
            state = replayed(game, node.history)
            tensor = state.observation_tensor if kind.provides_observation_tensor else state.information_state_tensor
            found[number] = [tensor(player) for player in players]
    return found
