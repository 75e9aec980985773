"""Games by name: those of this package, and third-party games.

A name is looked up in this order:

    jujitsu              a game of this package, or one registered with `cardwar_envs.register_game`
    undercut             an entry point in the group `cardwar_envs.games` of an installed package
    undercut:Undercut    the class `Undercut` in the module `undercut`, for example in the file undercut.py in the
                         working folder
    openspiel:NAME(...)  a game of OpenSpiel in its own syntax, such as openspiel:goofspiel(num_cards=4)
    table:FILE           the one-shot game of a payoff table in a .csv, .json, .npy, .npz or .nfg file

The last four import code or open files, so a name from a stored file must never be looked up here; compare it with
the name of a known game instead.
"""

from __future__ import annotations

import ast
import dataclasses
import importlib
import inspect
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

from cardwar_envs.core.game import Game
from cardwar_envs.core.parameters import check_names, did_you_mean
from cardwar_envs.core.process import GAME_GROUP, installed

NAME = re.compile(r"[a-z][a-z0-9_]*")


def _own_games() -> Iterator[tuple[str, type[Game[Any]]]]:
    """Yields the games in the modules beside this one: `dice_wars` defines `DiceWars`; a family has no name."""
    for module in iter_modules([str(Path(__file__).parent)]):
        found = importlib.import_module(f"cardwar_envs.games.{module.name}")
        kind: Any = getattr(found, module.name.title().replace("_", ""), None)
        if getattr(kind, "name", None) == module.name:
            yield module.name, kind


# The games of this package and registered games.
GAMES: dict[str, type[Game[Any]]] = dict(_own_games())

# Prefixes of names whose rest is a parameter: of an OpenSpiel game, and of a payoff table.
OPENSPIEL, TABLE = "openspiel:", "table:"
# The class of each, and that parameter.
PREFIXES = {
    OPENSPIEL: ("cardwar_envs.openspiel:OpenSpielGame", "spiel"),
    TABLE: ("cardwar_envs.tables:TableGame", "table"),
}
# Parameters of OpenSpiel's games that are paths, in games inside them too.
PATHS = re.compile(r"(?:filename|_file|_root)\s*=")

# Number of characters read from a user's file when it is searched for a game.
MOST_CHARACTERS = 1_000_000


def make_game(name: str, /, **parameters: Any) -> Game[Any]:
    """Makes the game with the given name and parameters.

    Args:
        name: A name that `game_class` accepts.
        **parameters: Fields of the game's dataclass; fields not given have their defaults.

    Raises:
        ValueError: If there is no such game or parameter, a required parameter is missing, or a value is invalid.
    """
    kind = game_class(name)
    if name.startswith(OPENSPIEL) and (others := parameters.keys() - {"state_key"}):
        example = f"{name.partition('(')[0]}({'=..., '.join(sorted(others))}=...)"
        raise ValueError(f"{name}: the parameters of an OpenSpiel game are part of its name, as in {example}")
    check_names(kind, parameters, name, keywords=True)
    parameters |= parameters_in(name)
    fields = dataclasses.fields(kind)  # type: ignore[arg-type]  # games are dataclasses
    missing = [field.name for field in fields if _is_required(field) and field.name not in parameters]
    if missing:
        raise ValueError(f"{name} needs {', '.join(missing)}")
    return kind(**parameters)


def summary_of(kind: type[Game[Any]]) -> str:
    """The first sentence of the docstring of a game's module, or else of its class."""
    text = inspect.getdoc(sys.modules[kind.__module__]) or inspect.getdoc(kind) or ""
    return " ".join(text.partition("\n\n")[0].split())


def parameters_in(name: str) -> dict[str, str]:
    """Returns the parameters that are part of a name, such as those of `openspiel:NAME(...)`."""
    return {field: name.removeprefix(each) for each, (_, field) in PREFIXES.items() if name.startswith(each)}


def opens_files(name: str) -> bool:
    """Returns whether making the game with this name would open a file that the name gives."""
    return name.startswith(TABLE) or (name.startswith(OPENSPIEL) and PATHS.search(name) is not None)


def game_class(name: str) -> type[Game[Any]]:
    """Returns the class of the game with the given name. May import a module, so the name must come from the user.

    Args:
        name: The name of a game of this package, of a registered game, or of an entry point in the group
            `cardwar_envs.games`; or `module:Class`.

    Raises:
        ValueError: If there is no such game, its module cannot be imported, or it is not a game class.
    """
    if not isinstance(name, str):
        raise ValueError(f"name ({name!r}) must be the name of a game, such as 'jujitsu'")
    if name in GAMES:
        return GAMES[name]
    for prefix, (target, _) in PREFIXES.items():
        if name.startswith(prefix):
            return require_game_class(loaded_object(name, target), name)
    others = installed(GAME_GROUP)
    if name in others:
        return require_game_class(loaded_object(name, others[name].value), name)
    module, colon, path = name.partition(":")
    if colon and module and path:
        return require_game_class(loaded_object(name, name), name)
    known = {**GAMES, **others}
    if own := _in_own_file(name):
        raise ValueError(
            f"unknown game {name!r} (did you mean {own!r}?); name a game of your own by its module and its class"
        )
    raise ValueError(
        f"unknown game {name!r}{did_you_mean(name, known)}; known games are {', '.join(known)}; "
        "name a game of your own by its module and its class, as in undercut:Undercut, "
        "an OpenSpiel game as in openspiel:goofspiel(num_cards=4), and a payoff table as in table:payoffs.csv"
    )


