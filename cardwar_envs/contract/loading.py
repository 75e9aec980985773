"""The game that a word names, for the command and the pytest plugin."""

from __future__ import annotations

import importlib
from collections.abc import Iterable
from typing import Any

from cardwar_envs.conformance.subject import parameters_of, quiet
from cardwar_envs.core.game import Game
from cardwar_envs.games.by_name import GAMES, append_working_folder, installed_games, make_game


def is_game(word: str) -> bool:
    """Whether a word names a game, as `make_game` finds it, and not an environment."""
    if word in GAMES or word in installed_games():
        return True
    module, _, path = word.partition(":")
    append_working_folder()
    try:
        with quiet():
            found: Any = importlib.import_module(module) if path else None
    except Exception:
        return False  # it may be an environment, whose loader says what is wrong
    for part in filter(None, path.split(".")):
        found = getattr(found, part, None)
    return isinstance(found, type) and issubclass(found, Game)


def load_game(word: str, words: Iterable[str] = ()) -> Game[Any]:
    """The game of that name.

    Args:
        word: A name as `make_game` takes it.
        words: Its parameters, `KEY=VALUE`; values that are Python literals are read as such.

    Raises:
        ValueError: If there is no such game, or it cannot be made with these parameters.
    """
    return make_game(word, **parameters_of(words))
