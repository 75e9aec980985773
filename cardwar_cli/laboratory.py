"""Modules of the laboratory, which only a checkout of the repository contains."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parents[1]


def laboratory(name: str) -> ModuleType:
    """Imports `lab.NAME` from the checkout that contains this file.

    Raises:
        ValueError: If the package is installed without the repository.
    """
    if not (ROOT / "lab" / "__init__.py").is_file():
        raise ValueError("this needs the laboratory, which is not installed: run it from a checkout of the repository")
    if str(ROOT) not in sys.path:
        sys.path.insert(0, str(ROOT))
    return import_module(f"lab.{name}")
