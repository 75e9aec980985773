"""The list of the set, with a digest of each source: it was frozen before the kit was changed.

`python -m broken.frozen` writes frozen.json anew. Say why in the commit.
"""

import hashlib
import inspect
import json
from functools import cache
from pathlib import Path

from broken.catalogue import all_broken, all_healthy
from broken.skins import AEC, Parallel

FROZEN = Path(__file__).with_name("frozen.json")
source_of = cache(inspect.getsource)


@cache
def digest(game):
    """The digest of a game's source and of all that it derives from in this folder."""
    line = [each for each in inspect.getmro(game) if each.__module__.startswith("broken")]
    sources = [source_of(vars(each).get("_source", each)) for each in line]
    return hashlib.sha256("".join(sources).encode()).hexdigest()


def current():
    """The set as it is now."""
    return {
        "skins": {skin.__name__: digest(skin) for skin in (AEC, Parallel)},
        "broken": {
            name: {"kind": each.kind.name, "skins": each.skins.name, "sha256": digest(each.game)}
            for name, each in all_broken().items()
        },
        "healthy": {
            name: {"skins": sorted(each.makers), "sha256": digest(each.game)} for name, each in all_healthy().items()
        },
    }


if __name__ == "__main__":
    FROZEN.write_text(json.dumps(current(), indent=1) + "\n")
