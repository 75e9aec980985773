"""Confidence intervals for what is sampled. They hold for every number of samples, not only in the limit."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv

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
        """Whether nothing was left to chance."""
        return self.low == self.high


def mean_interval(samples: NDArray[np.float64], least: float, most: float, confidence: float = CONFIDENCE) -> Interval:
    """The mean of independent samples, with an empirical Bernstein interval.

    Source: A. Maurer and M. Pontil, "Empirical Bernstein bounds and sample variance penalization" (COLT 2009),
    theorem 4, once for each end.

    Args:
        samples: `[samples]`, independent; their distributions may differ.
        least: No sample can be less.
        most: No sample can be greater.
        confidence: Probability, at least, that both ends are right; that one end is right is surer.

    Raises:
        ValueError: If there are no samples, or some are out of range.
    """
    mean, count = float(np.mean(samples)) if len(samples) else 0.0, len(samples)
    width = _bernstein_width(samples, least, most, (1.0 - confidence) / 2.0)
    if not count or samples.min() < least - 1e-9 or samples.max() > most + 1e-9:
        raise ValueError(f"there must be samples, all in {least:g}..{most:g}")
    return Interval(mean, max(mean - width, least), min(mean + width, most))


def _bernstein_width(samples: NDArray[np.float64], least: float, most: float, error: float) -> float:
    count = len(samples)
    if count < 2:
        return most - least
    logarithm = math.log(2.0 / error)
    spread = math.sqrt(2.0 * float(np.var(samples, ddof=1)) * logarithm / count)
    return spread + 7.0 * (most - least) * logarithm / (3.0 * (count - 1))


def share_interval(successes: int, trials: int, confidence: float = CONFIDENCE) -> Interval:
    """A share of independent trials, with the exact binomial interval of Clopper and Pearson (1934).

    Raises:
        ValueError: If there are no trials, or more successes than trials.
    """
    if not 0 <= successes <= trials or not trials:
        raise ValueError(f"successes ({successes}) must be in 0..trials ({trials}), and trials at least 1")
    error = (1.0 - confidence) / 2.0
    low = float(betaincinv(successes, trials - successes + 1, error)) if successes else 0.0
    high = float(betaincinv(successes + 1, trials - successes, 1.0 - error)) if successes < trials else 1.0
    return Interval(successes / trials, low, high)
