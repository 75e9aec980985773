"""Confidence intervals that hold for any number of samples, not only asymptotically."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cardwar_envs.core.parameters import whole_number

CONFIDENCE = 0.99


class Interval(NamedTuple):
    """An estimate and a confidence interval around it.

    Attributes:
        mean: The estimate.
        low: Lower end; the estimate itself if it is exact.
        high: Upper end, likewise.
    """

    mean: float
    low: float
    high: float

    @property
    def exact(self) -> bool:
        """True if the value is exact rather than sampled."""
        return self.low == self.high


def mean_interval(samples: NDArray[np.float64], least: float, most: float, confidence: float = CONFIDENCE) -> Interval:
    """Returns the mean of independent samples, with an empirical Bernstein interval.

    Source: A. Maurer and M. Pontil, "Empirical Bernstein bounds and sample variance penalization" (COLT 2009), theorem
        4, applied to each end.

    Args:
        samples: `[samples]`, independent; their distributions may differ.
        least: Lower bound on every sample.
        most: Upper bound on every sample.
        confidence: Probability, at least, with which both ends hold.

    Raises:
        ValueError: If `samples` is not one-dimensional, is empty or has values out of range, or the confidence is not
            between 0 and 1.
    """
    error = _error(confidence)
    samples = np.asarray(samples)
    if samples.dtype.kind not in "fiub" or samples.ndim != 1:
        raise ValueError(f"samples must be numbers, [samples], not {samples.dtype} of shape {samples.shape}")
    samples, slack = samples.astype(np.float64, copy=False), 1e-9 * max(1.0, abs(least), abs(most))
    # Written so that NaN counts as out of range.
    if not len(samples) or not (samples.min() >= least - slack and samples.max() <= most + slack):
        raise ValueError(f"samples must be at least one number, all in {least:g}..{most:g}")
    mean, width = float(np.mean(samples)), _bernstein_width(samples, least, most, error)
    return Interval(mean, max(mean - width, least), min(mean + width, most))


def _bernstein_width(samples: NDArray[np.float64], least: float, most: float, error: float) -> float:
    count = len(samples)
    if count < 2:
        return most - least
    logarithm = math.log(2.0 / error)
    spread = math.sqrt(2.0 * float(np.var(samples, ddof=1)) * logarithm / count)
    return spread + 7.0 * (most - least) * logarithm / (3.0 * (count - 1))


def share_interval(successes: int, trials: int, confidence: float = CONFIDENCE) -> Interval:
    """Returns the success rate of independent trials, with the exact binomial interval of Clopper and Pearson (1934).

    Raises:
        ValueError: If there are no trials or more successes than trials, either is not an integer, or the confidence is
            not between 0 and 1.
    """
    from scipy.special import betaincinv  # takes a third of a second to import

    error = _error(confidence)
    trials = whole_number("trials", trials)
    if not 0 <= whole_number("successes", successes) <= trials or not trials:
        raise ValueError(f"successes ({successes}) must be in 0..trials ({trials}), and trials at least 1")
    low = float(betaincinv(successes, trials - successes + 1, error)) if successes else 0.0
    high = float(betaincinv(successes + 1, trials - successes, 1.0 - error)) if successes < trials else 1.0
    return Interval(successes / trials, low, high)


def _error(confidence: float) -> float:
    """Returns the error probability of each end of an interval; checks the confidence."""
    if not isinstance(confidence, (float, int)) or not 0.0 < confidence < 1.0:
        raise ValueError(f"confidence ({confidence}) must be a number between 0 and 1")
    return (1.0 - confidence) / 2.0
