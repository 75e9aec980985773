"""Conversion between command-line strings and games or arguments."""

from __future__ import annotations

import dataclasses
import json
import math
import types
import typing
from collections.abc import Iterable, Mapping
from itertools import chain, combinations
from typing import Any

from cardwar_envs import Game, make_game
from cardwar_envs.core.parameters import abbreviated, check_names
from cardwar_envs.core.texts import counted
from cardwar_envs.games.by_name import GAMES, game_class, parameters_in, spelled_name

TYPES: dict[Any, str] = {int: "an integer", float: "a number", bool: "true or false"}
# Maximum length of a message.
MOST_LETTERS = 1000
# All integers up to this are exact as floats.
MOST_OF_A_FLOAT = 2**53
# Maximum length of a displayed list.
MOST_ITEMS = 5
BOOLEANS, NONE = {"true": True, "false": False}, "none"
LISTS = (tuple, list, frozenset)


def converted(name: str, text: str, hint: Any, depth: int = 0) -> Any:
    """Converts a string to a value of a field's type.

    Commas separate the items of a list, slashes the lists in a list of lists. An empty string is an empty list.

    Args:
        name: Name of the field, for the error.
        text: The string to convert.
        hint: The field's type: int, float, bool, str, literal strings or numbers, a tuple, list or frozenset of these
            or of lists of these, or a union of any of them with None, which is written `none`.
        depth: Nesting depth of the string in lists.

    Raises:
        ValueError: If the string cannot be parsed as that type, or the type is not supported.
    """
    origin, parts = typing.get_origin(hint), typing.get_args(hint)
    if origin in (types.UnionType, typing.Union):
        if text.lower() == NONE and types.NoneType in parts:
            return None
        return converted(name, text, next(part for part in parts if part is not types.NoneType), depth)
    if origin is typing.Literal:
        return {str(part): part for part in parts}.get(text, text)  # the game checks the value itself
    if origin in LISTS:
        return origin(_items(name, text, origin, parts, depth))
    if hint not in (str, *TYPES):
        raise ValueError(f"{name} ({abbreviated(text)}) cannot be written as text: it is of the type {hint}")
    try:
        return BOOLEANS[text.lower()] if hint is bool else whole(text) if hint is int else hint(text)
    except (KeyError, ValueError):
        raise ValueError(f"{name} ({abbreviated(text)}) must be {TYPES[hint]}") from None


def whole(text: str) -> int:
    """Parses an integer, also in the form 1e5; raises ValueError for other strings."""
    if "e" not in text.lower():
        return int(text)
    number = float(text)
    if not number.is_integer() or abs(number) > MOST_OF_A_FLOAT:
        raise ValueError(f"{text} must be an integer")
    return int(number)


def _items(name: str, text: str, origin: Any, parts: tuple[Any, ...], depth: int) -> list[Any]:
    nested = any(typing.get_origin(part) in LISTS for part in parts)
    separator = "/" if nested else ","
    if depth > 1 or (depth == 1 and nested):
        raise ValueError(f"{name} has lists of lists of lists, which cannot be written as text")
    fixed = origin is tuple and Ellipsis not in parts
    texts = [] if not text and not (fixed and parts) else text.split(separator)
    if fixed and len(texts) != len(parts):
        raise ValueError(f"{name} ({text}) must have {len(parts)} parts with {separator!r} between them")
    hints = parts if fixed else parts[:1] * len(texts)
    return [converted(name, each.strip(), hint, depth + 1) for each, hint in zip(texts, hints, strict=True)]


def fields_from(kind: type, words: Mapping[str, str], owner: str) -> dict[str, Any]:
    """Converts strings, by field name, to keyword arguments of the dataclass `kind`; errors name `owner`.

    Raises:
        ValueError: If a field is unknown, a string cannot be converted to its field's type, or the type cannot be
        resolved.
    """
    check_names(kind, words, owner)
    try:
        hints = typing.get_type_hints(kind) if words else {}
    except NameError as error:  # a type imported for type checkers only
        raise ValueError(f"{owner}: the types of its parameters cannot be read: {error}") from None
    return {name: converted(name, text, hints[name]) for name, text in words.items()}


def split_words(words: Iterable[str]) -> tuple[dict[str, str], dict[str, str], list[str]]:
    """Sorts arguments into `KEY=VALUE`, `--option VALUE` and the rest.

    Raises:
        ValueError: If something is given twice or an option has no value.
    """
    parameters: dict[str, str] = {}
    options: dict[str, str] = {}
    rest: list[str] = []
    remaining = iter(words)
    for word in remaining:
        name, equals, text = word.partition("=")
        if word.startswith("--"):
            if not equals:
                text = next(remaining, "")
            if not text:
                raise ValueError(f"option {name} needs a value")
            target, name = options, name[2:].replace("-", "_")
        elif equals and name.isidentifier():
            target = parameters
        else:
            rest.append(word)
            continue
        if name in target:
            raise ValueError(f"{name} is given twice")
        target[name] = text
    return parameters, options, rest


def parameters_and_names(words: Iterable[str]) -> tuple[dict[str, str], list[str]]:
    """Sorts arguments into `KEY=VALUE` and the rest.

    Raises:
        ValueError: In the cases of `split_words`; also if there is an option.
    """
    parameters, options, names = split_words(words)
    if options:
        raise ValueError(f"no such option: --{next(iter(options))}")
    return parameters, names


