"""Checks of states: they are immutable values, and the rules are deterministic functions of them."""

from __future__ import annotations

import copy
import pickle
from collections import deque
from collections.abc import Callable
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from cardwar_envs.conformance.verdicts import Failed
from cardwar_envs.contract.answers import Node
from cardwar_envs.contract.case import Case
from cardwar_envs.contract.places import asking, place, short

FIXED = (int, float, complex, str, bytes, type(None), Fraction, Decimal, Enum, range, np.generic)
CHANGING = (list, dict, set, bytearray, np.ndarray, deque)
ASKED_AGAIN = 500
COPIES: dict[str, Callable[[Any], Any]] = {
    "pickled": lambda state: pickle.loads(pickle.dumps(state)),
    "copied": copy.copy,
    "copied in depth": copy.deepcopy,
}


def states_are_values(case: Case) -> None:
    """States are hashable and immutable, copies are equal to them, and equal states play alike."""
    if case.walk.unhashable:
        raise Failed(case.walk.unhashable)
    for node in case.nodes:
        if part := changing_part(node.state):
            raise Failed(f"{place(node.state)}: {part} can be changed")
    for node in case.some(ASKED_AGAIN):
        for words, copied in COPIES.items():
            with asking(f"making it {words}", node.state):
                twin = copied(node.state)
                same = twin == node.state and hash(twin) == hash(node.state) and type(twin) is type(node.state)
            if not same:
                raise Failed(f"{place(node.state)}: {words} it is not equal to itself, or has another hash or type")
    for one, other in case.walk.twins:
        if _answers(case, one) != _answers(case, other):
            raise Failed(f"{place(one)} and {place(other)} count as equal, but the rules tell them apart")


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
    for name in _attributes(value):
        part = getattr(value, name)
        try:
            setattr(value, name, part)
        except (AttributeError, TypeError):  # raised by frozen dataclasses
            if found := changing_part(part, f"{path}, {name}"):
                return found
        else:
            return f"{path}, {name}"
    return ""


def _attributes(value: Any) -> list[str]:
    slots = [name for base in type(value).__mro__ for name in np.atleast_1d(vars(base).get("__slots__", ()))]
    return [*getattr(value, "__dict__", ()), *(name for name in slots if hasattr(value, name))]


def answers_repeat(case: Case) -> None:
    """Repeated queries have the same answer, and change neither the state nor the actions."""
    game = case.game
    if tuple(game.initial()) != case.walk.starts:
        raise Failed("initial gives other starts when it is asked again")
    for node in case.some(ASKED_AGAIN):
        before = copy.deepcopy(node.state)
        first, second = _answers(case, node.state), _answers(case, node.state)
        for question, answer in first.items():
            if answer != second[question]:
                found = f"first {short(answer)}, then {short(second[question])}"
                raise Failed(f"{place(node.state)}: {question} answers {found}")
        if not case.walk.unhashable and node.state != before:
            raise Failed(f"state {short(before)} has become {short(node.state)} by asking the rules about it")
        _require_moves_again(case, node, before)


def _require_moves_again(case: Case, node: Node, before: Any) -> None:
    for actions, outcomes in node.moves.items():
        chosen = node.chosen(actions)
        again = tuple(case.game.transitions(node.state, chosen))
        fault = ""
        if again != outcomes and repr(again) != repr(outcomes):  # NaN payments are not equal to themselves
            fault = f"transitions are first {short(outcomes)}, then {short(again)}"
        elif chosen != node.chosen(actions):
            fault = f"transitions changes the actions that it is given, to {chosen}"
        elif node.state != before:
            fault = f"transitions changes the state, to {short(node.state)}"
        if fault:
            raise Failed(f"{place(before, actions=node.chosen(actions))}: {fault}")


def _answers(case: Case, state: Any) -> dict[str, Any]:
    """The rules' answers at a state, except its moves; other checks report errors."""
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
