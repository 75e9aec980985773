"""Things that callers hand in by mistake, the count of what became of them, and tests of two lengths."""

import random
from collections import Counter
from contextlib import contextmanager
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from gymnasium.error import ResetNeeded

REFUSALS = (ValueError, ResetNeeded)  # IllegalActionError is a ValueError

ODD = [
    *(None, True, False, np.True_, -1, 0, 1, 2, 3, 7, 10**6, 2**63, -(2**63), 10**30, 10**400),
    *(0.0, 1.0, 1.5, -0.0, float("nan"), float("inf"), -float("inf"), 1e308, 1j, Fraction(1), Decimal(1)),
    *("", "0", "1", "x", "None", "random", "initial", "ä\x00", "9" * 50, b"0", bytearray(b"1")),
    *((), (0,), (1, 2), [], [0], [[1], [2, 3]], [None], {}, {"a": 1}, {0: 0}, {1}, frozenset({0}), range(3)),
    *(object(), int, len, Ellipsis, NotImplemented, slice(1)),
    *(np.int64(0), np.int8(1), np.uint64(2**64 - 1), np.float32(1), np.float64("nan"), np.datetime64("NaT")),
    *(np.array(0), np.array([0]), np.array([[0, 1]]), np.zeros(0), np.array("x"), np.array([None]), np.timedelta64(1)),
]  # fmt: skip


class Fuzz:
    """Seeded choices, and how many inputs were accepted and refused, by kind of input."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.counts = Counter()

    def odd(self):
        return self.random.choice(ODD)

    def chance(self, share):
        return self.random.random() < share

    @contextmanager
    def trying(self, kind, tried, look=lambda: None, same=lambda one, other: one == other):
        """Counts what becomes of an input; one that is refused must leave what `look` shows as it was."""
        before = look()
        try:
            yield
        except REFUSALS as error:
            assert "\n" not in str(error), f"{kind} {tried!r}: more than a line: {error}"  # noqa: PT017  # may also be accepted
            assert same(before, look()), f"{kind} {tried!r} was refused and changed something"
            self.counts[kind, "refused"] += 1
        except BaseException as error:
            error.add_note(f"{kind}: {tried!r}")
            raise
        else:
            self.counts[kind, "accepted"] += 1

    def check(self, least=5, rare=0):
        """Of each kind of input some must have been accepted and some refused: else nothing was tried.

        In a short run a kind can come up so seldom that all of it has one outcome; up to `rare` times that is allowed.
        """
        for kind in {kind for kind, _ in self.counts}:
            if self.counts[kind, "accepted"] + self.counts[kind, "refused"] <= rare:
                continue
            for outcome in ("accepted", "refused"):
                assert self.counts[kind, outcome] >= least, f"{kind}: {dict(self.counts)}"


def shuffled(fuzz, state):
    """A state with one of its fields, or one item of a field, replaced by something odd."""
    if not hasattr(state, "_fields"):
        return fuzz.odd()
    field = fuzz.random.choice(state._fields)
    old = getattr(state, field)
    if isinstance(old, tuple) and old and fuzz.chance(0.7):
        place = fuzz.random.randrange(len(old))
        item = old[place]
        if isinstance(item, tuple) and fuzz.chance(0.7):
            item = (*item[1:], fuzz.odd()) if fuzz.chance(0.5) else (*item, fuzz.random.randint(-1, 4))
        else:
            item = fuzz.odd()
        new = (*old[:place], item, *old[place + 1 :])
    elif isinstance(old, int) and fuzz.chance(0.5):
        new = old + fuzz.random.choice([-1, 1])
    else:
        new = fuzz.odd()
    return state._replace(**{field: new})


def briefly_or_long(argument, brief, long):
    """Runs a test with a small number, and with a large one if it is marked `soak`."""
    return pytest.mark.parametrize(
        argument, [brief, pytest.param(*(long if isinstance(long, tuple) else (long,)), marks=pytest.mark.soak)]
    )
