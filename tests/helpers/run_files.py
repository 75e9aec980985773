"""Run folders whose files say what a test wants, with checksums that are right."""

import hashlib
import json
import os

import pytest

from train.storage.run_folder import RunFolder


def seal(folder):
    """Writes the checksums of the files as they are."""
    paths = [folder / name for name in ("metadata.json", "config.json", "metrics.csv") if (folder / name).exists()]
    lines = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in paths]
    (folder / "checksums.txt").write_text("".join(lines))


def rows(folder):
    """The rows of a run but for the seconds that they took."""
    return [
        {k: v for k, v in row.items() if k not in ("seconds", "cpu_seconds")}
        for row in RunFolder(folder).read_metrics()
    ]


def contents(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


class Killed(BaseException):
    """Stands for a kill: nothing catches it, nothing is tidied up."""


def is_killed_after(writes, work, *args, **kwargs):
    """Whether so many writes leave work to do: a kill takes the place of the next one."""
    left, replace = iter(range(writes)), os.replace

    def replace_or_die(source, target):
        if next(left, None) is None:
            raise Killed
        replace(source, target)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "replace", replace_or_die)
        try:
            work(*args, **kwargs)
        except Killed:
            return True
    return False


def change_config(folder, **changes):
    """Changes entries of `config.json`; a name such as `args__steps` is that of an entry within one."""
    config = json.loads((folder / "config.json").read_text())
    for name, value in changes.items():
        *outer, last = name.split("__")
        holder = config
        for each in outer:
            holder = holder[each]
        holder[last] = value
    (folder / "config.json").write_text(json.dumps(config))
    seal(folder)
