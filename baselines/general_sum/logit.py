"""Follows the logit equilibria of a game from uniform play towards a Nash equilibrium, for any number of players.

In a logit equilibrium (R. McKelvey and T. Palfrey, "Quantal response equilibria for normal form games", Games and
Economic Behavior 10, 1995) probabilities are proportional to exp(lambda * expected payoff). The branch that starts with
uniform play at lambda 0 is followed by its length, because lambda may fall on the way: T. Turocy, "A dynamic homotopy
interpretation of the logistic quantal response equilibrium correspondence", Games and Economic Behavior 51 (2005). A
point of the branch is here the expected payoffs w of all actions, then log(1 + lambda): w = U(softmax(lambda * w)).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

Array = NDArray[np.float64]
# Lengths of steps along the branch, where payoffs range over 1, and how far it is followed.
FIRST_STEP, LONGEST_STEP, SHORTEST_STEP, MOST_STEPS, LARGEST_LAMBDA = 0.01, 0.3, 1e-7, 5_000, 1e7
# Every few steps, an equilibrium is sought in which actions are played that have at least one of these probabilities.
STEPS_BETWEEN, LEAST_PLAYED = 4, (1e-1, 1e-2, 1e-3, 1e-4, 1e-6)
MOST_CORRECTIONS = 30
# It is accepted if players gain at most this much in total, where payoffs range over 1.
MOST_GAIN = 1e-13


def expected(payoffs: NDArray[Any], mixes: Sequence[NDArray[Any]], *kept: int) -> NDArray[Any]:
    """Returns the expected payoffs of the first player in `kept`, over the actions of those in `kept`, ascending."""
    result = payoffs[kept[0]]
    for player in reversed(range(len(mixes))):
        if player not in kept:
            result = np.tensordot(result, mixes[player], (player, 0))
    return np.asarray(result)


def gain(payoffs: NDArray[Any], mixes: Sequence[NDArray[Any]]) -> Any:
    """Returns the sum of what players gain by best responses."""
    worths = [expected(payoffs, mixes, player) for player in range(len(mixes))]
    return sum(worth.max() - worth @ mix for worth, mix in zip(worths, mixes, strict=True))


class Branch:
    """The branch of logit equilibria that starts with uniform play."""

    def __init__(self, payoffs: Array, symmetric: bool = False, seed: int | None = None) -> None:
        """Takes `[players, actions of player 0, ...]` payoffs; with `symmetric`, all players play alike.

        With a seed, the branch starts with random play instead, to which probabilities are proportional, too.
        """
        self.scale = float(max(map(np.ptp, payoffs))) or 1.0
        lowest = payoffs.min(axis=tuple(range(1, payoffs.ndim)), keepdims=True)
        self.payoffs, self._symmetric = (payoffs - lowest) / self.scale, symmetric
        self._sizes = payoffs.shape[1:]
        rng, sizes = np.random.default_rng(seed), self._sizes[:1] if symmetric else self._sizes
        own = [np.zeros(size) if seed is None else rng.normal(size=size) for size in sizes]
        self._starts = own * len(self._sizes) if symmetric else own

    def _split(self, row: Array) -> list[Array]:
        return np.split(row, np.cumsum(self._sizes)[:-1])

    def mixes(self, point: Array) -> list[Array]:
        """Returns the mix of each player at a point."""
        worths, precision = self._split(point[:-1]), np.expm1(point[-1])
        return [softmax(start + precision * worth) for start, worth in zip(self._starts, worths, strict=True)]

    def _worths(self, mixes: list[Array]) -> tuple[Array, Array]:
        """Returns the expected payoffs of all actions, and their derivatives by all probabilities."""
        players = range(len(mixes))
        blocks = [[expected(self.payoffs, mixes, i, j) if i != j else None for j in players] for i in players]
        sided = [
            [np.zeros((n, n)) if block is None else block.T if i > j else block for j, block in enumerate(row)]
            for i, (n, row) in enumerate(zip(self._sizes, blocks, strict=True))
        ]
        return np.concatenate([expected(self.payoffs, mixes, i) for i in players]), np.block(sided)

    def _equations(self, point: Array) -> tuple[Array, Array]:
        """Returns `[n]` how far a point is from the branch, and its derivatives `[n, n + 1]`."""
        mixes, precision = self.mixes(point), np.expm1(point[-1])
        worths, slopes = self._worths(mixes)
        play, owners = np.concatenate(mixes), np.repeat(np.arange(len(mixes)), self._sizes)
        change = slopes @ (np.diag(play) - np.outer(play, play) * (owners[:, None] == owners))
        by_precision = change @ point[:-1] * (precision + 1)
        return point[:-1] - worths, np.column_stack([np.eye(len(play)) - precision * change, -by_precision])

    def _corrected(self, start: Array, normal: Array) -> Array | None:
        """Returns the point of the branch on the plane through a point near it; None if Newton's method fails."""
        point = start
        for _ in range(6):
            distance, slopes = self._equations(point)
            off = np.append(distance, normal @ (point - start))
            step = np.linalg.lstsq(np.vstack([slopes, normal]), off, rcond=None)[0]
            point = point - step
            if np.abs(step).max() <= 1e-12:
                return point if np.abs(point - start).max() <= LONGEST_STEP else None
        return None

    def follow(self) -> Iterator[Array]:
        """Yields points of the branch, from lambda 0 on, until it cannot be followed or lambda is very large."""
        point = np.append(self._worths([np.asarray(softmax(start)) for start in self._starts])[0], 0.0)
        ahead, length = np.append(np.zeros(len(point) - 1), 1.0), FIRST_STEP
        for _ in range(MOST_STEPS):
            yield point
            bordered = np.vstack([self._equations(point)[1], ahead])
            ahead = np.linalg.lstsq(bordered, np.append(np.zeros(len(point) - 1), 1.0), rcond=None)[0]
            ahead /= np.linalg.norm(ahead)
            while (found := self._corrected(point + length * ahead, ahead)) is None:
                length /= 2
                if length < SHORTEST_STEP:
                    return
            point, length = found, min(1.5 * length, LONGEST_STEP)
            if self._symmetric:  # rounding must not lead to another branch
                point[:-1] = np.tile(np.mean(self._split(point[:-1]), axis=0), len(self._sizes))
            if point[-1] > np.log1p(LARGEST_LAMBDA):
                return

    def at(self, precision: float) -> list[Array]:
        """Returns the mixes at a lambda, the first on the branch; raises a ValueError if it is not reached."""
        goal = np.log1p(precision * self.scale)
        last = point = np.zeros(1)
        for point in self.follow():
            if point[-1] >= goal:
                start = point if last.size == 1 else last + (goal - last[-1]) / (point[-1] - last[-1]) * (point - last)
                found = self._corrected(start, np.append(np.zeros(len(point) - 1), 1.0))
                if found is not None:
                    return self.mixes(found)
            last = point
        reached = np.expm1(point[-1]) / self.scale
        raise ValueError(f"lambda_ ({precision:g}) was not reached: the logit equilibria were followed to {reached:g}")

    def nash(self) -> list[Array] | None:
        """Returns a Nash equilibrium near the branch, up to rounding; None if none was found."""
        for count, point in enumerate(self.follow()):
            if count % STEPS_BETWEEN == 0:
                mixes = self.mixes(point)
                supports = {(np.concatenate(mixes) >= least).tobytes() for least in LEAST_PLAYED}
                for support in sorted(supports):
                    if (found := self._on_support(mixes, np.frombuffer(support, dtype=bool))) is not None:
                        return found
        return None

    def _on_support(self, mixes: list[Array], support: NDArray[np.bool_]) -> list[Array] | None:
        """Makes all players indifferent between the actions that they play, if that gives an equilibrium."""
        owners, count = np.repeat(np.eye(len(mixes)), self._sizes, axis=0), int(support.sum())
        play, values = np.where(support, np.concatenate(mixes), 0.0), np.zeros(len(mixes))
        for _ in range(MOST_CORRECTIONS):  # Newton's method, by least squares as the equations may be singular
            worths, slopes = self._worths(self._split(play))
            off = np.append((worths - owners @ values)[support], owners.T @ play - 1)
            sums = np.zeros((len(mixes), len(mixes)))
            matrix = np.block([[slopes[np.ix_(support, support)], -owners[support]], [owners[support].T, sums]])
            step = np.linalg.lstsq(matrix, off, rcond=None)[0]
            play[support] -= step[:count]
            values -= step[count:]
            if not 1e-15 < np.abs(step).max() < 1e3:
                break
        found = [np.maximum(mix, 0.0) for mix in self._split(play)]
        if not (play.min() >= -1e-9 and min(mix.sum() for mix in found) > 0.5):
            return None
        found = [mix / mix.sum() for mix in found]
        return found if gain(self.payoffs, found) <= MOST_GAIN else None
