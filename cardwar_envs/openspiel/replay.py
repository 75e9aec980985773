"""OpenSpiel's states and tensors for listed states."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cardwar_envs.openspiel.listing import Key, listing
from cardwar_envs.openspiel.loading import GameObject

# Limit on the size of tensors: 200 MB.
MOST_NUMBERS = 50_000_000


def after_history(game: Any, history: Sequence[int]) -> Any | None:
    """OpenSpiel's state after a history; None if there is no such history."""
    state, rest = game.new_initial_state(), list(history)
    while rest:
        players = range(game.num_players()) if state.is_simultaneous_node() else [state.current_player()]
        actions, rest = rest[: len(players)], rest[len(players) :]
        legal = [state.legal_actions(player) or [0] for player in players]
        if state.is_terminal() or not all(map(list.__contains__, legal, actions)) or len(actions) < len(players):
            return None
        if state.is_simultaneous_node():
            state.apply_actions(actions)
        else:
            state.apply_action(actions[0])
    return state


@lru_cache(maxsize=8)
def tensors_of(name: str | GameObject, key: Key | None, merge: bool) -> NDArray[np.float32]:
    """`[states, players, size]`: OpenSpiel's tensors for all states of a `listing`.

    The size is 0 if OpenSpiel provides no tensors or they would exceed the limit.
    """
    listed = listing(name, key, merge)
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
        if node.acting:  # terminal states get no tensor, because OpenSpiel may not define one
            first = node.first
            tensor = first.observation_tensor if kind.provides_observation_tensor else first.information_state_tensor
            found[number] = [tensor(player) for player in players]
    return found
