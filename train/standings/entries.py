"""Entries of the standings: `standings/GAME/NAME.toml`, each beside its policy file `NAME.safetensors`.

An entry states how a policy was learned and what it cost. Its exploitability is never trusted: `verify` computes it
again from the policy file. Reading an entry runs no code and follows no link.
"""

from __future__ import annotations

import json
import re
import tempfile
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median, median_low
from typing import Annotated, Any, Literal, cast

from pydantic import AfterValidator, Field

from baselines import exploitability
from baselines.system.files import read_plain, refuse_links, write_atomically
from cardwar_envs.core.game import Game
from cardwar_envs.core.policy import Policy
from train.algorithms.registry import CLASSES
from train.policies.files import POLICY_KINDS, load_policy, save_policy
from train.policies.learned_policy import LearnedPolicy
from train.policies.table import Recorder
from train.storage.formats import LONGEST, Name, Points, Seed
from train.storage.run_folder import MOST_SETTINGS
from train.text.game_names import game_in_words, stored_game
from train.text.validation import MAX_INT, Strict, one_line

TOML, POLICY = ".toml", ".safetensors"
NAME = re.compile(r"[A-Za-z0-9][\w.+-]{0,99}")
# Maximum size of a policy file in the standings, in bytes.
MOST_BYTES = 4 << 20
# Exploitability of the same network differs by less between processors, in payoff points.
TOLERANCE = 1e-5


def _check_class(uses: str) -> str:
    if uses not in CLASSES:
        raise ValueError(f"{uses!r} must be one of {', '.join(CLASSES)}")
    return uses


class StoredSeed(Strict):
    """One run of the learner."""

    seed: Seed
    cpu_seconds: Annotated[float, Field(ge=0, le=MAX_INT)]
    joint_actions: Annotated[int, Field(ge=0, le=MAX_INT)]
    exploitability: Annotated[Points, Field(ge=0)]


class StoredEntry(Strict):
    """The content of an entry's file."""

    format: Literal[1]
    game: Name
    uses: Annotated[str, AfterValidator(_check_class), Field(alias="class")]
    learner: Name
    by: Name
    command: Annotated[str, Field(max_length=LONGEST)] = ""
    runs: Annotated[list[StoredSeed], Field(min_length=1, max_length=1000)]


@dataclass(frozen=True)
class Run:
    """A policy to enter.

    Attributes:
        policy: The policy.
        seed: The seed of the learner.
        cpu_seconds: CPU seconds of learning, without evaluation.
        joint_actions: Joint actions that the learner played or tried.
    """

    policy: Policy
    seed: int
    cpu_seconds: float
    joint_actions: int


@dataclass(frozen=True)
class Entry:
    """An entry that has been read.

    Attributes:
        path: Its file.
        game: The game.
        stated: Its content.
    """

    path: Path
    game: Game[Any]
    stated: StoredEntry

    @property
    def name(self) -> str:
        """The name of the entry."""
        return self.path.stem

    @property
    def policy_file(self) -> Path:
        """The policy of the run with the median exploitability."""
        return self.path.with_suffix(POLICY)

    @property
    def exploitability(self) -> float:
        """The stated exploitability of the policy file, in payoff points: the (lower) median over the runs."""
        return median_low(run.exploitability for run in self.stated.runs)

    @property
    def cpu_seconds(self) -> float:
        """Median over the runs."""
        return median(run.cpu_seconds for run in self.stated.runs)

    @property
    def joint_actions(self) -> int:
        """Median over the runs."""
        return round(median(run.joint_actions for run in self.stated.runs))