def _in_own_file(name: str) -> str:
    """Returns the full name of the first class with a base class in the working folder's NAME.py, without import."""
    try:
        with open(f"{name}.py", encoding="utf-8-sig") as file:
            code = ast.parse(file.read(MOST_CHARACTERS))
    except (OSError, ValueError, SyntaxError):
        return ""
    return next((f"{name}:{node.name}" for node in code.body if isinstance(node, ast.ClassDef) and node.bases), "")


def names_a_game(name: str) -> bool:
    """Returns whether a name from the user is the name of a game, not of another object in a module."""
    if name in GAMES or name in installed(GAME_GROUP) or name.startswith(tuple(PREFIXES)):
        return True
    module, _, path = name.partition(":")
    if not (module and path):
        return False
    try:
        kind = loaded_object(name, name)
    except ValueError:
        return False
    return isinstance(kind, type) and issubclass(kind, Game)


def add_game(kind: type[Game[Any]]) -> None:
    """Adds a class to `GAMES`. Replaces a class with the same module and name, as when a notebook cell is rerun.

    Raises:
        ValueError: If it is not a game class, or another game has its name.
    """
    GAMES[require_game_class(kind, getattr(kind, "__qualname__", repr(kind))).name] = kind


def spelled_name(game: Game[Any]) -> str:
    """Returns the name by which `make_game` finds a game's class: a plain name, `openspiel:...` or `module:Class`."""
    kind = type(game)
    if ":" in game.facts.name:
        return game.facts.name
    if GAMES.get(game.facts.name) is kind:
        return game.facts.name
    return f"{kind.__module__}:{kind.__qualname__}"


def _is_required(field: dataclasses.Field[Any]) -> bool:
    return field.init and field.default is field.default_factory is dataclasses.MISSING


def require_game_class(kind: Any, name: str) -> type[Game[Any]]:
    """Returns `kind`, after checking that it is a complete game class.

    Raises:
        ValueError: If it is not a game class, is not a frozen dataclass, lacks a method, or has another game's name.
    """
    if not (isinstance(kind, type) and issubclass(kind, Game)):
        raise ValueError(
            f"{name} is not a game: it must inherit from cardwar_envs.Game, as in class MyGame(cardwar_envs.Game); "
            "cardwar new my_game writes an example"
        )
    if inspect.isabstract(kind):
        lacking = ", ".join(_written(kind, method) for method in sorted(kind.__abstractmethods__))
        raise ValueError(f"{name} is not a complete game: it lacks {lacking}; run `cardwar new my_game` for an example")
    # A subclass that is not a dataclass would inherit another game's parameters.
    if "__dataclass_params__" not in vars(kind) or not vars(kind)["__dataclass_params__"].frozen:
        raise ValueError(f"{name} must be a frozen dataclass: write @dataclass(frozen=True) before its class")
    own = getattr(kind, "name", None)
    if not (isinstance(own, str) and NAME.fullmatch(own)):
        raise ValueError(
            f"{name}: its name ({own!r}) must consist of lower-case letters, digits and _, such as 'undercut'"
        )
    known = GAMES.get(own, kind)
    if (known.__module__, known.__qualname__) != (kind.__module__, kind.__qualname__):
        raise ValueError(f"{name}: its name ({own!r}) is that of another game, {known.__module__}:{known.__qualname__}")
    return kind


def _written(kind: type, method: str) -> str:
    """Returns the declaration of a method without types, e.g. `check(self, state)`, or of a property."""
    rule = getattr(kind, method)
    if isinstance(rule, property):
        return f"{method} (a property)"
    parameters = [each.replace(annotation=each.empty) for each in inspect.signature(rule).parameters.values()]
    return f"{method}{inspect.Signature(parameters)}"


def loaded_object(name: str, target: str) -> Any:
    """Imports the object that `target` (`module:Class`) names; searches the working folder last."""
    module_name, _, path = target.partition(":")
    append_working_folder()
    if module_name.startswith("."):
        raise ValueError(f"{name}: module {module_name!r} must be a full name, such as undercut or package.undercut")
    try:
        found: Any = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{module_name}.".startswith(f"{error.name}."):
            raise ValueError(f"{name}: module {module_name!r} needs {error.name!r}, which is not installed") from error
        raise ValueError(f"{name}: there is no module {module_name!r} in {os.getcwd()} or installed") from None
    except (Exception, SystemExit) as error:  # a module can do anything while it is imported
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        raise ValueError(f"{name}: importing module {module_name!r} fails: {reason}") from error
    for part in path.split("."):
        if not hasattr(found, part):
            raise ValueError(f"{name}: module {module_name!r} has no {path!r}")
        found = getattr(found, part)
    return found


def append_working_folder() -> None:
    """Appends the working folder to the end of the import path, so that its modules cannot shadow others."""
    if not {"", os.getcwd()} & set(sys.path):
        sys.path.append(os.getcwd())
    importlib.invalidate_caches()  # the folder may have new files
