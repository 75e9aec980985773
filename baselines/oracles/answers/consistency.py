"""Checks that the policies behind an exact figure are consistent: the same query always gets the same answer.

A policy that samples its answers, counts its queries or reads other rows of the batch has no exact figure. So after the
computation a sample of the queries is repeated, in another order and in smaller batches, and inconsistent policies are
rejected.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baselines.oracles.answers.legal_part import IllegalMass, LegalPart, warn
from baselines.oracles.answers.recording import SEED, RecordingPolicy, rows_of
from cardwar_envs.core.game import Game
from cardwar_envs.core.parameters import one_of
from cardwar_envs.core.policy import IllegalProbabilityError, Policy, TablePolicy, name_of

# At least this many queries are repeated, in this many batches; if there are fewer, each is repeated several times.
FEWEST_AGAIN, BATCHES = 32, 8
# Single-precision answers vary by about this much with the batch size.
SAME_TO = 1e-5
# An error shows at most this many probabilities of each of two long answers.
SHOWN = 4
ILLEGAL = ("raise", "renormalise")

InvarianceCheck = Callable[[Sequence[Policy | None]], int]


class TwoAnswersError(ValueError):
    """A policy is inconsistent: it gave two answers to the same query."""


@dataclass(frozen=True)
class Asked:
    """The number of policy queries behind an exact figure, and of those repeated to check consistency.

    Attributes:
        questions: Number of observations on which the figure is based.
        again: Number of repeated queries, whose answers agreed.
        claims: Number of answers that agreed with a declared invariance (`by_words`, `stationary`).
    """

    questions: int
    again: int
    claims: int = 0


NOT_ASKED = Asked(0, 0)


def _repeat_queries(game: Game[Any], policy: RecordingPolicy) -> int:
    if policy.recorded is None:
        return 0
    observations, masks, answers = policy.recorded
    order = np.resize(np.random.default_rng(SEED).permutation(len(answers)), max(len(answers), FEWEST_AGAIN))
    for rows in np.array_split(order, BATCHES):
        second = policy.stands_for.action_probabilities(observations[rows], masks[rows])
        numbers = rows_of(second, masks[rows].shape, np.arange(len(rows)))
        if numbers is None:
            raise TwoAnswersError(
                f"policy {name_of(policy)}: a repeated query returned {second!r}, not an array of probabilities"
            )
        row = first_difference(answers[rows], numbers)
        if row is not None:
            raise TwoAnswersError(
                f"policy {name_of(policy)}: two answers to the same query, at {place(game, observations[rows[row]])}: "
                f"{difference(answers[rows[row]], numbers[row])}; "
                "an exact figure needs a policy that is a function of its observation"
            )
    return len(order)


class RecordingPolicies:
    """The policies queried for one exact figure, one per entry of `seats`; several seats can share a policy."""

    def __init__(self, game: Game[Any], policies: Sequence[Policy]) -> None:
        self._game = game
        self._all = {id(policy): RecordingPolicy(policy) for policy in policies}
        self.seats: list[Policy] = [self._all[id(policy)] for policy in policies]

    def repeat_queries(self, compared: int = 0) -> Asked:
        """Repeats the recorded queries; raises a TwoAnswersError if a policy is inconsistent.

        `compared` is the number of answers already compared by invariance checks.
        """
        again = sum(_repeat_queries(self._game, each) for each in self._all.values())
        return Asked(sum(each.questions for each in self._all.values()), again, compared)

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
    asked: Asked = NOT_ASKED


@contextmanager
def consistent(
    game: Game[Any],
    check_invariances: InvarianceCheck,
    policies: Sequence[Policy],
    illegal: str = "raise",
    responder: int | None = None,
) -> Iterator[Profile]:
    """Wraps policies for an oracle: checks declared invariances on entry, and consistency on exit.

    With `illegal="renormalise"`, removes the probability of illegal actions and warns. Also warns if a table lacks some
    of the queried observations. The policy in the seat `responder`, if any, is not queried.

    Raises:
        ValueError: If `illegal` is unknown, a declared invariance fails, or a table contains no queried observation.
        TwoAnswersError: If a policy is inconsistent.
        IllegalProbabilityError: If a policy gives probability to an illegal action and `illegal` is "raise", or if it
            gives probability only to illegal actions.
    """
    one_of("illegal", illegal, ILLEGAL)
    tables = {id(policy): policy for policy in policies if isinstance(policy, TablePolicy)}.values()
    parts = {id(policy): LegalPart(policy) for policy in policies} if illegal == "renormalise" else {}
    plain: list[Policy] = [parts.get(id(policy), policy) for policy in policies]
    recorded = RecordingPolicies(game, plain)
    profile = Profile(recorded.seats)
    try:
        compared = check_invariances([None if seat == responder else policy for seat, policy in enumerate(plain)])
        for table in tables:
            table.count_anew()
        yield profile
        for table in tables:
            table.require_known()
        if parts:
            profile.removed = _removed(list(parts.values()))
        profile.asked = recorded.repeat_queries(compared)
    except IllegalProbabilityError as error:
        hint = "" if illegal == "renormalise" else '; illegal="renormalise" measures its legal part'
        raise IllegalProbabilityError(f"{error}{hint}") from None
    if profile.removed is not None and profile.removed.any:
        warn(
            f"this is not the exact figure of the given policy: illegal actions had {profile.removed}. "
            "This probability was removed, and the rest was renormalised"
        )
    for table in tables:
        if table.warns and table.known < table.asked:
            warn(f"this is the figure of a policy that {table.coverage}")


def _removed(parts: Sequence[LegalPart]) -> IllegalMass:
    rows = max(1, sum(part.rows for part in parts))
    return IllegalMass(max(part.most for part in parts), sum(part.removed for part in parts) / rows)


def first_difference(first: NDArray[np.float64], second: NDArray[np.float64]) -> int | None:
    """Returns the index of the first row in which two batches differ by more than rounding; None if they agree."""
    differs = ~(np.abs(first - second) <= SAME_TO).all(axis=1)  # a NaN differs
    return int(differs.argmax()) if differs.any() else None


def place(game: Game[Any], observation: NDArray[np.float32]) -> str:
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
