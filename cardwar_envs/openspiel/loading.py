"""Loads OpenSpiel's games by name, checking names first because OpenSpiel may abort the process."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from cardwar_envs.core.parameters import did_you_mean, shown
from cardwar_envs.core.process import without_secrets

CALL = re.compile(r"([A-Za-z_]\w*)(?:\((.*)\))?", re.DOTALL)
# Negative or enormous numbers make OpenSpiel write outside its arrays or exhaust the memory.
MOST = 10_000
# With other numbers, a game is first loaded in a separate process.
SMALL = frozenset(map(str, range(21)))
SECONDS = 5
TRY = """
import sys
try:
    import resource
    resource.setrlimit(resource.RLIMIT_AS, (1 << 32, 1 << 32))
except (ImportError, ValueError):
    pass
import pyspiel
if "python_" in sys.argv[1]:
    import open_spiel.python.games
try:
    game = pyspiel.load_game(sys.argv[1])
    game.max_utility(), game.num_distinct_actions(), game.max_game_length(), game.new_initial_state()
except (RuntimeError, IndexError):
    pass
"""
NEEDS = "OpenSpiel's games need the extra openspiel: pip install 'cardwar-envs[openspiel]'"


def require_pyspiel() -> Any:
    """Imports `pyspiel`; raises a ValueError that names the extra if it is not installed."""
    try:
        import pyspiel
    except ImportError:
        raise ValueError(NEEDS) from None
    return pyspiel


class GameObject:
    """A `pyspiel.Game` that its name does not reproduce; equal only to itself, as OpenSpiel compares names."""

    def __init__(self, game: Any) -> None:
        self.game = game

    def __repr__(self) -> str:
        return str(self.game)


def load(name: str | GameObject) -> Any:
    """Loads an OpenSpiel game with simultaneous moves or turns.

    Args:
        name: A name in the syntax of `pyspiel.load_game`, e.g. `goofspiel(num_cards=4)`, or the game itself. Parameters
            can be paths, which OpenSpiel opens, so the name must come from the user.

    Raises:
        ValueError: If there is no such game or parameter, a value is invalid, or the game is of an unsupported kind.
    """
    spiel = require_pyspiel()
    if isinstance(name, GameObject):
        if not isinstance(name.game, spiel.Game):
            raise ValueError(f"game ({shown(name.game)}) must be the name of an OpenSpiel game or a pyspiel.Game")
        _require_supported(spiel, str(name), name.game)
        return name.game
    _check_name(spiel, name)
    if not _is_plain(name):
        _try_aside(name)
    with reading(name):
        game = spiel.load_game(name)
        game.new_initial_state()
    _require_supported(spiel, name, game)
    return game


@contextmanager
def reading(name: str | GameObject) -> Iterator[None]:
    """Turns OpenSpiel's exceptions into a ValueError, and discards its output on stderr."""
    kept, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        yield
    except (RuntimeError, IndexError) as error:  # pyspiel.SpielError is a RuntimeError
        reason = str(error).strip().partition("\n")[0].rpartition("/")[2]  # without the path of its source
        raise ValueError(f"openspiel:{name} cannot be loaded: OpenSpiel says {reason!r}") from None
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


def _is_plain(name: str) -> bool:
    """Returns whether all parameters are small numbers, booleans or words, or the game exists only in this process."""
    short, values = parsed(name)
    if short.startswith("cardwar_"):
        return True
    return all(re.fullmatch("[a-z_]+", value) or value in SMALL for value in values.values())


def _try_aside(name: str) -> None:
    """Loads the game in a separate process; raises a ValueError if that process crashes or does not finish."""
    try:
        tried = subprocess.run(
            [sys.executable, "-c", TRY, name],
            capture_output=True,
            timeout=SECONDS,
            check=False,
            env=without_secrets(),
        )
    except subprocess.TimeoutExpired:
        raise ValueError(f"openspiel:{name} is too large: loading it takes more than {SECONDS} s") from None
    if tried.returncode:
        raise ValueError(f"openspiel:{name} cannot be loaded: OpenSpiel crashes or needs more than 4 GB")


