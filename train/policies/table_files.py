"""Policies as tables that people and other programs read: CSV, JSON and NumPy's .npz, one row per information state."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import numpy as np
from numpy.typing import NDArray

import baselines
from baselines import TablePolicy
from baselines.system.files import csv_bytes, parse_object, read_plain
from cardwar_envs.core.game import Game
from cardwar_envs.core.parameters import did_you_mean
from cardwar_envs.core.policy import Masks, Observations, Policy, Probabilities, checked_probabilities
from cardwar_envs.core.table_policy import checked_rows
from train.policies.agent import seen_in_words
from train.text.game_names import game_in_words
from train.text.validation import Strict, one_line

ENDINGS = (".csv", ".json", ".npz")
# Maximum size of a table's arrays.
MOST_BYTES = 1 << 30
# The columns of a CSV file before those of moves.
FIXED = ("game", "player", "state", "observation")
# Spreadsheets take text that begins with one of these for a formula.
FORMULA = ("=", "+", "-", "@", "\t")
View = tuple[NDArray[np.float32], NDArray[np.int8]]  # an observation and a mask of legal actions
Key = tuple[bytes, bytes]
Found = tuple[str | None, Any, Any]  # the game, observations and probabilities in a file


class Row(Strict):
    """An information state and a strategy there; moves that are missing have probability 0."""

    player: int = 0
    state: str = ""
    observation: list[float]
    probabilities: dict[str, float]


class TableFile(Strict):
    """A table in JSON; `game` is the text that `game_in_words` returns, if the table is for one game."""

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


def table_bytes(policy: Policy, game: Game[Any], ending: str) -> bytes:
    """Returns the content of a table file with a policy's probabilities at all information states (or a table's own).

    Args:
        policy: The policy.
        game: A game that can be measured exactly.
        ending: One of `ENDINGS`.

    Raises:
        ValueError: If the game is too large, or the policy returns no probabilities or is a table for another game.
    """
    views = list(information_states(game).values())
    if isinstance(policy, TablePolicy):  # what is not in a table is not in its file, so that its reader learns of it
        views = [view for view in views if policy.contains(view[0])]
        if not views:
            raise ValueError(f"{policy!r} contains no information state of {game_in_words(game)}")
    observations, masks = (np.stack(each) for each in zip(*views, strict=True))
    probabilities = checked_probabilities(policy, observations, masks)
    title, moves = game_in_words(game), _moves(game)
    if ending == ".npz":
        np.savez_compressed(file := BytesIO(), game=title, observations=observations, probabilities=probabilities)
        return file.getvalue()
    seen = [seen_in_words(game, *view) for view in views]
    if ending == ".json":
        rows = [
            Row(
                player=player,
                state=state,
                observation=view[0].tolist(),
                probabilities={moves[action]: mix.item(action) for action in np.flatnonzero(view[1])},
            )
            for (player, state), view, mix in zip(seen, views, probabilities, strict=True)
        ]
        return TableFile(game=title, states=rows).model_dump_json(indent=1).encode()
    cells = np.where(masks == 1, probabilities.astype(object), "").tolist()
    lines = (
        [title, player, _no_formula(state), " ".join(map(str, view[0])), *mix]
        for (player, state), view, mix in zip(seen, views, cells, strict=True)
    )
    return csv_bytes([[*FIXED, *(f"p({move})" for move in moves)], *lines])


def load_table(path: Path, game: Game[Any]) -> TablePolicy:
    """Reads a table: a CSV or JSON file as `table_bytes` writes it, or an .npz file.

    An .npz file has arrays `observations`, `[rows, observation_size]`, and `probabilities`, `[rows, num_actions]`. The
    text `game` is optional in all three. At observations that are not in the table, the policy plays uniformly, and
    exact measures warn.

    Raises:
        ValueError: If the file is damaged, or the table is for another game or does not fit it.
    """
    readers = {".csv": _read_csv, ".json": _read_json, ".npz": _read_npz}
    try:
        title, observations, probabilities = readers[path.suffix](read_plain(path), game)
        if title not in (None, game_in_words(game)):
            raise ValueError(f"it is for the game {title!r}, not for {game_in_words(game)!r}")
        with np.errstate(over="ignore"):  # infinite numbers are refused with the others
            seen = np.array(observations, np.float32)
        table = checked_rows(game, seen, np.array(probabilities, np.float64))
    except Exception as error:  # invalid content can raise many kinds of errors
        reason = " ".join(f"{error}".split()) or type(error).__name__
        raise ValueError(f"{path} does not contain a table of probabilities: {reason}") from None
    return TablePolicy(table)


def _moves(game: Game[Any]) -> list[str]:
    """Returns a name for each action, e.g. `raise/call` if players have different names for it."""
    facts = game.facts
    names = [
        "/".join(dict.fromkeys(game.describe_action(action, player) for player in range(facts.num_players)))
        for action in range(facts.num_actions)
    ]
    return [f"{name} #{action}" if names.count(name) > 1 else name for action, name in enumerate(names)]


def _mix(moves: list[str], probabilities: Mapping[str, float]) -> list[float]:
    """Returns `[num_actions]` probabilities of moves by name."""
    if unknown := next((name for name in probabilities if name not in moves), None):
        raise ValueError(f"unknown move {unknown!r}{did_you_mean(unknown, moves)}")
    return [probabilities.get(name, 0.0) for name in moves]


def _no_formula(text: str) -> str:
    """Returns text that a spreadsheet does not take for a formula."""
    return f"'{text}" if text.startswith(FORMULA) else text


def _read_json(content: bytes, game: Game[Any]) -> Found:
    with one_line():
        table = TableFile.model_validate(parse_object(content))
    moves = _moves(game)
    return (
        table.game,
        [row.observation for row in table.states],
        [_mix(moves, row.probabilities) for row in table.states],
    )


def _read_csv(content: bytes, game: Game[Any]) -> Found:
    heading, *lines = csv.reader(StringIO(content.decode("utf-8-sig")), strict=True)
    wanted = [f"p({name})" for name in _moves(game)]
    if missing := next((name for name in ("observation", *wanted) if heading.count(name) != 1), None):
        raise ValueError(f"its columns must include {missing!r} once")
    if unknown := next((name for name in heading if name not in (*FIXED, *wanted)), None):
        raise ValueError(f"unknown column {unknown!r}{did_you_mean(unknown, wanted)}")
    titles, observations, probabilities = set(), [], []
    for number, cells in enumerate(lines, start=2):
        if len(cells) != len(heading):
            raise ValueError(f"row {number} has {len(cells)} cells, not {len(heading)}")
        row = dict(zip(heading, cells, strict=True))
        titles.add(row.get("game"))
        try:
            observations.append([float(part) for part in row["observation"].split()])
            probabilities.append([float(row[name] or 0.0) for name in wanted])
        except ValueError as error:
            raise ValueError(f"row {number}: {error}") from None
    if len(titles) > 1:
        raise ValueError(f"its rows are for several games: {', '.join(map(repr, titles))}")
    return next(iter(titles), None), observations, probabilities


def _read_npz(content: bytes, game: Game[Any]) -> Found:
    with ZipFile(BytesIO(content)) as archive:
        if sum(member.file_size for member in archive.infolist()) > MOST_BYTES:
            raise ValueError(f"its arrays have more than {MOST_BYTES:,} bytes")
    with np.load(BytesIO(content), allow_pickle=False) as arrays:  # noqa: TID251  # pickles, which run code, are refused
        found = dict(arrays)
    if not {"observations", "probabilities"} <= found.keys():
        raise ValueError(f"it must contain observations and probabilities, not {', '.join(found) or 'nothing'}")
    observations, probabilities = found["observations"], found["probabilities"]
    for array in (observations, probabilities):
        if array.dtype.kind not in "fiu":
            raise ValueError(f"its arrays must be numbers, not of type {array.dtype}")
    return str(found["game"]) if "game" in found else None, observations, probabilities