def add(
    root: Path, name: str, game: Game[Any], runs: Sequence[Run], *, uses: str, learner: str, by: str, command: str
) -> Entry:
    """Measures policies exactly and enters them, with the policy file of the run with the median exploitability.

    Args:
        root: The folder of all standings.
        name: Name of the entry; an existing entry is not replaced.
        game: A two-player zero-sum game of the suite.
        runs: One run for each seed.
        uses: One of `CLASSES`.
        learner: Name of the learner, with the arguments that differ from its defaults.
        by: Who made the entry.
        command: The command that repeats the runs; {seed} stands for the seed.

    Raises:
        ValueError: If an argument is invalid, the entry exists, a policy cannot be measured exactly, or its policy file
            would be larger than 4 MiB.
    """
    if not NAME.fullmatch(name):
        raise ValueError(f"name ({name!r}) must have at most 100 letters, digits, '.', '_', '+' or '-'")
    title = game_in_words(game)
    if stored_game(title) is None:
        raise ValueError(f"{title} is not a game of the suite; other users could not measure the entry")
    path = root / folder_name(title) / f"{name}{TOML}"
    if path.exists():
        raise ValueError(f"{path} exists; choose another name, or delete the entry first")
    with tempfile.TemporaryDirectory() as made:
        kept = [_storable(game, run.policy, Path(made) / f"{place}{POLICY}") for place, run in enumerate(runs)]
        figures = [max(0.0, exploitability(game, load_policy(file, game))) for file in kept]
        chosen = figures.index(median_low(figures))
        content = kept[chosen].read_bytes()
    stated = {
        "format": 1,
        "game": title,
        "class": uses,
        "learner": learner,
        "by": by,
        "command": command,
        "runs": [
            {
                "seed": run.seed,
                "cpu_seconds": round(float(run.cpu_seconds), 1),
                "joint_actions": run.joint_actions,
                "exploitability": figure,
            }
            for run, figure in zip(runs, figures, strict=True)
        ],
    }
    with one_line():
        entry = Entry(path, game, StoredEntry.model_validate(stated))
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(entry.policy_file, content)
    write_atomically(path, _as_toml(stated).encode())
    return entry


def _storable(game: Game[Any], policy: Policy, path: Path) -> Path:
    """Writes a policy file: a network of this package as it is, any other policy, or a large network, as a table."""
    if type(policy) in POLICY_KINDS.values():
        save_policy(path, cast("LearnedPolicy", policy))
        if path.stat().st_size <= MOST_BYTES:
            return path
    recorder = Recorder(policy)
    exploitability(game, recorder)
    if (table := recorder.table(game)) is not None:
        save_policy(path, table)
        if path.stat().st_size <= MOST_BYTES:
            return path
    raise ValueError(f"the policy file would be larger than {MOST_BYTES >> 20} MiB, also as a table; use a smaller one")


def _as_toml(stated: dict[str, Any]) -> str:
    head = [f"{key} = {json.dumps(value)}\n" for key, value in stated.items() if key != "runs"]
    runs = ["\n[[runs]]\n" + "".join(f"{key} = {value!r}\n" for key, value in run.items()) for run in stated["runs"]]
    return "".join([*head, *runs])


def folder_name(title: str) -> str:
    """The name of a game's folder, e.g. `jujitsu-num_cards=5`."""
    return re.sub(r"[^\w.,=+-]", "-", title)


def read_entry(path: Path) -> Entry:
    """Reads an entry.

    Raises:
        ValueError: If the file is missing, damaged or a link, its game is not in the suite, or it is in the folder of
            another game.
    """
    try:
        content = tomllib.loads(read_plain(path, path.parent, MOST_SETTINGS).decode())
        with one_line():
            stated = StoredEntry.model_validate(content)
        if (game := stored_game(stated.game)) is None:
            raise ValueError(f"game ({stated.game!r}) is not a game of the suite")
        if path.parent.name != folder_name(game_in_words(game)):
            raise ValueError(f"the folder of {stated.game} is {folder_name(game_in_words(game))}")
    except (OSError, ValueError, RecursionError) as error:
        raise ValueError(f"{path} is not a valid entry: {error}") from None
    return Entry(path, game, stated)


def paths(root: Path, title: str = "") -> Iterator[Path]:
    """The files of all entries, or of those on one game."""
    if not root.is_dir():
        raise ValueError(f"there is no folder {root}; run this in a checkout of cardwar-envs, or give --root")
    yield from sorted(root.glob(f"{folder_name(title) or '*'}/*{TOML}"))


def verify(entry: Entry) -> float:
    """Measures an entry's policy file again and returns its exploitability, in payoff points.

    Raises:
        ValueError: If the file is missing, damaged, a link or of another game, or its exploitability is not the stated
            one.
    """
    refuse_links(entry.path.parent, entry.policy_file.name)
    measured = exploitability(entry.game, load_policy(entry.policy_file, entry.game))
    if abs(measured - entry.exploitability) > TOLERANCE:
        raise ValueError(f"{entry.path} states the exploitability {entry.exploitability:.6f}, but it is {measured:.6f}")
    return measured
