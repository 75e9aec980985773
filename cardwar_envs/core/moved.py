"""Redirects imports of moved modules from their old names, with a DeprecationWarning."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec, spec_from_loader
from types import ModuleType

MOVED = {"baselines.duel": "baselines.oracles.rank_games", "baselines.graph": "baselines.oracles.state_graph"}


class _Forwarding(MetaPathFinder, Loader):
    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        known = _new_name(name) != name and find_spec(_new_name(name)) is not None
        return spec_from_loader(name, self, is_package=True) if known else None

    def exec_module(self, module: ModuleType) -> None:
        new = _new_name(module.__name__)
        warnings.warn(f"{module.__name__} is now {new}", DeprecationWarning, stacklevel=2)
        sys.modules[module.__name__] = import_module(new)


def _new_name(name: str) -> str:
    for old, new in MOVED.items():
        if name == old or name.startswith(f"{old}."):
            return new + name.removeprefix(old)
    return name


def forward_old_names() -> None:
    """Installs the finder of old names."""
    if not any(isinstance(finder, _Forwarding) for finder in sys.meta_path):
        sys.meta_path.append(_Forwarding())
