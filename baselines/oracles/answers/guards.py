"""Guards of exact figures: policies are queried through wrappers that record, repeat and check their answers.

A policy must be a function of its observation; otherwise its exploitability is undefined. So after the computation a
sample of the queries is repeated, in another order and in smaller batches, and inconsistent policies are rejected. In
rational arithmetic a policy must also have exact probabilities.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baselines.oracles.answers.legal_part import IllegalMass, LegalPart, warn
from baselines.oracles.answers.recording import SEED, RecordingPolicy, numbers_of
from cardwar_envs.core.game import Game
from cardwar_envs.core.numbers import exactly
from cardwar_envs.core.parameters import one_of
from cardwar_envs.core.policy import (
    IllegalProbabilityError,
    Masks,
    Observations,
    Policy,
    checked_probabilities,
    name_of,
)
from cardwar_envs.core.table_policy import TablePolicy

# At least this many queries are repeated, in this many batches; if there are fewer, each is repeated several times.
FEWEST_AGAIN, BATCHES = 32, 8
# Single-precision answers vary by about this much with the batch size.
SAME_TO = 1e-5
# Largest difference between a policy's fractions and its floats.
ROUNDING = 1e-9
# An error shows at most this many probabilities of each of two long answers.
SHOWN = 4
ILLEGAL = ("raise", "renormalise")

InvarianceCheck = Callable[[Sequence[Policy | None]], int]


class TwoAnswersError(ValueError):
    """A policy is inconsistent: it gave two answers to the same query."""


@dataclass(frozen=True)
class QueryCounts:
    """The number of policy queries behind an exact figure, and of those repeated to check consistency.

    Attributes:
        total: Number of observations on which the figure is based.
        repeated: Number of repeated queries, whose answers agreed.
        compared: Number of answers that agreed with a declared invariance (`by_words`, `stationary`).
    """

    total: int = 0
    repeated: int = 0
    compared: int = 0

    def as_data(self) -> dict[str, int]:
        """Returns the counts under the names that they have in the command's JSON."""
        return {"questions": self.total, "again": self.repeated, "claims": self.compared}


def _repeat(policy: RecordingPolicy, game: Game[Any]) -> int:
    """Repeats the recorded queries and returns their number; raises a TwoAnswersError if an answer differs."""
    if policy.recorded is None:
        return 0
    observations, masks, answers = policy.recorded
    order = np.resize(np.random.default_rng(SEED).permutation(len(answers)), max(len(answers), FEWEST_AGAIN))
    for rows in np.array_split(order, BATCHES):
        second = policy.stands_for.action_probabilities(observations[rows], masks[rows])
        numbers = numbers_of(second, masks[rows].shape, np.arange(len(rows)))
        if numbers is None:
            raise TwoAnswersError(
                f"policy {name_of(policy)}: a repeated query returned {second!r}, not an array of probabilities"
            )
        row = first_difference(answers[rows], numbers)
        if row is not None:
            raise TwoAnswersError(
                f"policy {name_of(policy)}: two answers to the same query, at "
                f"{state_behind(game, observations[rows[row]])}: {difference(answers[rows[row]], numbers[row])}; "
                "a policy must be a function of its observation, otherwise its exploitability is undefined"
            )
    return len(order)


class RecordingPolicies:
    """The policies queried for one exact figure, one per entry of `seats`; several seats can share a policy."""

    def __init__(self, game: Game[Any], policies: Sequence[Policy]) -> None:
        self._game = game
        self._distinct = {id(policy): RecordingPolicy(policy) for policy in policies}
        self.seats: list[Policy] = [self._distinct[id(policy)] for policy in policies]

    def repeat_queries(self, compared: int = 0) -> QueryCounts:
        """Repeats the recorded queries; raises a TwoAnswersError if a policy is inconsistent.

        `compared` is the number of answers already compared by invariance checks.
        """
        repeated = sum(_repeat(policy, self._game) for policy in self._distinct.values())
        return QueryCounts(sum(policy.queries for policy in self._distinct.values()), repeated, compared)

    def is_consistent(self) -> bool:
        """Returns whether all policies repeat their answers."""
        try:
            self.repeat_queries()
        except TwoAnswersError:
            return False
        return True


@dataclass
class Profile:
    """The policies that an oracle queries, one per seat, and the results of the checks, set on exit."""

    policies: Sequence[Policy]
    removed: IllegalMass | None = None
    queries: QueryCounts = QueryCounts()


