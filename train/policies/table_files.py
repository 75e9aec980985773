"""Policies as tables with a row per information state: CSV and JSON, to be read and written, and NumPy's .npz."""

from __future__ import annotations

import csv
import json
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
from cardwar_envs.core.policy import Masks, Observations, Policy, Probabilities, checked_probabilities, observation_keys
from cardwar_envs.core.table_policy import checked_rows
from train.policies.agent import seen_in_words
from train.text.game_names import game_in_words

# Maximum size of a file, and of the arrays in it.
MOST_BYTES = 1 << 30
View = tuple[NDArray[np.float32], NDArray[np.int8]]  # an observation and a mask of legal actions
Key = tuple[bytes, bytes]


class _Listing:
    """A uniform policy that records the information states at which it is queried."""

    def __init__(self) -> None:
        self.views: dict[Key, View] = {}

    def action_probabilities(self, observations: Observations, action_masks: Masks) -> Probabilities:
        for row, mask in zip(observations, action_masks, strict=True):
            self.views.setdefault(key_of(row, mask), (row.copy(), mask.copy()))
        return np.asarray(action_masks / action_masks.sum(axis=1, keepdims=True))


def key_of(observation: NDArray[np.float32], mask: NDArray[np.int8]) -> Key:
    """Returns a key that identifies an information state."""
    return observation_keys(observation[None])[0], np.asarray(mask, dtype=np.int8).tobytes()


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
        path: The file, which ends in .csv or .json; `load_table` reads it.

    Raises:
        ValueError: If the ending is another, the game is too large, or the policy cannot be measured.
    """
    path = Path(path)
    if path.suffix not in (".csv", ".json"):
        raise ValueError(f"{path} must end in .csv or .json")
    baselines.nash_conv(game, policy)  # checks the policy, and warns of a table that lacks states
    views = list(information_states(game).values())
    if isinstance(policy, TablePolicy):
        views = [view for view in views if policy.contains(view[0])]
    observations, masks = (np.stack(each) for each in zip(*views, strict=True))
    moves, title, rows = _moves(game), game_in_words(game), []
    for (observation, mask), mix in zip(views, checked_probabilities(policy, observations, masks), strict=True):
        state = "; ".join(seen_in_words(game, observation)[1].splitlines())
        named = {moves[action]: mix.item(action) for action in np.flatnonzero(mask)}
        rows.append({"state": state, "observation": observation.tolist(), "probabilities": named})
    if path.suffix == ".json":
        write_atomically(path, json.dumps({"game": title, "states": rows}, indent=1).encode())
        return
    lines = [["game", "state", "observation", *(f"p({move})" for move in moves)]]
    for row in rows:
        mixed = [row["probabilities"].get(move, "") for move in moves]
        lines.append([title, row["state"], " ".join(map(str, row["observation"])), *mixed])
    write_atomically(path, csv_bytes(lines))


def load_table(path: str | Path, game: Game[Any]) -> TablePolicy:
    """Reads a table that `export_policy` wrote, or one of another program.

    An .npz file has arrays `observations`, `[rows, observation_size]`, and `probabilities`, `[rows, num_actions]`. The
    text `game` is optional in all forms, and other columns are ignored. At observations that are not in the table, the
    policy plays uniformly over legal actions, and exact measures warn.

    Raises:
        ValueError: If the file is damaged, or the table is for another game or does not fit it.
    """
    content = read_plain(path := Path(path), most=MOST_BYTES)
    try:
        read = _read_npz(content) if path.suffix == ".npz" else _read_text(content, _moves(game))
        titles, observations, probabilities = read
        if others := titles - {None, "", game_in_words(game)}:
            raise ValueError(f"it is for the game {others.pop()!r}, not for {game_in_words(game)!r}")
        with np.errstate(over="ignore"):  # infinite numbers are refused with the others
            seen = np.asarray(observations, np.float32)
        table = TablePolicy(checked_rows(game, seen, np.asarray(probabilities, np.float64)))
    except Exception as error:  # invalid content can raise many kinds of errors
        reason = f"it has no {error}" if isinstance(error, KeyError) else str(error) or type(error).__name__
        raise ValueError(f"{path} does not contain a table of probabilities: {' '.join(reason.split())}") from None
    table.name = str(path)
    return table


def _moves(game: Game[Any]) -> list[str]:
    """Returns a name for each action, e.g. `raise/call` if players have different names for it."""
    players, actions = range(game.facts.num_players), range(game.facts.num_actions)
    names = ["/".join(dict.fromkeys(game.describe_action(action, seat) for seat in players)) for action in actions]
    return [f"{name} #{action}" if names.count(name) > 1 else name for action, name in enumerate(names)]


def _read_text(content: bytes, moves: list[str]) -> tuple[set[Any], Any, Any]:
    """Returns the games, observations and probabilities in JSON, which begins with a bracket, or CSV."""
    if content.lstrip()[:1] == b"{":
        table = parse_object(content)
        titles, rows = {table.get("game")}, table["states"]
    else:
        rows = list(csv.DictReader(StringIO(content.decode("utf-8-sig")), restval="", strict=True))
        titles = {row.get("game") for row in rows}
        for row in rows:
            row["observation"] = row["observation"].split()
            mix = {name[2:-1]: cell for name, cell in row.items() if name and name.startswith("p(") and cell}
            row["probabilities"] = mix
    for name in dict.fromkeys(name for row in rows for name in row["probabilities"]):
        if name not in moves:
            raise ValueError(f"unknown move {name!r}{did_you_mean(name, moves)}")
    mixes = [[row["probabilities"].get(move, 0.0) for move in moves] for row in rows]
    return titles, [row["observation"] for row in rows], mixes


def _read_npz(content: bytes) -> tuple[set[Any], Any, Any]:
    with ZipFile(BytesIO(content)) as archive:
        if sum(member.file_size for member in archive.infolist()) > MOST_BYTES:
            raise ValueError(f"its arrays have more than {MOST_BYTES:,} bytes")
    with np.load(BytesIO(content), allow_pickle=False) as arrays:  # noqa: TID251  # pickles, which run code, are refused
        titles = {str(arrays["game"])} if "game" in arrays else set()
        return titles, arrays["observations"], arrays["probabilities"]
