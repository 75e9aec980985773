"""The folder of a run: configuration, results, and the checkpoint from which a killed run resumes.

`config.json` identifies the run, `metadata.json` records its environment, and `metrics.csv` has a row per evaluation.
The checkpoint also holds the rows and is replaced atomically, so a run can be killed at any moment and everything else
is rebuilt from it. `checksums.txt` verifies files without a checksum of their own; while such a file is being replaced,
it has a line for the old content and one for the new.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from baselines.files import csv_bytes, kind_of_file, parse_object, read_plain, refuse_links, write_atomically
from train.storage.circumstances import circumstances
from train.storage.formats import FORMAT, StoredCheckpoint, StoredConfig, StoredIdentity, StoredMetadata, StoredRows
from train.validation import Strict, check

if TYPE_CHECKING:
    from train.storage.archive import Archive  # it needs torch, which reports do without

CONFIG_FILE, METADATA_FILE, METRICS_FILE = "config.json", "metadata.json", "metrics.csv"
CHECKPOINT_FILE, CHECKSUM_FILE = "checkpoint.safetensors", "checksums.txt"
ANEW = "restore a copy, or restart the run in another folder"
RESUME = "resuming the run (--resume) rebuilds it from the checkpoint"

# Bytes of a file of settings or checksums.
MOST_SETTINGS = 1_000_000
# Keys of the run's identity and of its steps so far in a policy's data.
RUN, STEPS = "run", "steps"
# Key of the steps that an extended run had before, in its configuration.
EXTENDED = "extended_from"

# Runs that differ in any of these are different runs.
IDENTITY = tuple(StoredIdentity.model_fields)

# Figures of one evaluation by name; `measured` says what kind of figures they are.
MetricsRow = dict[str, Any]


class HeldByRunError(ValueError):
    """A folder holds another run, or one that is not to be resumed."""


class RunFolder:
    """One run on disk, in the folder `path`; see `create` and `reopen`."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @classmethod
    def create(cls, path: str | Path, config: Mapping[str, Any]) -> RunFolder:
        """Starts a run in a folder that is new or empty; `config` is as `StoredConfig`, without the format.

        Raises:
            ValueError: If the folder holds a run or other files; they stay as they are.
        """
        folder = cls(Path(path))
        if (folder.path / CONFIG_FILE).exists():
            raise HeldByRunError(f"{path} already holds a run; resume it or choose another folder")
        if folder.path.exists() and not folder.path.is_dir():
            raise ValueError(f"{path} is not a folder")
        held = {each.name for each in folder.path.iterdir()} if folder.path.exists() else set()
        # A run killed during creation leaves hidden files and these two.
        if any(not name.startswith(".") for name in held - {METADATA_FILE, CHECKSUM_FILE}):
            raise ValueError(f"{path} holds other files; choose an empty or a new folder")
        folder.path.mkdir(parents=True, exist_ok=True)
        metadata, config = {"seed": config["seed"], **circumstances()}, {"format": FORMAT, **config}
        contents = {METADATA_FILE: _json(metadata), CONFIG_FILE: _json(config)}
        folder._write_checksums([_checksum(name, content) for name, content in contents.items()])
        for name, content in contents.items():  # the settings last: it is a run from then on
            write_atomically(folder.path / name, content)
        return folder

    @classmethod
    def reopen(cls, path: str | Path, identity: Mapping[str, Any]) -> RunFolder:
        """Continues the run that a folder holds; `identity` is as `run_identity`, with other entries ignored.

        It may have more steps than the run, which `extend` then extends.

        Raises:
            ValueError: If the folder holds no run or a damaged one; if the run has another game, algorithm,
                arguments or seed; or if the folder holds links, because a run must not change files elsewhere.
        """
        folder = cls(Path(path))
        if not (folder.path / CONFIG_FILE).exists():
            raise ValueError(f"{path} holds no run to resume")
        for held_file in sorted(folder.path.iterdir()):
            refuse_links(folder.path, held_file.name)
        if not folder.is_longer(identity):
            folder.check_same(identity)
        folder.metadata()
        return folder

    def check_same(self, identity: Mapping[str, Any]) -> None:
        """Raises ValueError if the run is damaged, or has another game, algorithm, arguments or seed."""
        if difference := _difference(self.config(), identity):
            raise HeldByRunError(f"{self.path} holds a run with {difference}; resume it with its original arguments")

    def is_longer(self, identity: Mapping[str, Any]) -> bool:
        """Whether `identity` is this run with more steps; raises ValueError as `config`."""
        held = self.config()
        longer = identity["args"]["steps"] > held["args"]["steps"]
        return longer and not _difference(_with_steps(held, identity["args"]["steps"]), identity)

    def extend(self, steps: int, schedules: Mapping[str, float], taken: float) -> None:
        """Changes the number of steps that the run is to take, of which it has `taken` some.

        Raises:
            ValueError: If a run of so many steps would not have got here: because `schedules` spread over its
                steps, or because the last evaluation, before which games start anew, was where it has none.
        """
        held = self.config()
        before, every = held["args"]["steps"], held["args"]["evaluate_every"]
        why = ""
        if schedules:
            named = ", ".join(f"{name}={value:g}" for name, value in schedules.items())
            why = f"{named} spreads a schedule over all steps, so a longer run differs from the first step on"
        elif taken >= before and before % every:
            why = f"it was evaluated after {before:,} steps, and a longer run only after multiples of {every:,}"
        if why:
            raise ValueError(
                f"{self.path} cannot go on from {before:,} to {steps:,} steps: {why}; choose another folder instead"
            )
        longer = _with_steps(held, steps) | {EXTENDED: [*held.get(EXTENDED, []), before]}
        self._replace(CONFIG_FILE, _json(longer))

    def config(self) -> dict[str, Any]:
        """The configuration, as `StoredConfig`; raises ValueError if it is missing, damaged or of another format."""
        if self.path.exists() and not self.path.is_dir():
            raise ValueError(f"{self.path} is {kind_of_file(self.path)}, not the folder of a run")
        return self._read_json(CONFIG_FILE, StoredConfig)

    def identity(self) -> dict[str, Any]:
        """The run's identity, as `StoredIdentity`; raises ValueError as `config`."""
        config = self.config()
        return {name: config[name] for name in IDENTITY}

    def metadata(self) -> dict[str, Any]:
        """The environment of the run, as `StoredMetadata`; raises ValueError if the file is missing or damaged."""
        return self._read_json(METADATA_FILE, StoredMetadata)

    def _read_json(self, name: str, kind: type[Strict]) -> dict[str, Any]:
        path = self.path / name
        if not self.path.exists():
            raise ValueError(f"{self.path} does not exist")
        try:
            content = read_plain(path, self.path, MOST_SETTINGS)
            held = parse_object(content)
            if "format" in kind.model_fields and held.get("format") != FORMAT:
                raise ValueError(f"its format ({held.get('format')!r}) is that of another version, not {FORMAT}")
            self._check_sum(name, content)
            return check(kind, held)
        except (OSError, ValueError) as error:
            raise ValueError(f"{path} cannot be read: {error}; {ANEW}") from None

    def read_checkpoint(self, identity: Mapping[str, Any]) -> Archive | None:
        """The newest checkpoint, with data as `StoredCheckpoint`, or None if the run was killed before its first.

        Raises:
            ValueError: If the checkpoint is damaged or belongs to another run than that of `identity`.
        """
        from train.storage.archive import read_archive

        path = self.path / CHECKPOINT_FILE
        if not path.exists():
            return None
        try:
            checkpoint = read_archive(path, self.path)
        except ValueError as error:
            raise ValueError(f"{error}; {ANEW}") from None
        try:
            check(StoredCheckpoint, checkpoint.data)
        except ValueError as error:
            raise ValueError(f"{path} was written by another version ({error}); {ANEW}") from None
        self._check_owner(path, checkpoint.data["run"], identity)
        return checkpoint

    def check_policy(self, path: Path, data: Mapping[str, Any]) -> None:
        """Raises ValueError if a policy file in this folder belongs to another run.

        Policies of no run, and those of older versions, are not checked.
        """
        if RUN in data:
            try:
                check(StoredIdentity, data[RUN])
            except ValueError as error:
                raise ValueError(f"{path} does not name its run ({error}); {ANEW}") from None
            self._check_owner(path, data[RUN], self.config())

    def _check_owner(self, path: Path, owner: Mapping[str, Any], identity: Mapping[str, Any]) -> None:
        held = self.config()
        if owner["args"]["steps"] in (held["args"]["steps"], *held.get(EXTENDED, [])):  # of the run as it was, perhaps
            owner = _with_steps(owner, identity["args"]["steps"])
        if difference := _difference(owner, identity):
            raise ValueError(f"{path} belongs to another run, with {difference}; {ANEW}")

    def write_checkpoint(self, checkpoint: Archive) -> None:
        """Replaces the checkpoint, atomically."""
        from train.storage.archive import write_archive

        write_archive(self.path / CHECKPOINT_FILE, checkpoint)

    def write_metrics(self, rows: Sequence[MetricsRow]) -> None:
        """Replaces `metrics.csv`, atomically."""
        self._replace(METRICS_FILE, csv_bytes([rows[0], *([row[name] for name in rows[0]] for row in rows)]))

    def _replace(self, name: str, content: bytes) -> None:
        """Replaces a file that has a checksum, so that at any moment what it holds has one."""
        lines, line = self._checksums(), _checksum(name, content)
        self._write_checksums([*lines, line])
        write_atomically(self.path / name, content)
        self._write_checksums([*(each for each in lines if not _is_of(name, each)), line])

    def read_metrics(self) -> list[MetricsRow]:
        """The rows of `metrics.csv`; none if the run was stopped before its first evaluation.

        Raises:
            ValueError: If the file is empty or damaged, or it is missing though it was written.
        """
        path = self.path / METRICS_FILE
        try:
            written = any(_is_of(METRICS_FILE, line) for line in self._checksums())
            if not (path.exists() or path.is_symlink() or written):
                return []
            content = read_plain(path, self.path)
            self._check_sum(METRICS_FILE, content)
            lines = csv.DictReader(io.StringIO(content.decode()))
            if len(set(names := lines.fieldnames or ())) < len(names):
                raise ValueError(f"a name is twice in its first line: {', '.join(names)}")
            rows = [
                {name: cell if name == "measured" else float(cell) for name, cell in line.items()} for line in lines
            ]
            check(StoredRows, {"rows": rows})
            return rows
        except (OSError, TypeError, ValueError, csv.Error) as error:
            raise ValueError(f"{path} cannot be read: {error}; {RESUME}") from None

    def _checksums(self) -> list[bytes]:
        """One line for each file, but two lines for one that is being replaced right now."""
        path = self.path / CHECKSUM_FILE
        there = path.exists() or path.is_symlink()
        return read_plain(path, self.path, MOST_SETTINGS).splitlines(keepends=True) if there else []

    def _write_checksums(self, lines: Sequence[bytes]) -> None:
        write_atomically(self.path / CHECKSUM_FILE, b"".join(lines))

    def _check_sum(self, name: str, content: bytes) -> None:
        """Raises ValueError if a file does not hold what was written."""
        if _checksum(name, content) not in self._checksums():
            raise ValueError(f"its checksum is not in {CHECKSUM_FILE}, so one of the two is missing or damaged")


