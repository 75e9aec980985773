"""Ways to spoil a stored file: bytes, entries and files of others, drawn from a seed; links are in `test_links.py`."""

import csv
import hashlib
import io
import json
import random
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

import torch
from run_files import seal
from safetensors.torch import save

from baselines.system.layer_files import FORMAT
from train.storage.archive import read_archive

ESCAPES, MARKS = "\x1b]0;owned\x07\x1b[31m\x00\u202e", "<script>alert(1)</script> | [x](http://example.org) `#*_$&lt;~~"
ODD = [
    *(None, True, False, -1, 0, 1, 2, 7, 10**6, 10**9, 2**53, 2**63, 10**30, 10**400, 0.5, -0.0, 1e308, -1e308),
    *(float("nan"), float("inf"), -float("inf"), "", "x", "0", "x" * 200_000, ESCAPES, MARKS, "../../victim", "\ud800"),
    *("/dev/zero", "os:system", "a\nb\r\n# c", [], {}, [0], [None] * 3, {"a": 1}, [[1], [2]], "$x_1$ \\frac{"),
]
CELLS = ["nan", "inf", "-inf", "1e400", "-1", "", "x", "0", "1e308", "9" * 5000, ESCAPES, MARKS, "exact"]
NAMES = [ESCAPES, MARKS, "x" * 9999, "", "game", "format", "__class__"]
# Texts in the place of a value that no JSON library would write.
RAW = ["[" * 50_000 + "]" * 50_000, '{"a": 1, "a": 2}', "01", "1e999", "'x'", "[1,]", '"\\u0000"']
HELD_BACK = "@@raw@@"


class Spoilt(NamedTuple):
    """What was done to a file; if `sealed`, checksums are right again, so that it may say something else."""

    how: str
    sealed: bool = False


# -- bytes ------------------------------------------------------------------------------------------

BYTES = {
    "flip": lambda content, at, draw: content[:at] + bytes([content[at] ^ 1 << draw.randrange(8)]) + content[at + 1 :],
    "tear": lambda content, at, draw: content[:at],
    "insert": lambda content, at, draw: content[:at] + draw.randbytes(draw.choice([1, 8, 4096])) + content[at:],
    "zeros": lambda content, at, draw: content[:at] + bytes(len(content[at : at + 64])) + content[at + 64 :],
    "drop": lambda content, at, draw: content[:at] + content[at + draw.choice([1, 8, 64]) :],
    "twice": lambda content, at, draw: content + content,
    "empty": lambda content, at, draw: b"",
    "end": lambda content, at, draw: content + draw.choice([b"\n", b"\0", b"}", b"," * 9, b"\xff"]),
}


def bytes_of(path, draw, _):
    """A flipped bit, a torn file, bytes more or less, zeros, or nothing at all."""
    content, way = path.read_bytes() or b"\0", draw.choice(list(BYTES))
    at = draw.randrange(len(content))
    path.write_bytes(BYTES[way](content, at, draw))
    return Spoilt(f"{way} at {at}")


# -- entries ----------------------------------------------------------------------------------------


def places(content, place=()):
    """The places of all values in JSON data, the keys that lead to each."""
    yield place
    if isinstance(content, (dict, list)):
        for key, value in content.items() if isinstance(content, dict) else enumerate(content):
            yield from places(value, (*place, key))


def with_odd_entry(content, draw):
    """JSON data as a text in which one entry is odd, and what was done."""
    holder = {"": json.loads(json.dumps(content))}
    place = ("", *draw.choice(sorted(places(content), key=str)))
    at, last, raw = holder, place[-1], None
    for key in place[:-1]:
        at = at[key]
    way = draw.choice(["value", "value", "value", "gone", "more", "raw", "name"])
    if way == "gone" and at is not holder:
        del at[last]
    elif way == "more" and isinstance(at[last], dict):
        at[last][draw.choice(NAMES)] = draw.choice(ODD)
    elif way == "more" and isinstance(at[last], list):
        at[last].append(draw.choice(ODD))
    elif way == "name" and at is not holder and isinstance(at, dict):
        at[draw.choice(NAMES)] = at.pop(last)
    elif way == "raw":
        raw, at[last] = draw.choice(RAW), HELD_BACK
    else:
        way, at[last] = "value", draw.choice(ODD)
    text = json.dumps(holder[""])
    return text if raw is None else text.replace(f'"{HELD_BACK}"', raw, 1), f"{way} of {place[1:]}"


def entry_of(path, draw, inside):
    """An entry of JSON or CSV, or of the data or the tensors in an archive. Often the checksums are made right."""
    if path.suffix == ".safetensors":
        return Spoilt(_archive_entry(path, draw), path.parent.name != "levels")
    if path.suffix == ".csv":
        how = _cell(path, draw)
    else:
        text, how = with_odd_entry(json.loads(path.read_text()), draw)
        path.write_bytes(text.encode())
    sealed = path.parent == inside or draw.random() < 0.7
    if sealed and (path.parent / "config.json").exists():
        seal(path.parent)
    if sealed and path.name == "manifest.json":
        _seal_layers(path)
    return Spoilt(f"{how}{', sealed' * sealed}", sealed)


