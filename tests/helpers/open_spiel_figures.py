"""OpenSpiel's figures for Goofspiel and Oshi-Zumo, with which tests compare ours.

Usage: python tests/helpers/open_spiel_figures.py

It computes the figures of `NASH_CONV` and `VALUES` anew, in a few seconds, and prints them. It needs `open_spiel` 2 or
newer, which the project does not install. The figures below are of version 2.0.2.

OpenSpiel's own functions make NashConv, from its game turned into one in which players move by turns. Values are
computed here from its states and linear programs of SciPy.
"""

from brute_force import minimax


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
    oshi_zumo(6, 2, 1, 1000, False): 1.7888888888888885,
    oshi_zumo(6, 1, 1, 1000, False): 1.3444444444444443,
    oshi_zumo(6, 1, 1, 3, False): 1.236111111111111,
    oshi_zumo(6, 1, 1, 1000, True): 1.1083333333333332,
    oshi_zumo(4, 1, 0, 4, False): 1.3998611111111112,
}

# The value of a game to player 0 after these bids of both players; at the start it is 0, because the game is symmetric.
VALUES = {
    (oshi_zumo(8, 2, 1, 1000, False), (2, 1)): 0.15789473684210528,
    (oshi_zumo(8, 1, 1, 1000, False), (1, 2)): -0.7142857142857143,
    (oshi_zumo(6, 1, 1, 3, False), (2, 4)): 0.5,
    (oshi_zumo(7, 1, 1, 1000, True), (1, 4)): 0.3333333333333333,
    (oshi_zumo(4, 1, 0, 4, False), (0, 1)): -0.5714285714285714,
}


def nash_conv(words):
    """NashConv of uniform play in a game of OpenSpiel."""
    import pyspiel

    game = pyspiel.convert_to_turn_based(pyspiel.load_game(words))
    return float(pyspiel.nash_conv(game, pyspiel.UniformRandomPolicy(game), True))


def value(words, bids):
    """The value to player 0 after these bids of both players, by a linear program at each state."""
    import pyspiel

    known = {}

    def to_go(state):
        if state.is_terminal():
            return state.returns()[0]
        key = str(state), state.move_number()
        if key not in known:
            rows, columns = state.legal_actions(0), state.legal_actions(1)
            known[key] = minimax([[to_go(after(state, (a, b))) for b in columns] for a in rows])
        return known[key]

    return to_go(after(pyspiel.load_game(words).new_initial_state(), bids))


def after(state, actions):
    """The state that a joint action leads to."""
    following = state.clone()
    following.apply_actions(list(actions))
    return following


if __name__ == "__main__":
    for name in NASH_CONV:
        print(f"NashConv {name}: {nash_conv(name)!r}")
    for name, bids in VALUES:
        print(f"value    {name} after {bids}: {value(name, bids)!r}")
