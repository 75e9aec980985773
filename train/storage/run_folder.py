"""The folder of a run, with its configuration, its results, and the checkpoint from which it can resume.

`config.json` identifies the run, `metadata.json` records its environment, and `metrics.csv` has a row per evaluation.
The checkpoint also contains these rows and is replaced atomically, so a run can be killed at any time; resuming
rebuilds all other files from it. `checksums.txt` verifies files that contain no checksum; while such a file is being
replaced, it has a line for the old content and one for the new.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from baselines.system.files import csv_bytes, kind_of_file, parse_object, read_plain, refuse_links, write_atomically
from train.storage.circumstances import circumstances
from train.storage.formats import FORMAT, StoredCheckpoint, StoredConfig, StoredIdentity, StoredMetadata, StoredRows
from train.text.validation import Strict, check

if TYPE_CHECKING:
    from train.storage.archive import Archive  # it needs torch, which reports do not need

CONFIG_FILE, METADATA_FILE, METRICS_FILE = "config.json", "metadata.json", "metrics.csv"
CHECKPOINT_FILE, CHECKSUM_FILE = "checkpoint.safetensors", "checksums.txt"
ANEW = "restore a copy, or restart the run in another folder"
RESUME = "resuming the run (--resume) rebuilds it from the checkpoint"

# Maximum size in bytes of a file of settings or checksums.
MOST_SETTINGS = 1_000_000
# Keys of the run's identity and of its steps so far in the data of a policy file.
RUN, STEPS = "run", "steps"
# Key of the earlier numbers of steps in the configuration of an extended run.
EXTENDED = "extended_from"

# Two runs that differ in any of these are different runs.
IDENTITY = tuple(StoredIdentity.model_fields)

# Figures of one evaluation by name; `measured` is the kind of figures.
MetricsRow = dict[str, Any]


class HeldByRunError(ValueError):
    """The folder contains another run, or a run that the caller did not ask to resume."""


def require_storable(identity: Mapping[str, Any]) -> None:
    """Raises a ValueError if a run's identity could not be read again, e.g. a parameter above 2**53."""
    check(StoredIdentity, parse_object(_json(identity)))