def game_from(name: str, parameters: Mapping[str, str]) -> Game[Any]:
    """Makes a game from its name and its parameters as strings.

    Raises:
        ValueError: If the game or a parameter is unknown.
    """
    return make_game(name, **fields_from(game_class(name), parameters, name))


def game_for(name: str, parameters: Mapping[str, str], num_players: int) -> Game[Any]:
    """Like `game_from`; sets `num_players` if the game allows any number of players and the parameters give none."""
    fields = dataclasses.fields(game_class(name))  # type: ignore[arg-type]  # games are dataclasses
    open_number = "num_players" in {field.name for field in fields}
    return game_from(name, {"num_players": str(num_players), **parameters} if open_number else parameters)


def game_of_words(name: str, words: Iterable[str], hint: str = "") -> Game[Any]:
    """Like `game_from`, from `KEY=VALUE` arguments; errors as in `only_parameters`."""
    return game_from(name, only_parameters(words, hint))


def stored_game(title: str) -> Game[Any] | None:
    """The game that a file describes as `game_in_words` does; None if it is not in the suite: nothing is imported."""
    name, *words = title.split() or [""]
    try:
        return game_of_words(name, words) if name in GAMES else None
    except ValueError:
        return None


def only_parameters(words: Iterable[str], hint: str = "") -> dict[str, str]:
    """Parses `KEY=VALUE` arguments; raises ValueError for other arguments, with a message that ends with `hint`."""
    parameters, options, rest = split_words(words)
    for word in (*rest, *(f"--{option}" for option in options)):
        raise ValueError(f"{word!r} must read KEY=VALUE, a parameter of the game{hint}")
    return parameters


def game_in_words(game: Game[Any]) -> str:
    """The game's name and the fewest parameters that reproduce it, e.g. `jujitsu num_cards=5`.

    A user's own game has the name that imports it, e.g. `undercut:Undercut rounds=2`.
    """
    given = fewest_parameters(game).items()
    return " ".join([spelled_name(game), *(f"{name}={_as_word(value)}" for name, value in given)])


def fewest_parameters(game: Game[Any]) -> dict[str, Any]:
    """The fewest parameters that make the game, beside its name."""
    named = parameters_in(game.facts.name)
    parameters = {name: value for name, value in game.parameters().items() if name not in named}
    subsets = chain.from_iterable(combinations(parameters, size) for size in range(len(parameters) + bool(named)))
    given = next((names for names in subsets if _suffice(game, names)), tuple(parameters))
    return {name: parameters[name] for name in given}


def in_plain_words(game: Game[Any], parameters: Mapping[str, object]) -> str:
    """Describes parameters for readers who do not type them: "5 cards" for `num_cards=5`, and "prizes: descending".

    A game with another word for its cards has e.g. "5 stacks".
    """
    nouns = {"num_cards": f"{game.card_word}s"}
    return ", ".join(
        _in_plain_words(nouns.get(name, name.removeprefix("num_").replace("_", " ")), value)
        for name, value in parameters.items()
    )


def _in_plain_words(noun: str, value: object) -> str:
    if type(value) is not int:
        return f"{noun}: {_as_word(value)}"
    return counted(value, noun.removesuffix("s")) if noun.endswith("s") else f"{noun} {value:,}"


def _as_word(value: object) -> str:
    return ",".join(map(str, value)) if isinstance(value, (tuple, list)) else str(value)


def in_brief(value: object) -> str:
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


def run_identity(game: Game[Any], algorithm: str, args: Any, seed: int) -> dict[str, Any]:
    """The identity of a run as JSON data; `args` is a dataclass, or its fields as a dict."""
    return {
        "game": game.facts.name,
        "parameters": json_parameters(game),
        "algorithm": algorithm,
        "args": args if isinstance(args, dict) else dataclasses.asdict(args),
        "seed": seed,
    }


def train_words(title: str, identity: Mapping[str, Any], folder: object) -> list[str]:
    """The arguments of `cardwar` that reproduce a run; arguments that are empty strings are omitted.

    `title` is the output of `game_in_words`, and `identity` that of `run_identity`.
    """
    words = ["train", *title.split(), f"--algorithm={identity['algorithm']}"]
    given = ((name, value) for name, value in identity["args"].items() if value != "")
    words += [f"--{name.replace('_', '-')}={value}" for name, value in given]
    return [*words, f"--seed={identity['seed']}", f"--out={folder}"]


def printable(text: str) -> str:
    """Escapes control and hidden characters, except newlines and tabs."""
    if text.isprintable():
        return text
    return "".join(each if each.isprintable() or each in "\n\t" else ascii(each)[1:-1] for each in text)


def in_one_line(text: str) -> str:
    """Formats a string, which may come from a file, as one printable line of limited length."""
    line = abbreviated(printable(" ".join(text.split())))
    half = MOST_LETTERS // 2
    return line if len(line) <= MOST_LETTERS else f"{line[:half]} ... {line[-half:]}"


def points(payoff: float | None, digits: int = 6) -> str:
    """Formats payoff points with `digits` decimals; empty for None and NaN."""
    if payoff is None or math.isnan(payoff):
        return ""
    return f"{round(payoff, digits) + 0.0:.{digits}f}"  # rounding can give -0.0, which adding 0.0 turns into 0.0
