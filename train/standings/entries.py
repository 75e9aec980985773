"""Entries of the standings: `standings/GAME/NAME.toml`, each beside its policy file `NAME.safetensors`.

An entry states how a policy was learned, what it cost, and the curve of each seed. Its exploitability is never trusted:
`verify` computes it again from the policy file. Reading an entry runs no code and follows no link.
"""

from __future__ import annotations

import json
import re
import tempfile
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from statistics import median, median_low
from typing import Annotated, Any, Literal, cast

from pydantic import AfterValidator, Field, model_validator

from baselines import exploitability
from baselines.system.files import read_plain, refuse_links, write_atomically
from cardwar_envs.core.game import Game
from cardwar_envs.core.policy import Policy
from train.algorithms.registry import CLASSES
from train.measures.exact import reference
from train.policies.files import GIVEN, POLICY_KINDS, load_policy, save_policy
from train.policies.learned_policy import LearnedPolicy
from train.policies.table import Recorder, TooManyQueriesError
from train.storage.formats import LONGEST, Name, Points, Seed
from train.storage.run_folder import MOST_SETTINGS
from train.text.game_names import game_in_words, stored_game
from train.text.validation import MAX_INT, Strict, one_line

TOML, POLICY = ".toml", ".safetensors"
NAME = re.compile(r"[A-Za-z0-9][\w.,=+-]{0,99}")
# Maximum size of a policy file in the standings, in bytes.
MOST_BYTES = 4 << 20
# A larger network is kept as a table, if there can be one.
SMALL_BYTES = 1 << 19
# Decimals of stated exploitability.
DIGITS = 9
# Exploitability of the same network differs by less between processors, in payoff points.
TOLERANCE = 1e-5


def _check_class(uses: str) -> str:
    if uses not in CLASSES:
        raise ValueError(f"{uses!r} must be one of {', '.join(CLASSES)}")
    return uses


ONE_PER_EVALUATION = Field(min_length=1, max_length=1000)


class StoredSeed(Strict):
    """One run of the learner: what it had used, and what was measured, at each evaluation; the last is the result."""

    seed: Seed
    cpu_seconds: Annotated[list[Annotated[float, Field(ge=0, le=MAX_INT)]], ONE_PER_EVALUATION]
    steps: Annotated[list[Annotated[int, Field(ge=0, le=MAX_INT)]], ONE_PER_EVALUATION]
    exploitability: Annotated[list[Annotated[Points, Field(ge=0)]], ONE_PER_EVALUATION]

    @model_validator(mode="after")
    def _columns_are_equally_long(self) -> StoredSeed:
        if not len(self.cpu_seconds) == len(self.steps) == len(self.exploitability):
            raise ValueError("cpu_seconds, steps and exploitability must have a number for each evaluation")
        if self.cpu_seconds != sorted(self.cpu_seconds):
            raise ValueError(f"cpu_seconds ({self.cpu_seconds}) must not fall")
        return self


class StoredEntry(Strict):
    """The content of an entry's file."""

    format: Literal[1]
    game: Name
    uses: Annotated[str, AfterValidator(_check_class), Field(alias="class")]
    learner: Name
    by: Name
    command: Annotated[str, Field(max_length=LONGEST)] = ""
    step: Name = "joint actions"
    policy_file: bool = True
    uniform_exploitability: Annotated[Points, Field(ge=0)]
    runs: Annotated[list[StoredSeed], Field(min_length=1, max_length=1000)]

    @model_validator(mode="after")
    def _seeds_differ(self) -> StoredEntry:
        seeds = [run.seed for run in self.runs]
        if len(set(seeds)) < len(seeds):
            raise ValueError(f"seeds ({seeds}) must differ, as each run has its own")
        return self


@dataclass(frozen=True)
class Run:
    """A policy to enter.

    Attributes:
        policy: The policy.
        seed: The seed of the learner.
        cpu_seconds: CPU seconds of learning at each evaluation, without those of evaluations.
        steps: Steps of the learner at each evaluation.
        exploitability: The policy's exact exploitability at each evaluation, in payoff points; empty to measure it.
    """

    policy: Policy
    seed: int
    cpu_seconds: Sequence[float]
    steps: Sequence[int]
    exploitability: Sequence[float] = ()


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
        return median_low(run.exploitability[-1] for run in self.stated.runs)

    @property
    def cpu_seconds(self) -> float:
        """Median over the runs."""
        return median(run.cpu_seconds[-1] for run in self.stated.runs)

    @property
    def steps(self) -> str:
        """Median over the runs, with the unit unless that is joint actions."""
        middle = f"{median(run.steps[-1] for run in self.stated.runs):,.0f}"
        return middle if self.stated.step == "joint actions" else f"{middle} {self.stated.step}"


