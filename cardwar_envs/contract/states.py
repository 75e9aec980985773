"""Checks of states: immutable values, for which rules repeat their results; `check` rejects other data."""

from __future__ import annotations

import copy
import dataclasses
from collections import defaultdict, deque
from collections.abc import Callable, Iterator
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from cardwar_envs.contract.case import Case
from cardwar_envs.contract.games import COPIES
from cardwar_envs.contract.verdicts import Failed, in_a_line, querying, short, where
from cardwar_envs.contract.walk import Node
from cardwar_envs.core.cached import slots_of

FIXED = (int, float, complex, str, bytes, type(None), Fraction, Decimal, Enum, range, np.generic)


CHANGING = (list, dict, set, bytearray, np.ndarray, deque)


REPEATED = 500


def states_are_values(case: Case) -> None:
    """States are hashable, immutable and equal to their copies, and equal states have the same rules."""
    if case.unhashable:
        raise Failed(case.unhashable)
    for node in case.nodes:
        if part := changing_part(node.state):
            raise Failed(f"{where(node.state)}: {part} can be changed")
    for node in case.some(REPEATED):
        for words, copied in COPIES.items():
            with querying(f"making it {words}", node.state):
                twin = copied(node.state)
                same = twin == node.state and hash(twin) == hash(node.state) and type(twin) is type(node.state)
            if not same:
                raise Failed(f"{where(node.state)}: {words}, it differs from the original, or its hash or type does")
    for one, other in case.twins:
        if _answers(case, one) != _answers(case, other):
            raise Failed(f"{where(one)} and {where(other)} count as equal, but the rules treat them differently")


def changing_part(value: Any, path: str = "the state") -> str:
    """The path of a mutable part of a value; "" if there is none."""
    if isinstance(value, FIXED):
        return ""
    if isinstance(value, CHANGING):
        return f"{path}, a {type(value).__name__},"
    if isinstance(value, tuple | frozenset):
        names = getattr(value, "_fields", None) or [f"[{i}]" for i in range(len(value))]
        parts = zip(names, value, strict=True)
        return next((found for name, part in parts if (found := changing_part(part, f"{path}, {name}"))), "")
    for name in (*getattr(value, "__dict__", ()), *slots_of(value)):
        part = getattr(value, name)
        try:
            setattr(value, name, part)
        except (AttributeError, TypeError):  # raised by frozen dataclasses
            if found := changing_part(part, f"{path}, {name}"):
                return found
        else:
            return f"{path}, {name}"
    return ""


def answers_repeat(case: Case) -> None:
    """Repeated calls of a rule return the same result and change neither the state nor the actions."""
    game = case.game
    if tuple(game.initial()) != case.starts:
        raise Failed("initial returns different starts when called again")
    for node in case.some(REPEATED):
        before = copy.deepcopy(node.state)
        first, second = _answers(case, node.state), _answers(case, node.state)
        for question, answer in first.items():
            if answer != second[question]:
                found = f"first {short(answer)}, then {short(second[question])}"
                raise Failed(f"{where(node.state)}: {question} returns {found}")
        if not case.unhashable and node.state != before:
            raise Failed(f"calling the rules changed state {short(before)} to {short(node.state)}")
        _require_moves_again(case, node, before)


def _require_moves_again(case: Case, node: Node, before: Any) -> None:
    for actions, outcomes in node.moves.items():
        chosen = node.chosen(actions)
        again = tuple(case.game.transitions(node.state, chosen))
        fault = ""
        if again != outcomes and repr(again) != repr(outcomes):  # NaN payments are not equal to themselves
            fault = f"transitions are first {short(outcomes)}, then {short(again)}"
        elif chosen != node.chosen(actions):
            fault = f"transitions changes the dict of actions to {chosen}"
        elif node.state != before:
            fault = f"transitions changes the state to {short(node.state)}"
        if fault:
            raise Failed(f"{where(before, actions=node.chosen(actions))}: {fault}")


