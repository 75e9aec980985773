"""Confidence intervals: right as often as they say, and never silent about what they cannot know."""

import numpy as np
import pytest
from scipy.stats import binomtest
from thinning import each_row

from baselines import mean_interval, share_interval


@each_row("count", [2, 20, 500])
@each_row("draw", ["coin", "rare", "even"])
def test_intervals_hold_the_mean_at_least_as_often_as_they_say(count, draw):
    rng = np.random.default_rng(1)
    kinds = {
        "coin": ([-1, 1], [0.3, 0.7]),
        "rare": ([-1, 0, 1], [0.01, 0.985, 0.005]),
        "even": (np.linspace(-1, 1, 9), None),
    }
    values, weights = kinds[draw]
    truth = float(np.average(values, weights=weights))
    drawn = rng.choice(values, size=(1000, count), p=weights).astype(np.float64)
    missed = sum(not low <= truth <= high for _, low, high in (mean_interval(row, -1.0, 1.0) for row in drawn))
    too_high = sum(mean_interval(row, -1.0, 1.0, 0.98).low > truth for row in drawn)
    assert missed <= 10
    assert too_high <= 10


def test_intervals_shrink_with_the_samples_and_with_their_spread():
    rng = np.random.default_rng(2)
    coin = rng.choice([-1.0, 1.0], size=40_000)
    widths = [high - low for _, low, high in (mean_interval(coin[:n], -1.0, 1.0) for n in (100, 1_000, 40_000))]
    assert widths[0] > widths[1] > widths[2]
    assert widths[2] == pytest.approx(2 * np.sqrt(2 * np.log(400) / 40_000), rel=0.2)
    _, low, high = mean_interval(np.full(1000, 0.5), -1.0, 1.0)
    assert high - low < 0.06


@each_row(("successes", "trials"), [(0, 5), (5, 5), (3, 7), (940, 1000)])
def test_shares_have_the_exact_binomial_interval(successes, trials):
    known = binomtest(successes, trials).proportion_ci(0.99, "exact")
    assert share_interval(successes, trials) == pytest.approx((successes / trials, known.low, known.high))


def test_what_has_no_interval_is_refused():
    with pytest.raises(ValueError, match="samples must be at least one number"):
        mean_interval(np.zeros(0), -1.0, 1.0)
    with pytest.raises(ValueError, match=r"all in -1\.\.1"):
        mean_interval(np.array([0.0, 1.5]), -1.0, 1.0)
    with pytest.raises(ValueError, match=r"successes \(3\) must be in 0\.\.trials \(2\)"):
        share_interval(3, 2)
    with pytest.raises(ValueError, match="trials at least 1"):
        share_interval(0, 0)
