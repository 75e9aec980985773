"""Checks that the policies behind an exact figure are consistent: the same query always gets the same answer.

A figure is exact only if the policy is a function of its observation. A policy that samples its answers, counts its
queries or reads other rows of the batch has no exact figure. So after the computation a sample of the queries is
repeated, in another order and in smaller batches, and an inconsistent policy is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baselines.opponents.table import TablePolicy
from baselines.oracles.legal_part import IllegalMass, LegalPart, warn_of
from cardwar_envs.core.arrays import Masks, Observations, Probabilities
from cardwar_envs.core.game import Game
from cardwar_envs.core.parameters import one_of
from cardwar_envs.core.policy import IllegalProbabilityError, Policy, name_of

# At most and at least this many queries are repeated, in this many batches; few queries are repeated several times.
MOST_AGAIN, FEWEST_AGAIN, BATCHES = 256, 32, 8
# Single-precision answers vary by about this much with the batch size.
SAME_TO = 1e-5
# Probabilities shown of two long answers.
SHOWN = 4
SEED = 0
ILLEGAL = ("raise", "renormalise")

InvarianceCheck = Callable[[Sequence[Policy | None]], int]


class TwoAnswersError(ValueError):
    """A policy is inconsistent: it answered the same query in two ways."""


@dataclass(frozen=True)
class Asked:
    """How many policy queries an exact figure took, and how many were repeated to check consistency.

    Attributes:
        questions: Queries behind the figure, one per observation.
        again: Repeated queries; their answers agreed.
        claims: Answers compared to check invariances that a policy declares (`by_words`, `stationary`); they agreed.
    """

    questions: int
    again: int
    claims: int = 0


NOT_ASKED = Asked(0, 0)


class RecordingPolicy:
    """Wraps a policy and records a uniform sample of its queries and answers."""

    def __init__(self, policy: Policy) -> None:
        """Wraps `policy`; other attributes are those of `policy`."""
        self.stands_for, self.questions = policy, 0
        self._rng = np.random.default_rng(SEED)
        # The rows with the lowest lots are kept, so every query is equally likely to be kept.
        self._lots: NDArray[np.float64] | None = None
        self._kept: list[NDArray[Any]] = []  # observations, masks and answers

    def __getattr__(self, name: str) -> Any:
        if name == "stands_for":  # not set yet while copying
            raise AttributeError(name)
        return getattr(self.stands_for, name)

    def __repr__(self) -> str:
        return repr(self.stands_for)

    def action_probabilities(self, observations: Observations, action_masks: Masks) -> Probabilities:
        """The policy's answer, unchanged."""
        lots = self._rng.random(len(observations))
        enough = self._lots is not None and len(self._lots) == MOST_AGAIN
        rows = np.flatnonzero(lots < self._lots.max()) if self._lots is not None and enough else np.arange(len(lots))
        if len(rows) > MOST_AGAIN:
            rows = rows[np.argpartition(lots[rows], MOST_AGAIN)[:MOST_AGAIN]]
        shown = observations[rows], action_masks[rows]  # copies; the policy may write into its arguments
        answer = self.stands_for.action_probabilities(observations, action_masks)
        self.questions += len(observations)
        kept = _rows_of(answer, action_masks.shape, rows)
        if kept is not None and len(rows):  # the caller refuses malformed answers
            self._keep(lots[rows], [*shown, kept])
        return answer

    def _keep(self, lots: NDArray[np.float64], rows: list[NDArray[Any]]) -> None:
        if self._lots is not None:
            lots = np.concatenate([self._lots, lots])
            rows = [np.concatenate(both) for both in zip(self._kept, rows, strict=True)]
        if len(lots) > MOST_AGAIN:
            lowest = np.argpartition(lots, MOST_AGAIN)[:MOST_AGAIN]
            lots, rows = lots[lowest], [each[lowest] for each in rows]
        self._lots, self._kept = lots, rows

    def repeat_queries(self, game: Game[Any]) -> int:
        """Repeats the recorded queries and returns their number.

        Raises:
            TwoAnswersError: If an answer differs; the error names the state and both answers.
        """
        if self._lots is None:
            return 0
        observations, masks, answers = self._kept
        order = np.resize(self._rng.permutation(len(answers)), max(len(answers), FEWEST_AGAIN))
        for rows in np.array_split(order, BATCHES):
            second = self.stands_for.action_probabilities(observations[rows], masks[rows])
            numbers = _rows_of(second, masks[rows].shape, np.arange(len(rows)))
            if numbers is None:
                raise TwoAnswersError(f"{self._named()}: asked again, it answered {second!r}, no array as before")
            differs = ~(np.abs(numbers - answers[rows]) <= SAME_TO).all(axis=1)  # a NaN differs
            if differs.any():
                row = int(differs.argmax())
                raise TwoAnswersError(
                    f"{self._named()}: two answers to one question, at {place(game, observations[rows[row]])}: "
                    f"{difference(answers[rows[row]], numbers[row])}; "
                    "an exact figure needs a policy that is a function of its observation"
                )
        return len(order)

    def _named(self) -> str:
        return f"policy {name_of(self)}"


