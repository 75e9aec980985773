"""An archive of the features seen so far, with the count of each and a route to it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from cardwar_envs.conformance.compare import arrays_in
from cardwar_envs.conformance.play import Play
from cardwar_envs.conformance.subject import Api

# Maximum number of stored routes to situations without a new value.
MOST_SITUATIONS = 2000
# Maximum number of entries of an observation that count as features.
MOST_NUMBERS = 48


@dataclass(frozen=True)
class Route:
    """A route to a situation: the seed of a game, and the arguments of step() that lead there."""

    seed: int
    moves: tuple[Any, ...]

    def travel(self, api: Api[Any], **parameters: Any) -> Any:
        """Replays the route in a fresh environment; returns its driver."""
        play = api.game(self.seed, **parameters)
        return play.replay(self.moves)


class Archive:
    """Counts the occurrences of each feature, and stores a route to each."""

    def __init__(self, seed: int) -> None:
        self.counts: dict[Any, int] = {}
        self.routes: dict[Any, Route] = {}
        self.situations: set[bytes] = set()
        self.others: list[Route] = []  # routes to new situations without a new value
        self._rng = np.random.default_rng(seed)

    def note(self, play: Play, seed: int) -> tuple[bool, bool]:
        """Counts the current features; returns whether a feature is new, and whether the situation is new."""
        new, digest = False, hashlib.blake2b(str(len(play.played)).encode(), digest_size=12)
        for feature in _features(play, digest):
            count = self.counts.get(feature, 0)
            self.counts[feature] = count + 1
            if not count:
                new = True
                self.routes[feature] = Route(seed, tuple(play.played))
        known = digest.digest() in self.situations
        self.situations.add(digest.digest())
        if not (new or known) and len(self.others) < MOST_SITUATIONS:
            self.others.append(Route(seed, tuple(play.played)))
        return new, not known

    def rare(self) -> Route | None:
        """A route to one of the rarest features."""
        if not self.counts:
            return None
        least = min(self.counts.values())
        rare = [feature for feature, count in self.counts.items() if count <= 2 * least]
        feature = rare[int(self._rng.integers(len(rare)))]
        self.counts[feature] += 1
        return self.routes[feature]


def _features(play: Play, digest: Any) -> Iterator[Any]:
    yield "depth", len(play.played)
    yield "agents", tuple(map(str, play.env.agents))
    for agent, reward in play.part("rewards").items():
        yield "reward", str(agent), _rounded(np.float64(reward)) if isinstance(reward, int | float) else str(reward)
    for agent, observation in play.shown():
        for path, array in arrays_in(observation):
            digest.update(array.tobytes())
            numbers = array.ravel()
            for i in range(0, numbers.size, 1 + numbers.size // MOST_NUMBERS):
                yield str(agent), path, i, _rounded(numbers[i])
        if not isinstance(observation, np.ndarray | dict):
            digest.update(repr(observation).encode())
            yield str(agent), repr(observation)[:80]


def _rounded(number: Any) -> Any:
    return f"{float(number):.1f}" if isinstance(number, np.floating) else str(number)
