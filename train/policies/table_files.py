"""Policies as tables that people and other programs read: CSV, JSON and NumPy's .npz, one row per information state."""

from __future__ import annotations

import csv
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import numpy as np
from numpy.typing import NDArray

import baselines
from baselines import TablePolicy
from baselines.system.files import csv_bytes, parse_object, read_plain, write_atomically
from cardwar_envs.core.game import Game
from cardwar_envs.core.parameters import did_you_mean
from cardwar_envs.core.policy import Masks, Observations, Policy, Probabilities, checked_probabilities
from cardwar_envs.core.table_policy import checked_rows
from train.policies.agent import seen_in_words
from train.text.game_names import game_in_words
from train.text.validation import Strict, one_line

ENDINGS = (".csv", ".json", ".npz")
# Maximum size of the arrays in a file.
MOST_BYTES = 1 << 30
View = tuple[NDArray[np.float32], NDArray[np.int8]]  # an observation and a mask of legal actions
Key = tuple[bytes, bytes]


class Row(Strict):
    """An information state, who has it, and the probabilities of moves there; others have probability 0."""

    player: int = 0
    state: str = ""
    observation: list[float]
    probabilities: dict[str, float]


class TableFile(Strict):
    """A table; `game` is the text that `game_in_words` returns, if the table is for one game."""

    game: str | None = None
    states: list[Row]


class _Listing:
    """A uniform policy that records the information states at which it is queried."""

    def __init__(self) -> None:
        self.views: dict[Key, View] = {}

    def action_probabilities(self, observations: Observations, action_masks: Masks) -> Probabilities:
        for row, mask in zip(observations, action_masks, strict=True):
            self.views.setdefault(key_of(row, mask), (row.copy(), mask.copy()))
        uniform: Probabilities = action_masks / action_masks.sum(axis=1, keepdims=True)
        return uniform


def key_of(observation: NDArray[np.float32], mask: NDArray[np.int8]) -> Key:
    """Returns a key that identifies an information state."""
    return (observation + np.float32(0.0)).tobytes(), np.asarray(mask, dtype=np.int8).tobytes()


def information_states(game: Game[Any]) -> dict[Key, View]:
    """Lists all reachable information states of all players, in a fixed order.

    Raises:
        ValueError: If the game is too large for exact evaluation.
    """
    listing = _Listing()
    baselines.nash_conv(game, listing)
    return listing.views


def export_policy(policy: Policy, game: Game[Any], path: str | Path) -> None:
    """Writes a policy's probabilities at all information states, or those in it if it is a `TablePolicy`, as a table.

    Args:
        policy: The policy.
        game: A game that can be measured exactly.
        path: The file, which ends in .csv, .json or .npz; `load_table` reads it.

    Raises:
        ValueError: If the ending is another, the game is too large, or the policy returns no probabilities or is a
            table for another game.
    """
    path = Path(path)
    if path.suffix not in ENDINGS:
        raise ValueError(f"{path} must end in {', '.join(ENDINGS)}")
    views = list(information_states(game).values())
    if isinstance(policy, TablePolicy):
        views = [view for view in views if policy.contains(view[0])]
    if not views:
        raise ValueError(f"{policy!r} contains no information state of {game_in_words(game)}")
    observations, masks = (np.stack(each) for each in zip(*views, strict=True))
    probabilities, title = checked_probabilities(policy, observations, masks), game_in_words(game)
    if path.suffix == ".npz":
        np.savez_compressed(file := BytesIO(), game=title, observations=observations, probabilities=probabilities)
        write_atomically(path, file.getvalue())
        return
    moves, rows = _moves(game), []
    for (observation, mask), mix in zip(views, probabilities, strict=True):
        player, text = seen_in_words(game, observation)
        named = {moves[action]: mix.item(action) for action in np.flatnonzero(mask)}
        state = "; ".join(text.splitlines())
        rows.append(Row(player=player, state=state, observation=observation.tolist(), probabilities=named))
    if path.suffix == ".json":
        write_atomically(path, TableFile(game=title, states=rows).model_dump_json(indent=1).encode())
        return
    lines: list[list[Any]] = [["game", "player", "state", "observation", *(f"p({move})" for move in moves)]]
    for row in rows:
        state = "'" * row.state.startswith(("=", "+", "-", "@")) + row.state  # or spreadsheets take it for a formula
        mix = [row.probabilities.get(move, "") for move in moves]
        lines.append([title, row.player, state, " ".join(map(str, row.observation)), *mix])
    write_atomically(path, csv_bytes(lines))


