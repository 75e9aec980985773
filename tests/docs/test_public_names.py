"""Every name that the documents, notebooks, examples and messages import or write can still be imported.

`public_names.txt` was taken from them once and is not made anew: a name that a page no longer mentions may stand in
somebody's program.
"""

import importlib
import warnings
from pathlib import Path

import pytest

NAMES = (Path(__file__).parent / "public_names.txt").read_text(encoding="utf-8").split()


def found(name):
    """The module, or what stands in the longest prefix of the name that is a module."""
    parts = name.split(".")
    for cut in range(len(parts), 0, -1):
        try:
            thing = importlib.import_module(".".join(parts[:cut]))
        except ModuleNotFoundError as error:
            if not name.startswith(error.name):
                raise  # a module inside is missing, not the one that was named
            continue
        for part in parts[cut:]:
            thing = getattr(thing, part)
        return thing
    raise ImportError(name)


@pytest.mark.parametrize("package", sorted({name.split(".")[0] for name in NAMES}))
def test_public_names_are_there(package):
    missing = []
    for name in NAMES:
        if name.split(".")[0] == package:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DeprecationWarning)  # a moved name warns, and works
                try:
                    found(name)
                except (ImportError, AttributeError) as error:
                    missing.append(f"{name}: {error}")
    assert not missing, "\n".join(missing)


def test_a_name_that_is_missing_is_found_missing():
    for name in ("baselines.no_such_thing", "baselines.no_such_room.solve"):
        with pytest.raises((ImportError, AttributeError)):
            found(name)
