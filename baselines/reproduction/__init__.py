"""The sources' figures, recomputed and judged: one module per source, and how a report is written."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import cast

from baselines.oracle import Progress
from baselines.reproduction.report import Report

Reproduction = Callable[[Progress | None], Report]

# Name on the command line -> the module whose `reproduce` makes the report, loaded when it is asked for.
REPRODUCTIONS = {
    "fetterman-2023": "fetterman.paper",
    "sanwal-drechsler-2002": "sanwal_drechsler.paper",
    "dice-wars": "dice_wars",
    "rauscher-2017": "rauscher.paper",
    "war-2017": "war.paper",
    "war-full-deck": "war.full_deck",
    "war-small-decks": "war.small_decks",
}


def reproduction(name: str) -> Reproduction:
    """The function that recomputes a source's figures.

    Args:
        name: A key of `REPRODUCTIONS`.

    Raises:
        ValueError: If there is no such source.
    """
    if name not in REPRODUCTIONS:
        raise ValueError(f"unknown source {name!r}; known are {', '.join(REPRODUCTIONS)}")
    module = import_module(f"{__name__}.{REPRODUCTIONS[name]}")
    return cast(Reproduction, module.reproduce)