class RunFolder:
    """One run on disk, in the folder `path`; see `create` and `reopen`."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @classmethod
    def create(cls, path: str | Path, config: Mapping[str, Any]) -> RunFolder:
        """Starts a run in a new or empty folder; `config` has the entries of `StoredConfig`, without the format.

        Raises:
            ValueError: If the configuration could not be read again, or the folder contains a run or other files, which
                are not changed.
        """
        folder, config = cls(Path(path)), {"format": FORMAT, **config}
        check(StoredConfig, parse_object(_json(config)))
        if (folder.path / CONFIG_FILE).exists():
            raise HeldByRunError(f"{path} already contains a run; resume it or choose another folder")
        if folder.path.exists() and not folder.path.is_dir():
            raise ValueError(f"{path} is not a folder")
        held = {each.name for each in folder.path.iterdir()} if folder.path.exists() else set()
        # A run that was killed while it was created leaves hidden files and these two.
        if any(not name.startswith(".") for name in held - {METADATA_FILE, CHECKSUM_FILE}):
            raise ValueError(f"{path} contains other files; choose an empty or a new folder")
        folder.path.mkdir(parents=True, exist_ok=True)
        metadata = {"seed": config["seed"], **circumstances()}
        contents = {METADATA_FILE: _json(metadata), CONFIG_FILE: _json(config)}
        folder._write_checksums([_checksum(name, content) for name, content in contents.items()])
        for name, content in contents.items():  # the settings come last: they make the folder a run
            write_atomically(folder.path / name, content)
        return folder

    @classmethod
    def reopen(cls, path: str | Path, identity: Mapping[str, Any]) -> RunFolder:
        """Opens a run to resume it; `identity` has the entries of `run_identity`; further entries are ignored.

        `identity` may have more steps than the run, which `extend` then extends.

        Raises:
            ValueError: If the folder contains no run or a damaged run; if the run has another game, algorithm,
                arguments or seed; or if the folder contains links, because a run must not change files elsewhere.
        """
        folder = cls(Path(path))
        if not (folder.path / CONFIG_FILE).exists():
            raise ValueError(f"{path} contains no run to resume")
        for held_file in sorted(folder.path.iterdir()):
            refuse_links(folder.path, held_file.name)
        if not folder.is_longer(identity):
            folder.check_same(identity)
        folder.metadata()
        return folder

    def check_same(self, identity: Mapping[str, Any]) -> None:
        """Raises ValueError if the run is damaged or has another game, algorithm, arguments or seed."""
        held, wanted = self.config(), identity["args"]["steps"]
        steps = held["args"]["steps"]
        if difference := _difference(_with_steps(held, wanted), identity):
            raise HeldByRunError(f"{self.path} contains a run with {difference}; resume it with its original arguments")
        if steps != wanted:
            many = f"{self.path} contains a run of {steps:,} steps, not {wanted:,}"
            raise HeldByRunError(f"{many}; resume it with at least {steps:,}")

    def is_longer(self, identity: Mapping[str, Any]) -> bool:
        """Returns whether `identity` is this run with more steps; raises ValueError like `config`."""
        held = self.config()
        longer = identity["args"]["steps"] > held["args"]["steps"]
        return longer and not _difference(_with_steps(held, identity["args"]["steps"]), identity)

    def extend(self, steps: int, schedules: Mapping[str, float], taken: float) -> None:
        """Changes the number of steps that the run is to take, of which it has `taken` some.

        Raises:
            ValueError: If a run of that many steps would already differ: because `schedules` spread over its steps, or
                because it would not have been evaluated, and its games restarted, at the step of the last evaluation.
        """
        held = self.config()
        before, every = held["args"]["steps"], held["args"]["evaluate_every"]
        why = ""
        if schedules:
            named = ", ".join(f"{name}={value:g}" for name, value in schedules.items())
            why = f"{named} spreads a schedule over all steps, so a longer run differs from the first step on"
        elif taken >= before and before % every:
            why = f"it was evaluated after {before:,} steps, but a longer run would be only at multiples of {every:,}"
        if why:
            raise ValueError(
                f"{self.path} cannot be extended from {before:,} to {steps:,} steps: {why}; choose another folder"
            )
        longer = _with_steps(held, steps) | {EXTENDED: [*held.get(EXTENDED, []), before]}
        self._replace(CONFIG_FILE, _json(longer))

    def config(self) -> dict[str, Any]:
        """Returns the configuration (`StoredConfig`); raises ValueError if missing, damaged or of another format."""
        if self.path.exists() and not self.path.is_dir():
            raise ValueError(f"{self.path} is {kind_of_file(self.path)}, not a run folder")
        return self._read_json(CONFIG_FILE, StoredConfig)

    def identity(self) -> dict[str, Any]:
        """Returns the run's identity (see `StoredIdentity`); raises the same errors as `config`."""
        config = self.config()
        return {name: config[name] for name in IDENTITY}

    def metadata(self) -> dict[str, Any]:
        """Returns the run's environment (see `StoredMetadata`); raises ValueError if the file is missing or damaged."""
        return self._read_json(METADATA_FILE, StoredMetadata)

    def _read_json(self, name: str, kind: type[Strict]) -> dict[str, Any]:
        path = self.path / name
        if not self.path.exists():
            raise ValueError(f"{self.path} does not exist")
        try:
            content = read_plain(path, self.path, MOST_SETTINGS)
            held = parse_object(content)
            if "format" in kind.model_fields and held.get("format") != FORMAT:
                raise ValueError(
                    f"its format ({held.get('format')!r}) belongs to another version; this one reads {FORMAT}"
                )
            self._check_sum(name, content)
            return check(kind, held)
        except (OSError, ValueError) as error:
            raise ValueError(f"{path} cannot be read: {error}; {ANEW}") from None

    def read_checkpoint(self, identity: Mapping[str, Any]) -> Archive | None:
        """Reads the newest checkpoint (see `StoredCheckpoint`); returns None if the run has not written one yet.

        Raises:
            ValueError: If the checkpoint is damaged, or its run is not the run of `identity`.
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
        """Raises ValueError if a policy file in this folder was written by another run.

        A policy that names no run is not checked.
        """
        if RUN in data:
            try:
                check(StoredIdentity, data[RUN])
            except ValueError as error:
                raise ValueError(f"{path} does not name its run ({error}); {ANEW}") from None
            self._check_owner(path, data[RUN], self.config())

    def _check_owner(self, path: Path, owner: Mapping[str, Any], identity: Mapping[str, Any]) -> None:
        held = self.config()
        if owner["args"]["steps"] in (held["args"]["steps"], *held.get(EXTENDED, [])):  # from before an extension
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
        """Replaces a file; at every moment, `checksums.txt` lists the checksum of its content."""
        lines, line = self._checksums(), _checksum(name, content)
        self._write_checksums([*lines, line])
        write_atomically(self.path / name, content)
        self._write_checksums([*(each for each in lines if not _is_of(name, each)), line])

    def read_metrics(self) -> list[MetricsRow]:
        """Reads the rows of `metrics.csv`; there are none if the run was stopped before its first evaluation.

        Raises:
            ValueError: If the file is empty or damaged, or missing although it was written.
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
                raise ValueError(f"its first line contains a name twice: {', '.join(names)}")
            rows = [
                {name: cell if name == "measured" else float(cell) for name, cell in line.items()} for line in lines
            ]
            check(StoredRows, {"rows": rows})
            return rows
        except (OSError, TypeError, ValueError, csv.Error) as error:
            raise ValueError(f"{path} cannot be read: {error}; {RESUME}") from None

    def _checksums(self) -> list[bytes]:
        """Returns one line for each file, but two lines for a file that is being replaced."""
        path = self.path / CHECKSUM_FILE
        there = path.exists() or path.is_symlink()
        return read_plain(path, self.path, MOST_SETTINGS).splitlines(keepends=True) if there else []

    def _write_checksums(self, lines: Sequence[bytes]) -> None:
        write_atomically(self.path / CHECKSUM_FILE, b"".join(lines))

    def _check_sum(self, name: str, content: bytes) -> None:
        """Raises ValueError if the content of a file does not match its checksum."""
        if _checksum(name, content) not in self._checksums():
            raise ValueError(f"its checksum is not in {CHECKSUM_FILE}, so one of the two is missing or damaged")


