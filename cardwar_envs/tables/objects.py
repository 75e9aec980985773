"""Games of other libraries as payoff tables; each function raises a ValueError for another object."""

from __future__ import annotations

from typing import Any

import numpy as np

from cardwar_envs.tables.game import TableGame, table_game


def from_pyspiel(other: Any) -> TableGame:
    """Makes a table of a `pyspiel.MatrixGame` or `pyspiel.TensorGame`, with its names of actions.

    `cardwar_envs.openspiel.from_openspiel` takes OpenSpiel's other games.
    """
    if hasattr(other, "row_utilities"):
        rows, columns = range(other.num_rows()), range(other.num_cols())
        names = [list(map(other.row_action_name, rows)), list(map(other.col_action_name, columns))]
    elif hasattr(other, "player_utilities"):
        names = [[other.action_name(player, k) for k in range(count)] for player, count in enumerate(other.shape())]
    else:
        raise _refusal(other, "pyspiel.MatrixGame or TensorGame, such as pyspiel.load_matrix_game('matrix_pd')")
    payoffs = np.stack([other.player_utilities(player) for player in range(other.num_players())])
    return table_game(payoffs, actions=names, title=other.get_type().short_name)


def from_nashpy(other: Any) -> TableGame:
    """Makes a table of a `nashpy.Game`."""
    if not hasattr(other, "payoff_matrices"):
        raise _refusal(other, "nashpy.Game")
    return table_game(np.stack(other.payoff_matrices))


def from_quantecon(other: Any) -> TableGame:
    """Makes a table of a `quantecon.game_theory.NormalFormGame`."""
    if not hasattr(other, "payoff_profile_array"):
        raise _refusal(other, "quantecon.game_theory.NormalFormGame")
    return table_game(np.moveaxis(other.payoff_profile_array, -1, 0))


def _refusal(other: Any, wanted: str) -> ValueError:
    return ValueError(f"game ({other!r:.100}) must be a {wanted}; it is a {type(other).__name__}")
