"""OpenSpiel's figures for Goofspiel and Oshi-Zumo, with which tests compare ours.

Usage: python tests/helpers/open_spiel_figures.py

It computes the figures of `NASH_CONV` and `VALUES` anew, in a few seconds, and prints them. It needs `open_spiel` 2 or
newer, which the project does not install. The figures below are of version 2.0.2.

OpenSpiel's own functions make NashConv, from its game turned into one in which players move by turns. Values are
computed here from its states and linear programs of SciPy.
"""

from functools import cache

import numpy as np
from scipy.optimize import linprog


def goofspiel(num_cards, order, returns):
    """OpenSpiel's name of the game with public hands."""
    return f"goofspiel(num_cards={num_cards},points_order={order},returns_type={returns},imp_info=False)"


def oshi_zumo(coins, size, min_bid, horizon, alesia):
    """OpenSpiel's name of the game."""
    return f"oshi_zumo(coins={coins},size={size},min_bid={min_bid},horizon={horizon},alesia={alesia})"


# NashConv of uniform play, in OpenSpiel's points: "point_difference" pays half of our margin.
NASH_CONV = {
    goofspiel(3, "random", "win_loss"): 1.3333333333333333,
    goofspiel(3, "random", "point_difference"): 1.3333333333333333,
    goofspiel(3, "descending", "win_loss"): 1.3333333333333333,
    goofspiel(3, "descending", "point_difference"): 1.3333333333333333,
    goofspiel(3, "ascending", "win_loss"): 1.3333333333333333,
    goofspiel(3, "ascending", "point_difference"): 1.3333333333333333,
    goofspiel(4, "random", "win_loss"): 1.4930555555555556,
    goofspiel(4, "random", "point_difference"): 2.5,
    goofspiel(4, "descending", "win_loss"): 1.4999999999999998,
    goofspiel(4, "descending", "point_difference"): 2.5,
    goofspiel(4, "ascending", "win_loss"): 1.5833333333333333,
    goofspiel(4, "ascending", "point_difference"): 2.5,
    oshi_zumo(4, 1, 1, 1000, False): 1.1666666666666665,
    oshi_zumo(6, 2, 1, 1000, False): 1.7888888888888885,
    oshi_zumo(6, 1, 1, 2, False): 0.6888888888888888,
    oshi_zumo(5, 1, 1, 1000, True): 0.9,
    oshi_zumo(3, 1, 0, 3, False): 1.2465277777777777,
}

# The value at the start, which is 0 by symmetry, and after some first bids.
VALUES = {}


def nash_conv(words):
    """NashConv of uniform play in a game of OpenSpiel."""
    import pyspiel

    game = pyspiel.convert_to_turn_based(pyspiel.load_game(words))
    return float(pyspiel.nash_conv(game, pyspiel.UniformRandomPolicy(game), True))


def value(words, bids):
    """The value to player 0 after the first bids of both players; at the start if there are none."""
    import pyspiel

    @cache
    def to_go(history):
        state = pyspiel.load_game(words).new_initial_state()
        for actions in history:
            state.apply_actions(list(actions))
        if state.is_terminal():
            return state.returns()[0]
        return matrix_value(
            [[to_go((*history, (a, b))) for b in state.legal_actions(1)] for a in state.legal_actions(0)]
        )

    return to_go(bids)


def matrix_value(payoffs):
    """The value of a matrix game by a linear program: the most that the row player can guarantee."""
    matrix = np.array(payoffs)
    rows, columns = matrix.shape
    guaranteed = np.hstack([-matrix.T, np.ones((columns, 1))])
    total = [[1.0] * rows + [0.0]]
    bounds = [(0, None)] * rows + [(None, None)]
    found = linprog([0.0] * rows + [-1.0], guaranteed, np.zeros(columns), total, [1.0], bounds)
    assert found.status == 0
    return -found.fun


if __name__ == "__main__":
    for name in NASH_CONV:
        print(f"NashConv {name}: {nash_conv(name)!r}")
    for name, bids in VALUES:
        print(f"value    {name} after {bids}: {value(name, bids)!r}")