def _json(content: Mapping[str, Any]) -> bytes:
    return (json.dumps(content, indent=2) + "\n").encode()


def _checksum(name: str, content: bytes) -> bytes:
    """Returns a line in the format of `sha256sum`."""
    return f"{hashlib.sha256(content).hexdigest()}  {name}\n".encode()


def _is_of(name: str, line: bytes) -> bool:
    return line.endswith(f"  {name}\n".encode())


def _with_steps(identity: Mapping[str, Any], steps: int) -> dict[str, Any]:
    return {**identity, "args": {**identity["args"], "steps": steps}}


def _difference(held: Mapping[str, Any], wanted: Mapping[str, Any]) -> str:
    """Describes the first difference between two runs; empty for the same run."""
    for key in IDENTITY:
        one, other = held[key], wanted[key]
        if one != other and isinstance(one, dict) and isinstance(other, dict):
            # A missing entry differs from an entry that is null.
            sides = {name: [(name in each, each.get(name)) for each in (one, other)] for name in (*one, *other)}
            unlike = next(name for name, (left, right) in sides.items() if left != right)
            held_there, wanted_here = (repr(each[unlike]) if unlike in each else "nothing" for each in (one, other))
            return f"{unlike}={held_there}, not {wanted_here}"
        if one != other:
            return f"{key}={one!r}, not {other!r}"
    return ""
