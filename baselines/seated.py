"""The policies that an exact figure is about, as oracles ask them: their legal part, watched, and asked again."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from baselines.asking import NOT_ASKED, Asked, Witnesses
from baselines.illegal import LegalPart
from baselines.oracle import Oracle
from baselines.results import IllegalMass
from baselines.strategies.table import refusing_strangers
from cardwar_envs.core.game import Game
from cardwar_envs.core.parameters import one_of
from cardwar_envs.core.policy import IllegalProbabilityError, Policy

ILLEGAL = ("raise", "renormalise")


class Seated:
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
    oracle: Oracle,
    policies: Sequence[Policy],
    illegal: str = "raise",
    responder: int | None = None,
) -> Iterator[Seated]:
    """The policies to ask an oracle about.

    At the end they are asked again, and a warning says how much probability was removed, if any was.

    Args:
        game: The game.
        oracle: The oracle that will ask.
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
    parts = {id(policy): LegalPart(policy) for policy in policies} if illegal == "renormalise" else {}
    plain: list[Policy] = [parts.get(id(policy), policy) for policy in policies]
    witnesses = Witnesses(game, plain)
    seats = Seated(witnesses.seats)
    try:
        with refusing_strangers(policies):
            claims = oracle.claims([None if seat == responder else policy for seat, policy in enumerate(plain)])
            yield seats
        if parts:
            seats.removed = _removed(list(parts.values()))
        seats.asked = witnesses.ask_again(claims)
    except IllegalProbabilityError as error:
        hint = "" if illegal == "renormalise" else '; illegal="renormalise" measures its legal part'
        raise IllegalProbabilityError(f"{error}{hint}") from None
    if seats.removed is not None and seats.removed.any:
        warnings.warn(
            f"this is not the exact figure of the policy as it was given: illegal actions had {seats.removed}. "
            "That was removed, and the rest renormalised",
            stacklevel=4,  # the caller of the public function
        )


def _removed(parts: Sequence[LegalPart]) -> IllegalMass:
    rows = max(1, sum(part.rows for part in parts))
    return IllegalMass(max(part.most for part in parts), sum(part.removed for part in parts) / rows)
