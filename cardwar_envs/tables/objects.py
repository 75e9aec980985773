"""Games of other libraries as payoff tables: of OpenSpiel (one-shot), nashpy and QuantEcon."""

from __future__ import annotations

from typing import Any

import numpy as np

from cardwar_envs.tables.game import TableGame, table_game


def from_pyspiel(game: Any) -> TableGame:
    """Makes a table of a `pyspiel.MatrixGame` or `pyspiel.TensorGame`, with its names of actions.

    `cardwar_envs.openspiel.from_openspiel` takes OpenSpiel's other games.

    Raises:
        ValueError: If it is another object.
    """
    if hasattr(game, "row_utilities"):
        shape = game.num_rows(), game.num_cols()
        names = [[game.row_action_name(i) for i in range(shape[0])], [game.col_action_name(i) for i in range(shape[1])]]
    elif hasattr(game, "player_utilities"):
        names = [[game.action_name(player, i) for i in range(count)] for player, count in enumerate(game.shape())]
    else:
        raise _refusal(
            game, "a pyspiel.MatrixGame or pyspiel.TensorGame, such as pyspiel.load_matrix_game('matrix_pd')"
        )
    payoffs = np.stack([game.player_utilities(player) for player in range(game.num_players())])
    return table_game(payoffs, actions=names, title=game.get_type().short_name)


def from_nashpy(game: Any) -> TableGame:
    """Makes a table of a `nashpy.Game`; raises a ValueError if it is another object."""
    if not hasattr(game, "payoff_matrices"):
        raise _refusal(game, "a nashpy.Game")
    return table_game(np.stack(game.payoff_matrices))


def from_quantecon(game: Any) -> TableGame:
    """Makes a table of a `quantecon.game_theory.NormalFormGame`; raises a ValueError if it is another object."""
    if not hasattr(game, "payoff_profile_array"):
        raise _refusal(game, "a quantecon.game_theory.NormalFormGame")
    return table_game(np.moveaxis(game.payoff_profile_array, -1, 0))


def _refusal(game: Any, wanted: str) -> ValueError:
    return ValueError(f"game ({game!r:.100}) must be {wanted}; it is a {type(game).__name__}")
