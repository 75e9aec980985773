"""The positions of a game of many rounds, shared by its solvers, and checks of what policies declare about them.

A state is a position and the rounds left. Values with `r` rounds left follow from those with `r - 1`, so there is one
sweep over the positions per round. See `cardwar_envs.core.forms.RoundsForm`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from baselines.oracles.answers.guards import difference, first_difference, state_behind
from cardwar_envs.core.cached import cached_by_game
from cardwar_envs.core.forms import RoundsForm
from cardwar_envs.core.game import Game
from cardwar_envs.core.kernels import kernels, map_in_threads
from cardwar_envs.core.policy import Policy, checked_probabilities

MAX_POSITIONS = 4_000_000
# Sample sizes: numbers of rounds left, and positions for each of them.
ROUNDS, POSITIONS = 4, 64
SEED = 0
# Each sweep is compared with at most this many earlier ones.
LONGEST_PERIOD = 12
# Time per node of a sweep in plain Python; WAR of 3 and 4 ranks.
SECONDS_PER_NODE = 3e-5

# Number of nodes per piece of work; results do not depend on it.
CHUNK = 4096

Arrays = tuple[Any, ...]
Nodes = NDArray[np.int64]
T = TypeVar("T")


def kernel(nodes: int) -> Any:
    """Returns the kernels, compiled only if a sweep over this many nodes would take plain Python too long."""
    return kernels("baselines.oracles.finite_horizon.kernel", SECONDS_PER_NODE * nodes)


def counts_rounds(game: Game[Any]) -> bool:
    """Returns whether a game has two players and declares a `rounds_form`."""
    return (
        type(game).rounds_form is not Game.rounds_form
        and game.facts.max_rounds is not None
        and game.facts.num_players == 2
    )


@cached_by_game(2)
def form_of(game: Game[Any], max_positions: int = MAX_POSITIONS) -> RoundsForm[Any]:
    """Returns the positions reachable from a game's start, cached.

    Raises a ValueError if the game does not consist of such rounds or has too many positions.
    """
    return game.rounds_form([start.state for start in game.initial()], max_positions)


def arrays_of(form: RoundsForm[Any]) -> Arrays:
    """Returns the form as arguments of the compiled functions."""
    return (
        form.lists,
        form.rows,
        form.options,
        form.strengths,
        form.option_counts,
        form.first,
        form.children,
        int(form.levels[-2]),
    )


def levels_of(form: RoundsForm[Any]) -> list[Nodes]:
    """Returns the nodes by level, children first."""
    return [np.arange(*bounds) for bounds in pairwise(form.levels)]


def choice_starts(form: RoundsForm[Any], codes: NDArray[np.int64] | None = None) -> NDArray[np.int64]:
    """Returns where player 0's choices at each code begin in one concatenated array, followed by its length."""
    lists = form.lists.ravel() if codes is None else form.lists[codes >> 1, codes & 1]
    return np.concatenate([[0], np.cumsum(form.rows[lists + 1] - form.rows[lists])])


def choice_indices(form: RoundsForm[Any], codes: NDArray[np.int64], starts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Returns the indices of player 0's choices at codes whose choices begin at `starts`."""
    own = choice_starts(form, codes)
    return np.arange(own[-1]) + np.repeat(starts - own[:-1], np.diff(own))


class History:
    """The array after each sweep, until one repeats another bit for bit.

    Attributes:
        period: Number of sweeps after which the arrays repeat; None until then.
        kept: The arrays before the repetition.
    """

    def __init__(self, first: NDArray[Any]) -> None:
        self.kept: list[NDArray[Any]] = [first]
        self.period: int | None = None

    def append(self, array: NDArray[Any]) -> None:
        """Adds the next array unless it repeats one of the last few."""
        for period, earlier in enumerate(self.kept[: -LONGEST_PERIOD - 1 : -1], start=1):
            if np.array_equal(earlier, array):
                self.period = period
                return
        self.kept.append(array)

    def __getitem__(self, sweep: int) -> NDArray[Any]:
        """Returns the array after sweep number `sweep`, even past the last one computed."""
        if self.period is None or sweep < len(self.kept):
            return self.kept[sweep]
        begin = len(self.kept) - self.period
        return self.kept[begin + (sweep - begin) % self.period]


def at_codes(form: RoundsForm[Any], of_rounds: float | NDArray[np.float64]) -> NDArray[np.float64]:
    """Returns `[2 * nodes]` values by code: the payoffs of final nodes, `of_rounds` where a round begins, 0 in wars."""
    values = np.zeros(2 * len(form.lists))
    values[:2] = 1.0, -1.0
    put(values, slice(form.levels[-2], form.levels[-1]), np.asarray(of_rounds))
    return values


def in_threads(work: Callable[[Nodes], T], nodes: Nodes, threads: int | None = None) -> list[T]:
    """Returns the results of `work` on runs of `CHUNK` nodes, in order."""
    runs = [nodes[start : start + CHUNK] for start in range(0, max(len(nodes), 1), CHUNK)]
    return list(map_in_threads(work, runs, threads))


def put(values: NDArray[np.float64], nodes: slice | Nodes, worth: NDArray[np.float64]) -> None:
    """Writes nodes' values to player 0 at their codes, and the negatives at the mirror images."""
    pairs = values.reshape(-1, 2)
    pairs[nodes, 0] = worth
    pairs[nodes, 1] = -worth


def is_stationary(policy: Policy) -> bool:
    """Returns whether a policy declares that its play is independent of the rounds left."""
    return bool(getattr(policy, "stationary", False))


def check_rounds(game: Game[Any], form: RoundsForm[Any], policies: Iterable[Policy]) -> int:
    """Checks, at random positions, policies that declare `stationary`; returns the number of compared answers.

    They are queried only with one round left. Raises a ValueError that names the state and both answers if they play
    differently with more.
    """
    rng, starts, most = np.random.default_rng(SEED), choice_starts(form), game.facts.max_rounds or 1
    choices = np.flatnonzero(np.diff(starts) > 1)
    rounds = np.unique(np.append(rng.integers(1, most, ROUNDS - 1, endpoint=True), most))
    drawn = [(int(r), np.sort(rng.choice(choices, min(POSITIONS, len(choices)), replace=False))) for r in rounds]
    declaring = filter(is_stationary, policies)
    return sum(_check(game, form, policy, r, codes) for policy in declaring for r, codes in drawn if len(codes))


def _check(game: Game[Any], form: RoundsForm[Any], policy: Policy, rounds_left: int, codes: NDArray[np.int64]) -> int:
    observations, masks = form.seen(codes, rounds_left)
    answer, expected = (checked_probabilities(policy, *each) for each in ((observations, masks), form.seen(codes, 1)))
    row = first_difference(answer, expected)
    if row is not None:
        raise ValueError(
            f"policy {type(policy).__name__} declares stationary, but plays differently at "
            f"{state_behind(game, observations[row])}: {difference(expected[row], answer[row])}"
        )
    return len(codes)