def _json(content: Mapping[str, Any]) -> bytes:
    return (json.dumps(content, indent=2) + "\n").encode()


def _checksum(name: str, content: bytes) -> bytes:
    """A line in the format of `sha256sum`."""
    return f"{hashlib.sha256(content).hexdigest()}  {name}\n".encode()


def _is_of(name: str, line: bytes) -> bool:
    return line.endswith(f"  {name}\n".encode())


def _with_steps(identity: Mapping[str, Any], steps: int) -> dict[str, Any]:
    return {**identity, "args": {**identity["args"], "steps": steps}}


def _difference(held: Mapping[str, Any], wanted: Mapping[str, Any]) -> str:
    """The first difference between two runs, in words; empty for the same run."""
    for key in IDENTITY:
        one, other = held[key], wanted[key]
        if one != other and isinstance(one, dict) and isinstance(other, dict):
            # An entry that is missing is not one that is null.
            sides = {name: [(name in each, each.get(name)) for each in (one, other)] for name in (*one, *other)}
            unlike = next(name for name, (left, right) in sides.items() if left != right)
            held_there, wanted_here = (repr(each[unlike]) if unlike in each else "nothing" for each in (one, other))
            return f"{unlike}={held_there}, not {wanted_here}"
        if one != other:
            return f"{key}={one!r}, not {other!r}"
    return ""