def load_table(path: str | Path, game: Game[Any]) -> TablePolicy:
    """Reads a table that `export_policy` wrote, or one of another program.

    An .npz file has arrays `observations`, `[rows, observation_size]`, and `probabilities`, `[rows, num_actions]`. The
    text `game` is optional in all forms. At observations that are not in the table, the policy plays uniformly over
    legal actions, and exact measures warn.

    Raises:
        ValueError: If the file is damaged, or the table is for another game or does not fit it.
    """
    content, read = read_plain(path := Path(path)), _read_npz if str(path).endswith(".npz") else _read_text
    try:
        title, observations, probabilities = read(content, game)
        if title not in (None, game_in_words(game)):
            raise ValueError(f"it is for the game {title!r}, not for {game_in_words(game)!r}")
        with np.errstate(over="ignore"):  # infinite numbers are refused with the others
            seen = np.array(observations, np.float32)
        return TablePolicy(checked_rows(game, seen, np.array(probabilities, np.float64)))
    except Exception as error:  # invalid content can raise many kinds of errors
        reason = " ".join(f"{error}".split()) or type(error).__name__
        raise ValueError(f"{path} does not contain a table of probabilities: {reason}") from None


def _moves(game: Game[Any]) -> list[str]:
    """Returns a name for each action, e.g. `raise/call` if players have different names for it."""
    players, actions = range(game.facts.num_players), range(game.facts.num_actions)
    names = ["/".join(dict.fromkeys(game.describe_action(action, seat) for seat in players)) for action in actions]
    return [f"{name} #{action}" if names.count(name) > 1 else name for action, name in enumerate(names)]


def _read_text(content: bytes, game: Game[Any]) -> tuple[str | None, Any, Any]:
    """Reads JSON, which begins with a bracket, or CSV."""
    moves = _moves(game)
    with one_line():
        table = TableFile.model_validate(
            parse_object(content) if content.lstrip()[:1] == b"{" else _of_csv(content.decode("utf-8-sig"))
        )
    for name in dict.fromkeys(name for row in table.states for name in row.probabilities):
        if name not in moves:
            raise ValueError(f"unknown move {name!r}{did_you_mean(name, moves)}")
    mixes = [[row.probabilities.get(move, 0.0) for move in moves] for row in table.states]
    return table.game, [row.observation for row in table.states], mixes


def _of_csv(text: str) -> dict[str, Any]:
    """Returns the content of a CSV file as that of a JSON file; the columns of moves are called `p(MOVE)`."""
    games, states = set(), []
    for row in csv.DictReader(StringIO(text), restkey="more cells than columns", restval="", strict=True):
        games.add(row.pop("game", None))
        numbers = [float(number) for number in row.pop("observation").split()]
        mix = {name[2:-1]: float(cell) for name, cell in row.items() if name.startswith("p(") and cell}
        others = [name for name in row if not name.startswith("p(") and name not in ("player", "state")]
        if others:
            raise ValueError(f"unknown column {others[0]!r}")
        states.append({"observation": numbers, "probabilities": mix})
    if len(games) > 1:
        raise ValueError(f"its rows are for several games: {', '.join(map(repr, games))}")
    return {"game": next(iter(games), None), "states": states}


def _read_npz(content: bytes, game: Game[Any]) -> tuple[str | None, Any, Any]:
    with ZipFile(BytesIO(content)) as archive:
        if sum(member.file_size for member in archive.infolist()) > MOST_BYTES:
            raise ValueError(f"its arrays have more than {MOST_BYTES:,} bytes")
    with np.load(BytesIO(content), allow_pickle=False) as arrays:  # noqa: TID251  # pickles, which run code, are refused
        found = {name: arrays[name] for name in ("observations", "probabilities")}
        title = str(arrays["game"]) if "game" in arrays else None
    if any(array.dtype.kind not in "fiu" for array in found.values()):
        raise ValueError("its arrays must contain numbers")
    return title, *found.values()
