"""Objects and tensors in files that are whole or absent, and checked when they are read."""

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

from baselines.atomic_files import write_atomically

DIGEST = "sha256"
DATA = "data"


class Archive(NamedTuple):
    """Named tensors and data that JSON can hold."""

    tensors: dict[str, Tensor]
    data: dict[str, Any]


def write_json(path: Path, content: Mapping[str, Any]) -> None:
    """Writes an object to a JSON file, atomically."""
    write_atomically(path, (json.dumps(content, indent=2) + "\n").encode())


def read_json(path: Path) -> dict[str, Any]:
    """Reads an object from a JSON file.

    Raises:
        ValueError: If the file is missing, damaged or holds something else.
    """
    try:
        content = json.loads(path.read_text())
    except (OSError, ValueError, RecursionError) as error:
        raise ValueError(f"{path} cannot be read: {error}") from None
    if not isinstance(content, dict):
        raise ValueError(f"{path} does not hold a JSON object")
    return content


def write_archive(path: Path, archive: Archive) -> None:
    """Writes tensors and data to one safetensors file, atomically and with a checksum over both."""
    data = json.dumps(archive.data)
    metadata = {DATA: data, DIGEST: _digest(archive.tensors, data)}
    tensors = {name: tensor.contiguous() for name, tensor in archive.tensors.items()}
    write_atomically(path, save(tensors, metadata))


def read_archive(path: Path) -> Archive:
    """Reads what `write_archive` wrote.

    Raises:
        ValueError: If the file is missing, torn, damaged or of another origin.
    """
    try:
        with safe_open(path, framework="pt") as file:
            metadata, names = file.metadata() or {}, file.keys()
            tensors = {name: file.get_tensor(name) for name in names}
        data = metadata.get(DATA, "")
        if metadata.get(DIGEST) != _digest(tensors, data):
            raise ValueError("its checksum does not match")
        content = json.loads(data)
        if not isinstance(content, dict):
            raise ValueError("its data is not a JSON object")
        return Archive(tensors, content)
    except (OSError, SafetensorError, ValueError, RecursionError) as error:
        raise ValueError(f"{path} is missing or damaged: {error}") from None


def _digest(tensors: Mapping[str, Tensor], data: str) -> str:
    digest = hashlib.sha256(data.encode())
    for name in sorted(tensors):
        tensor = tensors[name].contiguous()
        digest.update(f"{name} {tensor.dtype} {tuple(tensor.shape)}".encode())
        digest.update(tensor.reshape(-1).view(torch.uint8).numpy().data)
    return digest.hexdigest()
