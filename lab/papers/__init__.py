"""The sources' figures as printed, recomputed and judged: one folder per source."""

from __future__ import annotations

from importlib import import_module

from baselines.oracles.answers.protocol import Progress
from lab.papers.findings import Reproduction

# Name on the command line -> the module whose `reproduce` does the work, imported on first use.
REPRODUCTIONS = {
    "fetterman-2023": "fetterman.paper",
    "sanwal-drechsler-2002": "sanwal_drechsler.paper",
    "dice-wars": "dice_wars.paper",
    "rauscher-2017": "rauscher.paper",
    "rhoads-bartholdi-2012": "rhoads_bartholdi.paper",
    "war-2017": "war.paper",
    "war-full-deck": "war.full_deck",
    "war-small-decks": "war.small_decks",
}


def recompute(name: str, progress: Progress | None = None) -> Reproduction:
    """Recomputes a source's figures.

    Args:
        name: A key of `REPRODUCTIONS`.
        progress: Called occasionally with a number that grows (states explored, matrix games solved, games played).

    Raises:
        ValueError: If there is no such source.
    """
    if name not in REPRODUCTIONS:
        raise ValueError(f"unknown source {name!r}; expected one of {', '.join(REPRODUCTIONS)}")
    made: Reproduction = import_module(f"{__name__}.{REPRODUCTIONS[name]}").reproduce(progress)
    return made
