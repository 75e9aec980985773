"""Tests whether visible data predicts future chance outcomes, against a control."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

# Least advantage over the control, in standard errors, and least number of games in which only one of the two is right.
STANDARD_ERRORS = 5.0
LEAST_CASES = 24
# Maximum number of items to predict.
MOST_TARGETS = 48

Codes = NDArray[np.int64]


@dataclass(frozen=True)
class Halves:
    """Games that looked the same so far, in two halves: predictors are fitted on one and tested on the other."""

    members: tuple[Codes, Codes]  # the games of each half
    others: tuple[Codes, Codes]  # for each game, another of its half that looked the same so far, or itself


def halves_of(alike: Sequence[Hashable], known: NDArray[np.bool_]) -> Halves:
    """Splits the games that are `known` into two halves; games with equal keys in `alike` looked the same so far."""
    groups: dict[Hashable, list[int]] = defaultdict(list)
    for game, key in enumerate(alike):
        if known[game]:
            groups[key].append(game)
    members: tuple[list[int], list[int]] = ([], [])
    others: tuple[list[int], list[int]] = ([], [])
    for group in groups.values():
        for half in (0, 1):
            part = group[half::2]
            members[half].extend(part)
            others[half].extend(part[1:] + part[:1])
    arrays = [tuple(np.array(part, np.int64) for part in parts) for parts in (members, others)]
    return Halves(*arrays)  # type: ignore[arg-type]  # both are pairs


def coded(values: Sequence[Hashable]) -> Codes:
    """Codes the values as integers, `[games]`: equal for equal values, -1 for None."""
    codes: dict[Hashable, int] = {}
    return np.array([-1 if value is None else codes.setdefault(value, len(codes)) for value in values], np.int64)


def foretells(told: Codes, comes: Codes, halves: Halves) -> bool:
    """Whether data visible in a game predicts its future better than the data of another game that looked the same.

    Under the null hypothesis both are right equally often, because the two games are exchangeable.
    """
    right = wrong = 0
    for half in (0, 1):
        learnt, judged, other = halves.members[1 - half], halves.members[half], halves.others[half]
        table = np.zeros((int(told.max()) + 1, int(comes.max()) + 1), np.int64)
        np.add.at(table, (told[learnt], comes[learnt]), 1)
        guess = np.where(table.any(axis=1), table.argmax(axis=1), -1)
        own, foreign = guess[told[judged]] == comes[judged], guess[told[other]] == comes[judged]
        right += int((own & ~foreign).sum())
        wrong += int((foreign & ~own).sum())
    return right + wrong >= LEAST_CASES and right - wrong > STANDARD_ERRORS * (right + wrong) ** 0.5


def telling(
    leaves: Mapping[str, Sequence[Hashable]], comes: Sequence[Mapping[str, str]], alike: Sequence[Hashable]
) -> Iterator[tuple[str, str]]:
    """Yields the name of each visible item that predicts a future item, with the name of the future item.

    `leaves` has the value of each item in each game (None if absent), `comes` the future values of each game, and
    `alike` a key for each game; games with equal keys looked the same so far.
    """
    targets = dict(_targets(comes, alike))
    halves: dict[bytes, Halves] = {}
    seen: set[bytes] = set()
    for name in sorted(leaves):
        told = coded(leaves[name])
        if told.tobytes() in seen:
            continue
        seen.add(told.tobytes())
        known = told >= 0
        split = halves.setdefault(known.tobytes(), halves_of(alike, known))
        for target, codes in targets.items():
            if foretells(told, codes, split):
                yield name, target


def _targets(comes: Sequence[Mapping[str, str]], alike: Sequence[Hashable]) -> Iterator[tuple[str, Codes]]:
    """Yields the future items that differ among games that looked the same."""
    known: set[bytes] = set()
    for name in dict.fromkeys(name for each in comes for name in each):
        values: list[Any] = [each.get(name, "") for each in comes]
        codes = coded(values)
        if codes.tobytes() not in known and len(set(zip(alike, values, strict=True))) > len(set(alike)):
            known.add(codes.tobytes())
            yield name, codes
        if len(known) >= MOST_TARGETS:
            return