class RecordingPolicies:
    """The policies queried for one exact figure.

    Attributes:
        seats: One `RecordingPolicy` per seat; seats that share a policy share it.
    """

    def __init__(self, game: Game[Any], policies: Sequence[Policy]) -> None:
        self._game = game
        self._all = {id(policy): RecordingPolicy(policy) for policy in policies}
        self.seats: list[Policy] = [self._all[id(policy)] for policy in policies]

    def repeat_queries(self, compared: int = 0) -> Asked:
        """Repeats the recorded queries of all policies; `compared` counts the answers of the invariance checks.

        Raises:
            TwoAnswersError: If a policy is inconsistent.
        """
        again = sum(each.repeat_queries(self._game) for each in self._all.values())
        return Asked(sum(each.questions for each in self._all.values()), again, compared)

    def is_consistent(self) -> bool:
        """Whether all policies give the same answers to repeated queries."""
        try:
            self.repeat_queries()
        except TwoAnswersError:
            return False
        return True


class Profile:
    """The policies that an oracle queries, and the results of the checks.

    Attributes:
        policies: One per seat, for the oracle.
        removed: With "renormalise", the probability removed from illegal actions; else None. Set on leaving.
        asked: Counts of queries. Set on leaving.
    """

    def __init__(self, policies: Sequence[Policy]) -> None:
        self.policies = policies
        self.removed: IllegalMass | None = None
        self.asked: Asked = NOT_ASKED


@contextmanager
def consistent(
    game: Game[Any],
    check_invariances: InvarianceCheck,
    policies: Sequence[Policy],
    illegal: str = "raise",
    responder: int | None = None,
) -> Iterator[Profile]:
    """Wraps policies for an oracle: checks declared invariances on entry, and consistency on leaving.

    Args:
        game: The game.
        check_invariances: The oracle's method of that name.
        policies: One per seat.
        illegal: "raise" or "renormalise" (remove the probability of illegal actions and warn).
        responder: A seat whose policy is not queried, if any.

    Raises:
        ValueError: If `illegal` is unknown, a declared invariance fails, or a table knows no queried observation.
        TwoAnswersError: If a policy is inconsistent.
        IllegalProbabilityError: If a policy gives probability to an illegal action under "raise", or to illegal actions
            only.
    """
    one_of("illegal", illegal, ILLEGAL)
    tables = [policy for policy in policies if isinstance(policy, TablePolicy)]
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
        warn_of(profile.removed)


def _removed(parts: Sequence[LegalPart]) -> IllegalMass:
    rows = max(1, sum(part.rows for part in parts))
    return IllegalMass(max(part.most for part in parts), sum(part.removed for part in parts) / rows)


def place(game: Game[Any], observation: NDArray[np.float32]) -> str:
    """The state behind an observation and its observer, or the observation itself if the state is not public."""
    try:
        state, player = game.state_of(observation)
    except ValueError:
        return f"observation {observation.tolist()}"
    return f"{state!r} as player_{player} sees it"


def difference(first: NDArray[np.float64], second: NDArray[np.float64]) -> str:
    """Both answers at the actions where they differ most."""
    apart = np.abs(first - second)
    actions = [action for action in np.argsort(-apart, kind="stable")[:SHOWN] if not apart[action] <= SAME_TO]
    one, other = (
        ", ".join(f"action {action} {answer[action]:.6g}" for action in sorted(actions)) for answer in (first, second)
    )
    return f"first {one}; then {other}"


def _rows_of(answer: Any, shape: tuple[int, ...], rows: NDArray[np.intp]) -> NDArray[np.float64] | None:
    """A copy of some rows of an answer; None unless it is a numeric array of that shape."""
    try:
        numbers = np.asarray(answer)
    except (TypeError, ValueError, RuntimeError):  # the last is torch's
        return None
    return numbers[rows].astype(np.float64) if numbers.shape == shape and numbers.dtype.kind in "fiub" else None
