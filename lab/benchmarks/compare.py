"""Compares the speed of two commits, side by side.

    python -m lab.benchmarks.compare BASE [HEAD] [--groups stepping batches] [--rounds 5] [--seconds 0.2]

Each commit is checked out into a temporary worktree; without HEAD, the checkout itself is measured. In each round the
benchmark of each commit runs in a fresh process, and the order alternates. Speeds are per second of CPU time. A
candidate of ours got slower if its fastest round is slower than the slowest round of BASE, and its median by more than
5 %. The exit code is then 1.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median

from lab.benchmarks.comparison import ROOT

TOLERANCE = 0.05
# The speeds of each candidate, (job, name), one for each round.
Speeds = Mapping[tuple[str, str], Sequence[float]]


@contextmanager
def worktree(commit: str, folder: Path) -> Iterator[Path]:
    """Checks out a commit."""
    git = ("git", "-C", str(ROOT), "worktree")
    subprocess.run([*git, "add", "--quiet", "--detach", str(folder), commit], check=True)
    try:
        yield folder
    finally:
        subprocess.run([*git, "remove", "--force", str(folder)], check=True)


def run(tree: Path, words: Sequence[str]) -> None:
    """Runs the command of a commit; raises RuntimeError if it fails."""
    program = [sys.executable, "-c", "from cardwar_cli.main import main; main()", *words]
    environment = os.environ | {"PYTHONPATH": str(tree)}
    done = subprocess.run(program, cwd=tree, env=environment, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"cardwar {' '.join(words)} failed in {tree}: {done.stderr.strip()}")


def speeds(tree: Path, groups: Sequence[str], seconds: float, out: Path) -> dict[tuple[str, str], float]:
    """Runs one round of a commit's benchmark; returns the speeds of its own candidates."""
    run(tree, ["bench", *groups, "--rounds", "1", "--seconds", str(seconds), "--out", str(out)])
    results = json.loads((out / "results.json").read_text())["groups"].values()
    return {
        (comparison["title"], row["name"]): row["amounts"][0] / row["processor_seconds"][0]
        for group in results
        for comparison in group
        for row in comparison["rows"]
        if not row["peer"]
    }


def slower(base: Sequence[float], head: Sequence[float]) -> bool:
    """Whether the speeds of `head` are below those of `base` by more than noise."""
    return max(head) < min(base) and median(head) < (1 - TOLERANCE) * median(base)


def report(base: Speeds, head: Speeds) -> int:
    """Prints the median ratio of each candidate of both commits; returns how many got slower."""
    count = 0
    for key in sorted(base.keys() & head.keys()):
        ratios = [new / old for new, old in zip(head[key], base[key], strict=True)]
        worse = slower(base[key], head[key])
        count += worse
        job, name = key
        print(
            f"{median(ratios):6.2f} ({min(ratios):.2f}..{max(ratios):.2f})  {job}: {name}{'  SLOWER' if worse else ''}"
        )
    print(f"{count} slower, of {len(base.keys() & head.keys())}; ratios of speeds, the second commit over the first")
    return count


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m lab.benchmarks.compare", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("base")
    parser.add_argument("head", nargs="?")
    parser.add_argument("--groups", nargs="+", default=["stepping", "batches", "matrix_games"])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.2)
    given = parser.parse_args(words)
    found: list[defaultdict[tuple[str, str], list[float]]] = [defaultdict(list), defaultdict(list)]
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        trees = [stack.enter_context(worktree(given.base, folder / "base"))]
        trees.append(stack.enter_context(worktree(given.head, folder / "head")) if given.head else ROOT)
        for tree in trees:  # plain Python would be measured while kernels compile
            run(tree, ["warmup"])
        for number in range(given.rounds):
            for place in (0, 1) if number % 2 == 0 else (1, 0):
                for key, speed in speeds(trees[place], given.groups, given.seconds, folder / "out").items():
                    found[place][key].append(speed)
    return int(report(*found) > 0)


if __name__ == "__main__":
    sys.exit(main())
