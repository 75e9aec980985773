"""Random and textbook games in strategic form, and what other programs find in them."""

import io
from fractions import Fraction

import numpy as np

from baselines.display.export import nfg

# The payoffs of player 0, then those of player 1.
TEXTBOOK = {
    # R. D. Luce and H. Raiffa, Games and Decisions (1957), section 5.3
    "battle of the sexes": [[[2, -1], [-1, 1]], [[1, -1], [-1, 2]]],
    # M. Osborne and A. Rubinstein, A Course in Game Theory (1994), Hawk-Dove in section 2.3
    "hawk-dove": [[[3, 1], [4, 0]], [[3, 4], [1, 0]]],
    # R. Aumann, "Correlated equilibrium as an expression of Bayesian rationality", Econometrica 55 (1987), section 2
    "chicken": [[[6, 2], [7, 0]], [[6, 7], [2, 0]]],
    # L. Shapley, "Some topics in two-person games", Advances in Game Theory (1964)
    "Shapley's game": [[[1, 0, 0], [0, 1, 0], [0, 0, 1]], [[0, 1, 0], [0, 0, 1], [1, 0, 0]]],
}
# J. Jordan, "Three problems in learning mixed-strategy Nash equilibria", Games and Economic Behavior 5 (1993): player 0
# wants to play as player 1 does, 1 as 2 does, and 2 other than 0.
JORDAN = [
    [[[1, 1], [-1, -1]], [[-1, -1], [1, 1]]],
    [[[1, -1], [-1, 1]], [[1, -1], [-1, 1]]],
    [[[-1, 1], [-1, 1]], [[1, -1], [1, -1]]],
]


def travellers_dilemma(highest):
    """K. Basu, "The traveler's dilemma", American Economic Review 84 (1994): claims 2..highest, reward 2."""
    claims = np.arange(2, highest + 1)
    mine, other = np.meshgrid(claims, claims, indexing="ij")
    first = np.minimum(mine, other) + 2 * np.sign(other - mine)
    return np.stack([first, first.T])


def random_payoffs(rng, shape):
    """Integers from a small or a large range: most games with a small one are degenerate."""
    return rng.integers(0, rng.choice([2, 3, 10, 1000]), (len(shape), *shape))


def plays_of(found):
    """The mixes of every equilibrium, as tuples of numbers."""
    return [tuple(tuple(mix.values()) for mix in each.labelled()) for each in found]


def by_pygambit(pygambit, payoffs):
    """All extreme equilibria by pygambit's enummixed, in rationals; the game is passed as an .nfg file of ours."""
    game = pygambit.read_nfg(
        io.StringIO(nfg(payoffs, [[str(k) for k in range(n)] for n in payoffs.shape[1:]], "ab", "test"))
    )
    return {
        tuple(
            tuple(Fraction(str(each[player][strategy])) for strategy in game.get_strategies(player))
            for player in game.players
        )
        for each in pygambit.nash.enummixed_solve(game, rational=True).equilibria
    }
