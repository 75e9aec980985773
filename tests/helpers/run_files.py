"""Run folders whose files say what a test wants, with checksums that are right."""

import hashlib
import json


def seal(folder):
    """Writes the checksums of the files as they are."""
    paths = [folder / name for name in ("metadata.json", "config.json", "metrics.csv") if (folder / name).exists()]
    lines = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in paths]
    (folder / "checksums.txt").write_text("".join(lines))


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
