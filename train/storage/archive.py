"""Files of JSON data and tensors; they are written atomically and checked when they are read."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor

from baselines.system.files import parse_object, require_plain, write_atomically

DIGEST = "sha256"
DATA = "data"
# A safetensors file starts with the length of its header, a little-endian integer of this many bytes.
HEADER_START = 8
# Maximum size of a file: a sparse file can be larger than any disk, and computing the checksum would read all of it.
MOST_BYTES = 8 * 2**30


class Archive(NamedTuple):
    """Named tensors and JSON data."""

    tensors: dict[str, Tensor]
    data: dict[str, Any]


def write_archive(path: Path, archive: Archive) -> None:
    """Writes tensors and data to one safetensors file, atomically and with a checksum over both."""
    data = json.dumps(archive.data)
    metadata = {DATA: data, DIGEST: _digest(archive.tensors, data)}
    tensors = {name: tensor.contiguous() for name, tensor in archive.tensors.items()}
    write_atomically(path, _with_sorted_header(save(tensors, metadata)))


def _with_sorted_header(content: bytes) -> bytes:
    """Sorts the header of a safetensors file, as `save` writes its metadata in random order."""
    end = HEADER_START + int.from_bytes(content[:HEADER_START], "little")
    header = json.dumps(json.loads(content[HEADER_START:end]), sort_keys=True, separators=(",", ":")).encode()
    header += b" " * (-len(header) % HEADER_START)  # tensors are aligned
    return len(header).to_bytes(HEADER_START, "little") + header + content[end:]


def read_archive(path: Path, folder: Path | None = None) -> Archive:
    """Reads a file written by `write_archive`; `folder` is the folder to pass to `require_plain`.

    Raises:
        ValueError: If the file is missing, incomplete, damaged, not written by `write_archive`, larger than 8 GiB, or
            larger than memory.
    """
    try:
        require_plain(path, folder)
        if path.stat().st_size > MOST_BYTES:
            raise ValueError(f"it is longer than {MOST_BYTES} bytes")
        with safe_open(path, framework="pt") as file:
            metadata, names = file.metadata() or {}, file.keys()
            tensors = {name: file.get_tensor(name) for name in names}
        data = metadata.get(DATA, "")
        if metadata.get(DIGEST) != _digest(tensors, data):
            raise ValueError("its checksum is missing or does not match")
        return Archive(tensors, parse_object(data))
    except MemoryError:
        raise ValueError(f"{path} does not fit into memory") from None
    except (
        OSError,
        RuntimeError,
        SafetensorError,
        ValueError,
    ) as error:  # raised by torch if it cannot map the file into memory
        raise ValueError(f"{path} is missing or damaged: {error}") from None


def _digest(tensors: Mapping[str, Tensor], data: str) -> str:
    digest = hashlib.sha256(data.encode())
    for name in sorted(tensors):
        tensor = tensors[name].contiguous()
        digest.update(f"{name} {tensor.dtype} {tuple(tensor.shape)}".encode())
        digest.update(tensor.reshape(-1).view(torch.uint8).numpy().data)
    return digest.hexdigest()
