"""The list of the set, with a digest of each source: it was frozen before the kit was changed.

python -m tests.broken.frozen        # writes frozen.json anew; say why in the commit
"""

import hashlib
import inspect
import json
from functools import cache
from pathlib import Path

from tests.broken import bases, skins
from tests.broken.healthy import all_healthy
from tests.broken.registry import all_broken

FROZEN = Path(__file__).with_name("frozen.json")


@cache
def digest(thing):
    return hashlib.sha256(inspect.getsource(thing).encode()).hexdigest()


def current():
    """The set as it is now. What environments derive from is frozen as well, and so are helpers beside them."""
    return {
        "bases": {module.__name__.rpartition(".")[2]: digest(module) for module in (bases, skins)},
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