def _cell(path, draw):
    rows = list(csv.reader(io.StringIO(path.read_text())))
    row, text = draw.randrange(len(rows)), io.StringIO()
    column = draw.randrange(len(rows[row]))
    rows[row][column] = draw.choice(CELLS)
    csv.writer(text, lineterminator="\n").writerows(rows)
    path.write_text(text.getvalue())
    return f"cell {row}, {column}"


def _seal_layers(path):
    """Makes the seals of a manifest right, as far as it still is one."""
    try:
        manifest = json.loads(path.read_text())
        for cards, entry in manifest["layers"].items():
            entry.pop("seal", None)
            sealed = json.dumps([FORMAT, manifest["game"], int(cards), entry], sort_keys=True)
            entry["seal"] = blake2b(sealed.encode(), digest_size=16).hexdigest()
        path.write_text(json.dumps(manifest))
    except (AttributeError, KeyError, TypeError, ValueError, RecursionError):
        pass


def _archive_entry(path, draw):
    """Data or a tensor of an archive is odd, and the checksum inside is right."""
    if path.parent.name == "levels":
        return bytes_of(path, draw, None).how
    tensors, data = read_archive(path)
    text = json.dumps(data)
    if draw.random() < 0.6:
        text, how = with_odd_entry(data, draw)
    else:
        how = _odd_tensor(tensors, draw)
    digest = hashlib.sha256(text.encode())
    for name in sorted(tensors):
        tensor = tensors[name] = tensors[name].contiguous()
        digest.update(f"{name} {tensor.dtype} {tuple(tensor.shape)}".encode())
        digest.update(tensor.reshape(-1).view(torch.uint8).numpy().data)
    path.write_bytes(save(tensors, {"data": text, "sha256": digest.hexdigest()}))
    return f"{how}, sealed"


def _with_one(tensor, number):
    changed = tensor.clone()
    if tensor.numel() and tensor.dtype.is_floating_point:
        changed.view(-1)[0] = number
    return changed


TENSORS = {
    "nan": lambda tensor: _with_one(tensor, float("nan")),
    "huge": lambda tensor: _with_one(tensor, 1e30),
    "zeros": torch.zeros_like,
    "less": lambda tensor: tensor - 1 if tensor.dtype != torch.bool else tensor,
    "longer": lambda tensor: torch.cat((tensor.reshape(-1), tensor.reshape(-1))),
    "deeper": lambda tensor: tensor[None].clone(),
    "halves": lambda tensor: tensor.to(torch.float16),
    "bytes": lambda tensor: tensor.to(torch.int8),
    "empty": lambda tensor: tensor.reshape(-1)[:0].clone(),
}


def _odd_tensor(tensors, draw):
    """One tensor is odd, gone, called otherwise, or exchanged with another."""
    name, other = draw.choice(sorted(tensors)), draw.choice(sorted(tensors))
    way = draw.choice([*TENSORS, "gone", "name", "exchange"])
    if way == "exchange":
        tensors[name], tensors[other] = tensors[other].clone(), tensors[name].clone()
    elif way in TENSORS:
        tensors[name] = TENSORS[way](tensors[name])
    else:
        tensor = tensors.pop(name)
        if way == "name":
            tensors["more"] = tensor
    return f"tensor {name} {way}"


# -- files of others --------------------------------------------------------------------------------


def other_of(path, draw, inside):
    """Another stored file in its place, or exchanged with it; or it is gone."""
    others = sorted(
        each
        for each in inside.rglob(f"*{path.suffix}")
        if each.is_file() and not each.is_symlink() and each != path and each.suffix == path.suffix
    )
    same = [each for each in others if each.name == path.name]
    way = draw.choice(["gone", "copy", "exchange"]) if others else "gone"
    if way == "gone":
        path.unlink()
        return Spoilt("gone")
    other, content = draw.choice(same or others), path.read_bytes()
    path.write_bytes(other.read_bytes())
    if way == "exchange":
        other.write_bytes(content)
    return Spoilt(f"{way} with {other.relative_to(inside)}")


WAYS = {"bytes": bytes_of, "entry": entry_of, "other": other_of}
OFTEN = ["bytes", "bytes", "entry", "entry", "entry", "other"]
WITH_ENTRIES = (".json", ".csv", ".safetensors")


def spoil(inside: Path, number: int, targets: list[str]) -> tuple[str, str, Spoilt]:
    """Spoils one of the files in a folder: its name, the kind of what was done, and more of it."""
    draw = random.Random(number)
    target = draw.choice(targets)
    path = inside / target
    kind = draw.choice([way for way in OFTEN if way != "entry" or path.suffix in WITH_ENTRIES])
    return target, kind, WAYS[kind](path, draw, inside)