@contextmanager
def consistent(
    game: Game[Any],
    check_invariances: InvarianceCheck | None,
    policies: Sequence[Policy],
    illegal: str = "raise",
    responder: int | None = None,
) -> Iterator[Profile]:
    """Wraps policies for an oracle: checks declared invariances on entry, unless None, and consistency on exit.

    With `illegal="renormalise"`, removes the probability of illegal actions and warns. Also warns if a table lacks some
    of the queried observations. The policy in the seat `responder`, if any, is not queried.

    Raises:
        ValueError: If `illegal` is unknown, a declared invariance fails, or a table contains no queried observation.
        TwoAnswersError: If a policy is inconsistent.
        IllegalProbabilityError: If a policy gives probability to an illegal action and `illegal` is "raise", or if it
            gives probability only to illegal actions.
    """
    one_of("illegal", illegal, ILLEGAL)
    parts = {id(policy): LegalPart(policy) for policy in policies} if illegal == "renormalise" else {}
    plain: list[Policy] = [parts.get(id(policy), policy) for policy in policies]
    recorded = RecordingPolicies(game, plain)
    profile = Profile(recorded.seats)
    try:
        queried = [None if seat == responder else policy for seat, policy in enumerate(plain)]
        compared = 0 if check_invariances is None else check_invariances(queried)
        with tables_counted(policies) as tables:
            yield profile
            for table in tables:
                table.require_known()
        if parts:
            profile.removed = _removed(list(parts.values()))
        profile.queries = recorded.repeat_queries(compared)
    except IllegalProbabilityError as error:
        hint = "" if illegal == "renormalise" else '; illegal="renormalise" measures its legal part'
        raise IllegalProbabilityError(f"{error}{hint}") from None
    if profile.removed is not None and profile.removed.any:
        warn(
            f"this is not the exact figure of the given policy: illegal actions had {profile.removed}. "
            "This probability was removed, and the rest was renormalised"
        )


@contextmanager
def tables_counted(policies: Iterable[Policy]) -> Iterator[Collection[TablePolicy]]:
    """Counts the observations at which tables are queried, and warns on exit if a table lacks some of them."""
    tables = {id(policy): policy for policy in policies if isinstance(policy, TablePolicy)}.values()
    for table in tables:
        table.count_anew()
    yield tables
    for table in tables:
        if table.warns and table.known < table.asked:
            warn(table.coverage)


def _removed(parts: Sequence[LegalPart]) -> IllegalMass:
    rows = max(1, sum(part.rows for part in parts))
    return IllegalMass(max(part.most for part in parts), sum(part.removed for part in parts) / rows)


def first_difference(first: NDArray[np.float64], second: NDArray[np.float64]) -> int | None:
    """Returns the index of the first row in which two batches differ by more than rounding; None if they agree."""
    differs = ~(np.abs(first - second) <= SAME_TO).all(axis=1)  # a NaN differs
    return int(differs.argmax()) if differs.any() else None


def state_behind(game: Game[Any], observation: NDArray[np.float32]) -> str:
    """Describes the state behind an observation and its observer, or the observation itself without public state."""
    try:
        state, player = game.state_of(observation)
    except ValueError:
        return f"observation {observation.tolist()}"
    return f"{state!r} as player_{player} sees it"


def difference(first: NDArray[np.float64], second: NDArray[np.float64]) -> str:
    """Formats both answers at the actions where they differ most."""
    apart = np.abs(first - second)
    actions = [action for action in np.argsort(-apart, kind="stable")[:SHOWN] if not apart[action] <= SAME_TO]
    one, other = (
        ", ".join(f"action {action} {answer[action]:.6g}" for action in sorted(actions)) for answer in (first, second)
    )
    return f"first {one}; then {other}"


def exact_probabilities(policy: Policy, observations: Observations, action_masks: Masks) -> NDArray[Any]:
    """Returns a policy's probabilities as fractions, `[batch, num_actions]`.

    They come from its method `exact_probabilities`, which takes the arguments of `action_probabilities` and returns
    rows of fractions, or else from its floats. A float is exact if its value is the decimal that it is printed as,
    as for 0, 0.5 and 1. Others were rounded.

    Raises:
        ValueError: If a float was rounded, a row does not sum to exactly one, or fractions and floats differ.
    """
    floats, name = checked_probabilities(policy, observations, action_masks), name_of(policy)
    method = getattr(policy, "exact_probabilities", None)
    rows = floats.tolist() if method is None else method(observations.copy(), action_masks.copy())
    fractions = np.array([[_fraction(entry, name) for entry in row] for row in rows], dtype=object)
    if fractions.shape != floats.shape:
        raise ValueError(f"policy {name}: exact probabilities have shape {fractions.shape}, not {floats.shape}")
    for total in fractions.sum(axis=1):
        if total != 1:
            raise ValueError(f"policy {name}: exact probabilities sum to {total}, not to 1")
    if not (np.abs(fractions.astype(float) - floats) <= ROUNDING).all():
        raise ValueError(f"policy {name}: exact_probabilities and action_probabilities differ")
    return fractions


def _fraction(entry: Any, name: str) -> Fraction:
    number = entry.item() if isinstance(entry, np.generic) else entry
    try:
        return exactly(number)
    except ValueError:
        raise ValueError(
            f"policy {name}: probability {number!r} is a rounded float, so there is no exact figure; "
            "give the policy a method exact_probabilities that returns fractions, or make it a TablePolicy of fractions"
        ) from None