def _answers(case: Case, state: Any) -> dict[str, Any]:
    """What the rules return for a state, except its transitions; for an error, its type."""
    game = case.game
    questions: dict[str, Callable[[], Any]] = {
        "acting_players": lambda: tuple(game.acting_players(state)),
        "live_players": lambda: tuple(game.live_players(state)),
        "settled": lambda: game.settled(state),
        "canonical": lambda: game.canonical(state),
        "describe": lambda: game.describe(state),
        "facts": lambda: game.facts,
    }
    for player in game.live_players(state):
        questions[f"legal_actions of player_{player}"] = partial(game.legal_actions, state, player)
        questions[f"canonical_actions of player_{player}"] = partial(game.canonical_actions, state, player)
    for player in range(case.facts.num_players):
        questions[f"observation of player_{player}"] = partial(game.observation, state, player)
    return {question: _answer(ask) for question, ask in questions.items()}


def _answer(ask: Callable[[], Any]) -> Any:
    try:
        answer = ask()
    except Exception as error:
        return type(error).__name__
    return answer.tolist() if isinstance(answer, np.ndarray) else answer


Rebuild = Callable[[Any], Any]

CHANGED = 24  # states whose parts are replaced
DEEPEST = 3


class NoState:
    """A value that is not a state of any game."""

    def __repr__(self) -> str:
        return "NoState()"


MALFORMED: tuple[Any, ...] = (None, "no state", 0.5, (), [], {}, NoState())


def check_takes_states(case: Case) -> None:
    """Every reachable state passes `check`."""
    for node in case.nodes:
        case.query("check", node.state)


def check_refuses_junk(case: Case) -> None:
    """`check` raises ValueError for other types, and for states in which a part has the wrong type.

    The default of `check` does this. It may accept values that no state has.
    """
    seen: dict[str, set[type]] = defaultdict(set)
    for node in case.nodes:
        for path, part, _ in _parts(node.state):
            seen[path].add(type(part))
    for node in case.some(CHANGED):
        for path, _, rebuild in _parts(node.state):
            for malformed in MALFORMED:
                if type(malformed) not in seen[path]:
                    _require_refused(case, partial(rebuild, malformed))


def _require_refused(case: Case, make: Callable[[], Any]) -> None:
    try:
        malformed = make()
    except Exception:  # the state cannot even be constructed
        return
    try:
        case.game.check(malformed)
    except ValueError:
        return
    except Exception as error:
        raise Failed(f"check raises {in_a_line(error)} for {short(malformed)}; it must raise ValueError") from error
    raise Failed(f"check accepts {short(malformed)}, which is not a state")


def _parts(value: Any, path: str = "", depth: int = DEEPEST) -> Iterator[tuple[str, Any, Rebuild]]:
    """Yields a state and each of its parts, with its path and a function that returns the state with another part."""
    yield path, value, lambda other: other
    for name, at, part in _own_parts(value) if depth else ():
        for inner_path, inner, inside in _parts(part, f"{path}.{name}", depth - 1):
            yield inner_path, inner, partial(_inside, value, at, inside)


def _own_parts(value: Any) -> Iterator[tuple[str, str | int, Any]]:
    """Yields the name, key and value of each field, or of a tuple's first and last entry."""
    if type(value) is tuple and value:
        yield from (("item", i, value[i]) for i in {0, len(value) - 1})
        return
    names = getattr(value, "_fields", ())
    if not names and dataclasses.is_dataclass(value) and not isinstance(value, type):
        names = [field.name for field in dataclasses.fields(value) if field.init]
    yield from ((name, name, getattr(value, name)) for name in names)


def _with_part(value: Any, at: Any, other: Any) -> Any:
    if type(value) is tuple:
        return (*value[:at], other, *value[at + 1 :])
    return value._replace(**{at: other}) if hasattr(value, "_fields") else dataclasses.replace(value, **{at: other})


def _inside(value: Any, at: Any, inside: Rebuild, other: Any) -> Any:
    return _with_part(value, at, inside(other))
