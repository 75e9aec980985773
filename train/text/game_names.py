"""Games from their names and parameters as text, and the text that makes a game again."""

from __future__ import annotations

import dataclasses
import json
import re
import shlex
from collections.abc import Iterable, Mapping
from itertools import chain, combinations
from typing import Any

from cardwar_envs import Game, make_game
from cardwar_envs.core.texts import counted
from cardwar_envs.games.by_name import GAMES, game_class, parameters_in, spelled_name
from train.text.parsing import fields_from, only_parameters

# Maximum length of a displayed list.
MOST_ITEMS = 5
# What `shlex.split` would not keep in a word.
QUOTED = re.compile(r"[\s'\"\\]")


def game_from(name: str, parameters: Mapping[str, str]) -> Game[Any]:
    """Makes a game from its name and its parameters as strings.

    Raises:
        ValueError: If the game or a parameter is unknown.
    """
    return make_game(name, **fields_from(game_class(name), parameters, name))


def game_with_players(name: str, parameters: Mapping[str, str], num_players: int) -> Game[Any]:
    """Like `game_from`; sets `num_players` if the game has this parameter and `parameters` omits it."""
    fields = dataclasses.fields(game_class(name))  # type: ignore[arg-type]  # games are dataclasses
    open_number = "num_players" in {field.name for field in fields}
    return game_from(name, {"num_players": str(num_players), **parameters} if open_number else parameters)


def game_from_words(name: str, words: Iterable[str], hint: str = "") -> Game[Any]:
    """Like `game_from`, from `KEY=VALUE` arguments; errors as in `only_parameters`."""
    return game_from(name, only_parameters(words, hint))


def stored_game(title: str) -> Game[Any] | None:
    """The game that a file describes as `game_in_words` does; None if it is not in the suite: nothing is imported."""
    try:
        name, *words = title_words(title) or [""]
        return game_from_words(name, words) if name in GAMES else None
    except ValueError:
        return None


def is_stored(game: Game[Any], name: object, parameters: object) -> bool:
    """Whether a file with this name and these parameters is about the game; one with a checksum may have moved."""
    own = json_parameters(game)
    if game.checksum and isinstance(name, str) and isinstance(parameters, dict):
        kinds = {each.partition(":")[0] for each in (name, game.facts.name)}
        return len(kinds) == 1 and parameters.get(game.checksum) == own[game.checksum]
    return (name, parameters) == (game.facts.name, own)


def title_words(title: str) -> list[str]:
    """The words of a text that `game_in_words` returned; any other text, as a file may hold, is split at spaces."""
    try:
        return shlex.split(title)
    except ValueError:  # its quotes do not match
        return title.split()


def game_in_words(game: Game[Any]) -> str:
    """The game's name and the fewest parameters that reproduce it, e.g. `jujitsu num_cards=5`.

    A user's own game has the name that imports it, e.g. `undercut:Undercut rounds=2`. Words with spaces, such as the
    names of files, are quoted as for the shell.
    """
    given = fewest_parameters(game).items()
    words = [spelled_name(game), *(f"{name}={_as_word(value)}" for name, value in given)]
    return " ".join(shlex.quote(word) if QUOTED.search(word) else word for word in words)


def fewest_parameters(game: Game[Any]) -> dict[str, Any]:
    """The fewest parameters that make the game, beside its name."""
    named = parameters_in(game.facts.name)
    parameters = {name: value for name, value in game.parameters().items() if name not in named}
    subsets = chain.from_iterable(combinations(parameters, size) for size in range(len(parameters)))
    given = next((names for names in subsets if _suffice(game, names)), tuple(parameters))
    return {name: parameters[name] for name in given}


def parameters_in_words(game: Game[Any], parameters: Mapping[str, object]) -> str:
    """Describes parameters for readers who do not type them: "5 cards" for `num_cards=5`, and "prizes: descending".

    A game with another word for its cards has e.g. "5 stacks".
    """
    nouns = {"num_cards": f"{game.card_word}s"}
    return ", ".join(
        _parameter_in_words(nouns.get(name, name.removeprefix("num_").replace("_", " ")), value)
        for name, value in parameters.items()
    )


def _parameter_in_words(noun: str, value: object) -> str:
    if type(value) is not int:
        return f"{noun}: {_as_word(value)}"
    return counted(value, noun.removesuffix("s")) if noun.endswith("s") else f"{noun} {value:,}"


def _as_word(value: object) -> str:
    return ",".join(map(str, value)) if isinstance(value, (tuple, list)) else str(value)


def abbreviated_value(value: object) -> str:
    """Formats a parameter's value as on the command line, e.g. `2,3,6`; abbreviates long lists, as in `1,...,13`."""
    if isinstance(value, (tuple, list)) and len(value) > MOST_ITEMS:
        return f"{value[0]},...,{value[-1]}"
    return _as_word(value)


def _suffice(game: Game[Any], names: tuple[str, ...]) -> bool:
    parameters = game.parameters()
    try:
        given = {name: parameters[name] for name in names} | parameters_in(game.facts.name)
        return type(game)(**given) == game
    except (TypeError, ValueError):
        return False


def json_parameters(game: Game[Any]) -> dict[str, Any]:
    """A game's parameters as JSON data (lists for tuples); raises a ValueError if JSON has no such value."""
    try:
        return json.loads(json.dumps(game.parameters()))
    except TypeError as error:
        raise ValueError(f"{game.facts.name}: parameters cannot be stored as JSON: {error}") from None
