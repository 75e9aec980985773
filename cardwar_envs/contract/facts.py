"""Checks of a game's facts."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Any, get_args

from cardwar_envs.contract.answers import short
from cardwar_envs.contract.case import Case
from cardwar_envs.contract.verdicts import Failed
from cardwar_envs.core.game import Chance, Game, GameFacts

NAME = re.compile(r"[a-z][a-z0-9_]*")
COUNTS = {"version": 0, "num_players": 1, "num_actions": 1, "max_length": 1}
YES_OR_NO = ("zero_sum", "seat_symmetric", "public_state", "everyone_acts")


def facts_are_well_formed(case: Case) -> None:
    """Name and version equal those of the class, counts are integers, and bounds are finite and in order."""
    for fault in _faults(case.game):
        raise Failed(fault)


def _faults(game: Game[Any]) -> Iterator[str]:
    facts = game.facts
    if not isinstance(facts, GameFacts):
        yield f"facts are {short(facts)}, not GameFacts"
        return
    # The name of another library's game follows a colon.
    name = facts.name.partition(":")[0] if isinstance(facts.name, str) else facts.name
    for what, declared in (("name", name), ("version", facts.version)):
        of_class = getattr(type(game), what, None)
        if declared != of_class:
            yield f"{what} is {declared!r} in the facts, but {of_class!r} in the class"
    if not isinstance(name, str) or not NAME.fullmatch(name):
        yield f"name {facts.name!r} must be lower-case letters, digits and underscores"
    for what, least in COUNTS.items():
        if not _is_whole(getattr(facts, what), least):
            yield f"{what} ({getattr(facts, what)!r}) must be a whole number, at least {least}"
    for what in YES_OR_NO:
        if not isinstance(getattr(facts, what), bool):
            yield f"{what} ({getattr(facts, what)!r}) must be True or False"
    yield from _bound_faults(facts.observation_low, facts.observation_high)
    yield from _limit_faults(facts)


def _limit_faults(facts: GameFacts) -> Iterator[str]:
    if facts.chance not in get_args(Chance):
        yield f"chance ({facts.chance!r}) must be one of {', '.join(map(repr, get_args(Chance)))}"
    if facts.max_rounds is not None and not (_is_whole(facts.max_rounds, 1) and facts.max_rounds <= facts.max_length):
        yield f"max_rounds ({facts.max_rounds!r}) must be None or in 1..max_length, which is {facts.max_length}"
    if not (_is_finite(facts.min_payoff, facts.max_payoff) and facts.min_payoff <= facts.max_payoff):
        yield f"payoffs in {facts.min_payoff!r}..{facts.max_payoff!r} must be finite, the lower bound first"


def _bound_faults(low: Any, high: Any) -> Iterator[str]:
    if not isinstance(low, tuple) or not isinstance(high, tuple) or len(low) != len(high) or not low:
        yield "observation_low and observation_high must be tuples with a number for each entry of an observation"
        return
    for entry, (least, most) in enumerate(zip(low, high, strict=True)):
        if not (_is_finite(least, most) and least <= most):
            yield f"entry {entry} of an observation: {least!r}..{most!r} must be finite, the lower bound first"


def _is_whole(number: Any, least: int) -> bool:
    return isinstance(number, int) and not isinstance(number, bool) and number >= least


def _is_finite(*numbers: Any) -> bool:
    return all(isinstance(number, int | float) and math.isfinite(number) for number in numbers)