def canonical_name(name: str) -> str:
    """Returns the name with its parameters in alphabetical order, without brackets if it has none."""
    short, values = parsed(name)
    inner = ",".join(f"{key}={value}" for key, value in sorted(values.items()))
    return f"{short}({inner})" if inner else short


def parsed(name: str) -> tuple[str, dict[str, str]]:
    """Splits a name into that of the game and its parameters; raises a ValueError if it has another form."""
    found = CALL.fullmatch(name.strip()) if isinstance(name, str) else None
    if found is None:
        raise ValueError(f"openspiel:{name} must have the form openspiel:NAME(key=value,...)")
    values: dict[str, str] = {}
    for part in _parts(found[2] or "", name):
        key, equals, value = part.partition("=")
        if not (equals and key.strip().isidentifier()) or key.strip() in values:
            raise ValueError(f"openspiel:{name}: {part!r} must have the form key=value, with each key once")
        values[key.strip()] = value.strip()
    return found[1], values


def _parts(inner: str, name: str) -> list[str]:
    """Splits a string at commas outside brackets."""
    parts, depth = [""], 0
    for each in inner:
        depth += (each == "(") - (each == ")")
        if depth < 0:
            break
        if each == "," and not depth:
            parts.append("")
        else:
            parts[-1] += each
    if depth:
        raise ValueError(f"openspiel:{name}: its brackets do not match")
    return [part for part in parts if part.strip() or len(parts) > 1]


def _check_name(spiel: Any, name: str) -> None:
    """Raises a ValueError unless the game, nested games and parameters exist, and the parameters have valid types."""
    short, values = parsed(name)
    if short.startswith("python_"):
        import open_spiel.python.games  # noqa: F401  # registers them
    known = {each.short_name: each for each in spiel.registered_games()}
    if short not in known:
        raise ValueError(f"OpenSpiel has no game {short!r}{did_you_mean(short, known)}")
    allowed = known[short].parameter_specification
    if not (values or known[short].default_loadable):
        raise ValueError(f"openspiel:{short} needs parameters: it has {', '.join(sorted(allowed))}")
    for key, value in values.items():
        if key not in allowed:
            has = f"it has {', '.join(sorted(allowed)) or 'none'}"
            raise ValueError(f"openspiel:{short} has no parameter {key!r}{did_you_mean(key, allowed)}; {has}")
        default = allowed[key]
        if isinstance(default, dict):
            _check_name(spiel, value)
        elif isinstance(default, bool):
            if value.lower() not in ("true", "false"):
                raise ValueError(f"openspiel:{short}: {key} ({value}) must be true or false")
        elif isinstance(default, int):
            _check_number(f"openspiel:{short}: {key}", value, min(default, 0))


def _check_number(what: str, value: str, least: int) -> None:
    if not re.fullmatch(r"-?[0-9]{1,9}", value) or not least <= int(value) <= MOST:
        raise ValueError(f"{what} ({shown(value)[1:-1]}) must be an integer in {least}..{MOST:,}")


def is_hidden(game: Any) -> bool:
    """Returns whether players of an OpenSpiel game can know different things."""
    kind = game.get_type()
    in_turns = kind.dynamics.name == "SEQUENTIAL"  # without seeing each other's moves, if the game counts as one move
    information = kind.information.name
    return bool(information == "IMPERFECT_INFORMATION" or (information == "ONE_SHOT" and in_turns))


def _require_supported(spiel: Any, name: str, game: Any) -> None:
    kind, types = game.get_type(), spiel.GameType
    reason = ""
    if kind.dynamics == types.Dynamics.MEAN_FIELD:
        reason = "it is a mean-field game"
    elif is_hidden(game) and not kind.provides_information_state_string:
        reason = "players have private information, and OpenSpiel gives no text of their information states"
    elif kind.chance_mode == types.ChanceMode.SAMPLED_STOCHASTIC:
        reason = "its chance outcomes are sampled and not listed"
    elif game.num_players() < 2:
        reason = "it has fewer than two players"
    elif not 1 <= game.num_distinct_actions() <= MOST:
        reason = f"it has {game.num_distinct_actions():,} actions; 1..{MOST:,} are allowed"
    elif game.max_game_length() < 1:
        reason = f"its longest game has {game.max_game_length()} moves"
    if reason:
        raise ValueError(f"openspiel:{name} is refused: {reason}")