def add(
    root: Path,
    name: str,
    game: Game[Any],
    runs: Sequence[Run],
    *,
    uses: str,
    learner: str,
    by: str,
    command: str,
    step: str = "joint actions",
    replace: bool = False,
    large: bool = False,
) -> Entry:
    """Enters policies, with the policy file of the run with the median exploitability.

    Args:
        root: The folder of all standings.
        name: Name of the entry.
        game: A two-player zero-sum game of the suite.
        runs: One run for each seed, all different; those without exploitability are measured exactly.
        uses: One of `CLASSES`.
        learner: Name of the learner, with the arguments that differ from its defaults.
        by: Who made the entry.
        command: The command that repeats the runs; {seed} stands for the seed.
        step: The unit of steps, in the plural.
        replace: Whether to replace an existing entry of this name.
        large: Whether to enter a policy without its file if that would be larger than 4 MiB.

    Raises:
        ValueError: If an argument is invalid, the entry exists, a policy cannot be measured exactly, or its policy file
            would be larger than 4 MiB.
    """
    if not NAME.fullmatch(name):
        raise ValueError(
            f"name ({name!r}) must begin with a letter or digit and contain only letters, digits and . , _ = + - "
            "(at most 100)"
        )
    title = game_in_words(game)
    if stored_game(title) is None:
        raise ValueError(f"{title} is not a game of the suite; other users could not measure the entry")
    path = root / folder_name(title) / f"{name}{TOML}"
    if path.exists() and not replace:
        raise ValueError(f"{path} exists; choose another name, or delete the entry first")
    figures, content = _measured(game, runs, large)
    stated = {
        "format": 1,
        "game": title,
        "class": uses,
        "learner": learner,
        "by": by,
        "command": command,
        "step": step,
        "policy_file": content is not None,
        "uniform_exploitability": round(reference(game)["uniform_exploitability"], DIGITS),
        "runs": [
            {
                "seed": run.seed,
                "cpu_seconds": [round(float(each), 2) for each in run.cpu_seconds],
                "steps": list(run.steps),
                "exploitability": [round(max(0.0, each), DIGITS) for each in curve],
            }
            for run, curve in zip(runs, figures, strict=True)
        ],
    }
    with one_line():
        entry = Entry(path, game, StoredEntry.model_validate(stated))
    path.parent.mkdir(parents=True, exist_ok=True)
    if content is None:
        entry.policy_file.unlink(missing_ok=True)
    else:
        write_atomically(entry.policy_file, content)
    write_atomically(path, _as_toml(stated).encode())
    return entry


def _measured(game: Game[Any], runs: Sequence[Run], large: bool) -> tuple[list[Sequence[float]], bytes | None]:
    """Returns the curves of all runs, and the policy file of the run with the median exploitability."""
    figures: list[Sequence[float]] = []
    with tempfile.TemporaryDirectory() as made:
        file = Path(made) / POLICY
        for run in runs:
            if not run.exploitability:  # what is measured is what can be stored
                _store(game, run.policy, file)
            figures.append(run.exploitability or [exploitability(game, load_policy(file, game))])
        last = [curve[-1] for curve in figures]
        try:
            _store(game, runs[last.index(median_low(last))].policy, file)
        except ValueError:
            if not large:
                raise
            return figures, None
        return figures, file.read_bytes()


def _store(game: Game[Any], policy: Policy, path: Path) -> None:
    """Writes a policy file: a small network of this package as it is, any other policy as a table if there can be one.

    Raises ValueError if the file would be too large.
    """
    if is_ours := type(policy) in POLICY_KINDS.values():
        save_policy(path, cast("LearnedPolicy", policy))
        if path.stat().st_size <= SMALL_BYTES:
            return
    recorder = Recorder(policy, stops=True)
    with suppress(TooManyQueriesError):
        exploitability(game, recorder)
    if (table := recorder.table(game)) is not None:
        save_policy(path, table)
    if (table is None and not is_ours) or path.stat().st_size > MOST_BYTES:
        raise ValueError(
            f"the policy file would be larger than {MOST_BYTES >> 20} MiB, also as a table; use a smaller one"
        )


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


def require_root(root: Path) -> None:
    """Raises ValueError if the folder of all standings does not exist."""
    if not root.is_dir():
        raise ValueError(f"there is no folder {root}; run this in a checkout of cardwar-envs, or give --root")


def paths(root: Path, title: str = "") -> Iterator[Path]:
    """The files of all entries, or of those on one game."""
    require_root(root)
    yield from sorted(root.glob(f"{folder_name(title) or '*'}/*{TOML}"))


def verify(entry: Entry) -> float:
    """Measures an entry's policy file again and returns its exploitability, in payoff points.

    Raises:
        ValueError: If the entry has no policy file, or that is damaged, a link or of another game, or a stated
            exploitability is wrong: the policy's, or that of uniform play.
    """
    if not entry.stated.policy_file:
        raise ValueError(f"{entry.path} is stated without its policy file, which would be too large")
    refuse_links(entry.path.parent, entry.policy_file.name)
    try:
        policy = load_policy(entry.policy_file, entry.game)
    except ValueError as error:
        raise ValueError(str(error).removesuffix(f"; {GIVEN}")) from None
    measured = exploitability(entry.game, policy)
    uniform = reference(entry.game)["uniform_exploitability"]
    pairs = (("", entry.exploitability, measured), (" of uniform play", entry.stated.uniform_exploitability, uniform))
    for whose, stated, right in pairs:
        if not abs(right - stated) <= TOLERANCE:
            raise ValueError(f"{entry.path} states the exploitability{whose} {stated:.6f}, but it is {right:.6f}")
    return measured
