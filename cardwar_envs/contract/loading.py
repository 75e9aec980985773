"""The game that a word names, for the command and the pytest plugin."""

from __future__ import annotations

import dataclasses
import importlib
from collections.abc import Iterable
from typing import Any

from cardwar_envs.conformance.subject import parameters_of, quiet
from cardwar_envs.core.game import Game
from cardwar_envs.games import GAMES


def game_class(word: str) -> type[Game[Any]] | None:
    """The class that a word names: a game of the suite, or `module:Class`; None if that is no class of games."""
    if word in GAMES:
        return GAMES[word]
    module, _, path = word.partition(":")
    try:
        with quiet():
            found: Any = importlib.import_module(module) if path else None
    except Exception:
        return None  # it may be an environment, whose loader says what is wrong
    for part in filter(None, path.split(".")):
        found = getattr(found, part, None)
    return found if isinstance(found, type) and issubclass(found, Game) else None


def load_game(word: str, words: Iterable[str] = ()) -> Game[Any]:
    """The game of that name.

    Args:
        word: A game of the suite (`jujitsu`), or `module:Class`.
        words: Its parameters, `KEY=VALUE`; values that are Python literals are read as such.

    Raises:
        ValueError: If there is no such game, or it cannot be made with these parameters.
    """
    kind, parameters = game_class(word), parameters_of(words)
    if kind is None:
        raise ValueError(f"{word}: no game of the suite ({', '.join(GAMES)}), and no module:Class of a game")
    fields: tuple[Any, ...] = dataclasses.fields(kind) if dataclasses.is_dataclass(kind) else ()
    known = [field.name for field in fields]
    for name in parameters:
        if name not in known:
            raise ValueError(f"{word} has no parameter {name!r}; it has {', '.join(known)}")
    try:
        return kind(**parameters)
    except TypeError as error:
        raise ValueError(f"{word}: cannot be made: {error}") from error
