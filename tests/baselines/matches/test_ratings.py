"""Elo and Nash averaging: closed forms, conditions of the optimum, copies, and results without a finite rating."""

import numpy as np
import pytest
from scipy.optimize import linprog
from thinning import each_row

from baselines import elo, nash_averaging

CYCLE = np.array([[0.0, 1.0, -1.0], [-1.0, 0.0, 1.0], [1.0, -1.0, 0.0]])  # rock, scissors, paper
INF = np.inf


def predicted(ratings):
    return 1.0 / (1.0 + 10.0 ** ((ratings - ratings[:, None]) / 400.0))


def skew(rng, size, most=2):
    matrix = rng.integers(-most, most + 1, (size, size)).astype(float)
    return matrix - matrix.T


def test_scores_that_ratings_predict_give_these_ratings():
    assert elo([[0.5, 10 / 11], [1 / 11, 0.5]]) == pytest.approx([200.0, -200.0])
    ratings = np.array([700.0, 20.0, -20.0, -100.0, -600.0])
    assert elo(predicted(ratings)) == pytest.approx(ratings, abs=1e-6)
    games = np.zeros((5, 5))  # a chain of games suffices
    games[np.arange(4), np.arange(1, 5)] = [1, 5, 2, 9]
    assert elo(predicted(ratings), games + games.T) == pytest.approx(ratings, abs=1e-6)
    assert elo([[0.5]]).tolist() == [0.0]


def test_ratings_predict_the_total_score_of_every_player():
    """The condition of the maximum of the likelihood, on results that no ratings can explain."""
    rng = np.random.default_rng(4)
    games = np.triu(rng.integers(1, 9, (12, 12)), 1)
    won = rng.integers(0, games + 1)
    games, won = games + games.T, won + (games - won).T
    ratings = elo(won / np.maximum(games, 1), games)
    assert (games * predicted(ratings)).sum(axis=1) == pytest.approx(won.sum(axis=1), abs=1e-9)
    assert ratings.mean() == pytest.approx(0.0, abs=1e-9)
    assert elo(CYCLE / 2 + 0.5) == pytest.approx([0.0, 0.0, 0.0], abs=1e-9)  # Elo sees no cycle


def test_who_cannot_have_a_finite_rating_has_none():
    scores = np.array([[0.5, 1.0, 1.0, 1.0], [0.0, 0.5, 0.75, 1.0], [0.0, 0.25, 0.5, 1.0], [0.0, 0.0, 0.0, 0.5]])
    apart = 400 * np.log10(3) / 2
    assert elo(scores) == pytest.approx([INF, apart, -apart, -INF])
    assert elo(scores[:2, :2]).tolist() == [0.0, -INF]  # of two groups of equal size the first is the reference
    games = np.array([[0, 1, 0], [1, 0, 0], [0, 0, 0]])
    with pytest.raises(ValueError, match="do not connect players 0 and 2"):
        elo(np.full((3, 3), 0.5), games)
    beaten = np.array([[0.5, 0.5, 0.0], [0.5, 0.5, 0.0], [1.0, 1.0, 0.5]])
    with pytest.raises(ValueError, match="do not connect players 0 and 1"):  # both lost to 2 only
        elo(beaten, np.array([[0, 0, 1], [0, 0, 1], [1, 1, 0]]))


def best_gain(matrix, mixture):
    """Returns the most that entropy could rise towards another equilibrium: an upper bound on what is missing."""
    played = mixture > 0.0
    slopes = np.where(played, -np.log(np.where(played, mixture, 1.0)), 40.0)  # beyond what any other row could earn
    found = linprog(-slopes, matrix, np.full(len(matrix), 1e-12), np.ones((1, len(matrix))), [1.0])
    return -found.fun - mixture @ slopes


def test_nash_averages_are_equilibria_of_maximum_entropy():
    assert nash_averaging(CYCLE).mixture == pytest.approx([1 / 3] * 3)
    weak = np.vstack([np.hstack([CYCLE, np.full((3, 1), 5.0)]), [-5.0, -5.0, -5.0, 0.0]])
    weak[0, 3], weak[3, 0] = 50.0, -50.0  # to beat the weak one by more earns nothing
    assert nash_averaging(weak).ratings == pytest.approx([0.0, 0.0, 0.0, -20.0])
    rng = np.random.default_rng(0)
    for _ in range(8):
        matrix = skew(rng, 6, 1)
        copies = (np.abs(matrix[:, None] - matrix).max(axis=2) == 0.0).sum() > 6
        found = nash_averaging(matrix)
        assert found.ratings == pytest.approx(matrix @ found.mixture)
        assert found.ratings.max() == pytest.approx(0.0, abs=1e-12)
        assert copies or best_gain(matrix, found.mixture) < 2e-6


def test_copies_of_a_player_change_no_rating():
    rng = np.random.default_rng(1)
    tied = np.array([[0.0, 0.0, 1.0], [0.0, 0.0, 2.0], [-1.0, -2.0, 0.0]])  # with many equilibria
    for matrix in [tied, *(skew(rng, size) for size in (2, 4, 5, 6))]:
        order = rng.permutation(np.r_[np.arange(len(matrix)), rng.integers(0, len(matrix), 3)])
        alone, together = nash_averaging(matrix), nash_averaging(matrix[np.ix_(order, order)])
        assert together.ratings == pytest.approx(alone.ratings[order], abs=1e-6)
        assert np.bincount(order, together.mixture) == pytest.approx(alone.mixture, abs=1e-6)
    assert nash_averaging(tied).ratings == pytest.approx([0.0, 0.0, -1.5])


@each_row(
    ("rate", "given", "why"),
    [
        (elo, ([[0.5, 0.7], [0.7, 0.5]],), r"players 0, 1 \(0.7, 0.7\) must be shares that add to 1"),
        (elo, ([[0.5, 1.2], [-0.2, 0.5]],), r"\(1.2, -0.2\) must be shares"),
        (elo, ([[0.5, np.nan], [0.5, 0.5]],), "scores must be finite numbers"),
        (elo, ([[0.5, 0.5]],), r"not of shape \(1, 2\)"),
        (elo, ([[0.5, 0.5], [0.5, 0.5]], [[0, 1], [2, 0]]), "games must be symmetric"),
        (elo, ([[0.5, 0.5], [0.5, 0.5]], [[1.0]]), r"of shape \(2, 2\) like the scores"),
        (nash_averaging, ([[0.0, 1.0], [1.0, 0.0]],), r"players 0, 1 \(1, 1\) must be antisymmetric"),
        (nash_averaging, ([[np.inf]],), "payoffs must be finite numbers"),
    ],
)
def test_wrong_results_are_refused(rate, given, why):
    with pytest.raises(ValueError, match=why):
        rate(*given)
