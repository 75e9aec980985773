"""Looks at a game's rules in a few random games, for checks that must take no more than a moment."""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

from cardwar_envs.core.parameters import shown


def random_moves(game: Any, count: int) -> Iterator[tuple[Any, Sequence[Any]]]:
    """Yields `count` states of random games, the same in every call, each with the outcomes of one move.

    At the end of a game, no move has outcomes.
    """
    rng, outcomes = Random(0), game.initial()
    for _ in range(count):
        state = rng.choice(outcomes or game.initial()).state
        actions = {player: rng.choice(game.legal_actions(state, player)) for player in game.acting_players(state)}
        outcomes = game.transitions(state, actions) if actions else ()
        yield state, outcomes


class Shapes:
    """The types of the parts of some states, and the lengths of plain tuples in them.

    Parts are the entries of tuples, whose position does not count unless they are named, and the fields of dataclasses.
    """

    def __init__(self, states: Iterator[Any]) -> None:
        self._types: dict[str, set[type]] = defaultdict(set)
        self._lengths: dict[str, set[int]] = defaultdict(set)
        for state in states:
            for path, part in _parts("the state", state):
                self._types[path].add(type(part))
                if type(part) is tuple:
                    self._lengths[path].add(len(part))

    def require(self, state: Any) -> None:
        """Raises a ValueError for a part of a type, or a tuple of a length, that none of the states has.

        Tuples whose lengths vary among the states can have any length.
        """
        for path, part in _parts("the state", state):
            types, lengths = self._types.get(path), self._lengths.get(path, ())
            if types and type(part) not in types:
                allowed = " or ".join(sorted(each.__name__ for each in types))
                raise ValueError(f"state ({shown(state)}): {path} must be of type {allowed}, not {type(part).__name__}")
            if type(part) is tuple and len(lengths) == 1 and len(part) not in lengths:
                raise ValueError(f"state ({shown(state)}): {path} must have {min(lengths)} entries, not {len(part)}")


def _parts(path: str, value: Any) -> Iterator[tuple[str, Any]]:
    """Yields a value and its parts at every depth, each with its path."""
    yield path, value
    named = getattr(value, "_fields", ())
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        named = tuple(field.name for field in dataclasses.fields(value))
    for name in named:
        yield from _parts(f"{path}, {name}", getattr(value, name))
    for part in value if type(value) in (tuple, frozenset) else ():
        yield from _parts(f"{path}, entry", part)
