"""Writes digests of games, to compare them between processes of other hash seeds.

PYTHONHASHSEED=1 python -m broken.replay NAME ...     # of broken environments or of bases
"""

import hashlib
import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]


@cache
def digests(names, hash_seed):
    """`NAME skin` -> digest of some games, played in a process of its own with a hash seed."""
    command = [sys.executable, "-m", "broken.replay", *names]
    environment = {**os.environ, "PYTHONHASHSEED": str(hash_seed)}
    run = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT, env=environment)
    return json.loads(run.stdout)


def main(names):
    from broken.bases import BASES, skinned
    from broken.catalogue import all_broken
    from broken.playing import record

    games = {base.__name__: base for base in BASES} | {name: case.game for name, case in all_broken().items()}
    made = {f"{name} {skin}": skinned(games[name], skin) for name in names for skin in ("aec", "parallel")}
    played = {key: [record(make(), seed) for seed in range(3)] for key, make in made.items()}
    print(json.dumps({key: hashlib.sha256(repr(games).encode()).hexdigest() for key, games in played.items()}))


if __name__ == "__main__":
    main(sys.argv[1:])
