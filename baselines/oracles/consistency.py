"""Asking policies for exact figures: the same question must always get the same answer.

A figure can be exact only if a policy is a function of what it sees. A policy that draws its answers, counts its
questions, or looks at the other rows of a batch has no exact figure. So a sample of the questions is asked again when
the figure has been worked out, in another order and in smaller batches. A policy that answers differently is refused.
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

# Of the questions that a policy was asked so many are asked again, in so many batches. Where there were fewer than the
# second number, they are asked again several times.
MOST_AGAIN, FEWEST_AGAIN, BATCHES = 256, 32, 8
# Answers in single precision differ by about this much with the size of a batch.
SAME_TO = 1e-5
# Of two long answers so many probabilities are shown.
SHOWN = 4
SEED = 0
ILLEGAL = ("raise", "renormalise")

Claims = Callable[[Sequence[Policy | None]], int]


class TwoAnswersError(ValueError):
    """A policy has answered one question in two ways."""


@dataclass(frozen=True)
class Asked:
    """How often policies were asked for an exact figure, and how often it was tried whether they answer alike.

    Attributes:
        questions: Answers that the figure was worked out from, one for each observation.
        again: Answers to a sample of the same questions, asked a second time. They were the same.
        claims: Answers that were compared because a policy says of itself that it plays alike in other situations
            (`by_words`, `stationary`). They were alike.
    """

    questions: int
    again: int
    claims: int = 0


NOT_ASKED = Asked(0, 0)


class RecordingPolicy:
    """A policy that remembers a sample of its answers."""

    def __init__(self, policy: Policy) -> None:
        """Takes the policy that it stands for; what that one says of itself is true of the witness."""
        self.stands_for, self.questions = policy, 0
        self._rng = np.random.default_rng(SEED)
        # The rows with the lowest lots are kept, so each question is as likely as every other.
        self._lots: NDArray[np.float64] | None = None
        self._kept: list[NDArray[Any]] = []  # observations, masks and answers

    def __getattr__(self, name: str) -> Any:
        if name == "stands_for":  # a copy that is being made has none yet
            raise AttributeError(name)
        return getattr(self.stands_for, name)

    def __repr__(self) -> str:
        return repr(self.stands_for)

    def action_probabilities(self, observations: Observations, action_masks: Masks) -> Probabilities:
        """The policy's answer, as it is."""
        lots = self._rng.random(len(observations))
        enough = self._lots is not None and len(self._lots) == MOST_AGAIN
        rows = np.flatnonzero(lots < self._lots.max()) if self._lots is not None and enough else np.arange(len(lots))
        if len(rows) > MOST_AGAIN:
            rows = rows[np.argpartition(lots[rows], MOST_AGAIN)[:MOST_AGAIN]]
        shown = observations[rows], action_masks[rows]  # copies; the policy may write into what it gets
        answer = self.stands_for.action_probabilities(observations, action_masks)
        self.questions += len(observations)
        kept = _rows_of(answer, action_masks.shape, rows)
        if kept is not None and len(rows):  # what is no answer is refused by whoever asks
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

    def ask_again(self, game: Game[Any]) -> int:
        """Asks the sample again; returns how many questions that were.

        Raises:
            TwoAnswersError: If an answer is another one than before; it names the state and both answers.
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
                    "an exact figure needs a policy that always answers a question alike"
                )
        return len(order)

    def _named(self) -> str:
        return f"policy {name_of(self)}"


class RecordingPolicies:
    """The policies that are asked for one exact figure.

    Attributes:
        seats: One witness for each seat; seats that share a policy share it.
    """

    def __init__(self, game: Game[Any], policies: Sequence[Policy]) -> None:
        self._game = game
        self._all = {id(policy): RecordingPolicy(policy) for policy in policies}
        self.seats: list[Policy] = [self._all[id(policy)] for policy in policies]

    def ask_again(self, claims: int = 0) -> Asked:
        """Asks all of them again, when the figure has been worked out.

        Args:
            claims: How many answers have been compared because of what the policies say of themselves.

        Raises:
            TwoAnswersError: If one of them answers differently.
        """
        again = sum(witness.ask_again(self._game) for witness in self._all.values())
        return Asked(sum(witness.questions for witness in self._all.values()), again, claims)

    def answer_alike(self) -> bool:
        """Whether all of them, asked again, answer as before."""
        try:
            self.ask_again()
        except TwoAnswersError:
            return False
        return True


class Profile:
    """The policies that an oracle is asked about, and what was learned about them on the way.

    Attributes:
        policies: One per seat, for the oracle.
        removed: With "renormalise", what the policies had given to illegal actions; else None. Known at the end.
        asked: How often they were asked. Known at the end.
    """

    def __init__(self, policies: Sequence[Policy]) -> None:
        self.policies = policies
        self.removed: IllegalMass | None = None
        self.asked: Asked = NOT_ASKED


@contextmanager
def seated(
    game: Game[Any],
    claims: Claims,
    policies: Sequence[Policy],
    illegal: str = "raise",
    responder: int | None = None,
) -> Iterator[Profile]:
    """The policies to ask an oracle about.

    At the end they are asked again, and a warning says how much probability was removed, if any was.

    Args:
        game: The game.
        claims: Holds policies to what they say of themselves, `None` for a seat that is not asked, and returns how
            many answers it compared: `Oracle.claims` of the oracle that will ask.
        policies: One per seat.
        illegal: What to do about illegal actions: "raise" or "renormalise".
        responder: A seat whose policy is not asked, if there is one.

    Raises:
        ValueError: If `illegal` is something else, or a table knows none of the observations that are asked for.
        TwoAnswersError: If a policy gives two answers to one question.
        IllegalProbabilityError: If a policy gives probability to an illegal action and that is not to be removed, or
            gives it to illegal actions only.
    """
    one_of("illegal", illegal, ILLEGAL)
    tables = [policy for policy in policies if isinstance(policy, TablePolicy)]
    parts = {id(policy): LegalPart(policy) for policy in policies} if illegal == "renormalise" else {}
    plain: list[Policy] = [parts.get(id(policy), policy) for policy in policies]
    witnesses = RecordingPolicies(game, plain)
    seats = Profile(witnesses.seats)
    try:
        compared = claims([None if seat == responder else policy for seat, policy in enumerate(plain)])
        for table in tables:
            table.count_anew()
        yield seats
        for table in tables:
            table.require_known()
        if parts:
            seats.removed = _removed(list(parts.values()))
        seats.asked = witnesses.ask_again(compared)
    except IllegalProbabilityError as error:
        hint = "" if illegal == "renormalise" else '; illegal="renormalise" measures its legal part'
        raise IllegalProbabilityError(f"{error}{hint}") from None
    if seats.removed is not None and seats.removed.any:
        warn_of(seats.removed)


def _removed(parts: Sequence[LegalPart]) -> IllegalMass:
    rows = max(1, sum(part.rows for part in parts))
    return IllegalMass(max(part.most for part in parts), sum(part.removed for part in parts) / rows)


def place(game: Game[Any], observation: NDArray[np.float32]) -> str:
    """The state that an observation shows, and who sees it; the observation if it shows no state."""
    try:
        state, player = game.state_of(observation)
    except ValueError:
        return f"observation {observation.tolist()}"
    return f"{state!r} as player_{player} sees it"


def difference(first: NDArray[np.float64], second: NDArray[np.float64]) -> str:
    """Both answers where they differ most, action by action."""
    apart = np.abs(first - second)
    actions = [action for action in np.argsort(-apart, kind="stable")[:SHOWN] if not apart[action] <= SAME_TO]
    one, other = (
        ", ".join(f"action {action} {answer[action]:.6g}" for action in sorted(actions)) for answer in (first, second)
    )
    return f"first {one}; then {other}"


def _rows_of(answer: Any, shape: tuple[int, ...], rows: NDArray[np.intp]) -> NDArray[np.float64] | None:
    """Some rows of an answer, in an array of their own; None if it is no array of numbers of that shape."""
    try:
        numbers = np.asarray(answer)
    except (TypeError, ValueError, RuntimeError):  # the last is torch's
        return None
    return numbers[rows].astype(np.float64) if numbers.shape == shape and numbers.dtype.kind in "fiub" else None
