"""Measures the time and memory that it takes to solve full-size Jujitsu, in a fresh process for each size.

Usage: cardwar bench duel_sizes [--rounds 3] [--most-cards 16]

The time is that of solving alone, without starting the process, compiling or reading from disk.
Memory is the peak of the process, including the interpreter and numba (Linux only).
"""

from __future__ import annotations

from baselines.oracles.rank_games.solver import DuelTable
from cardwar_envs.games.jujitsu import Jujitsu
from lab.benchmarks.comparison import Comparison, Sample, Settings, by_cards, clocked
from lab.benchmarks.machine import peak_megabytes

LEAST = 4
ROUNDS = 3
LARGE = 14  # this and larger sizes take seconds to a minute, and are measured once
FACTS = {"matrix games": ",.0f", "us each (processor)": ".2f", "gap": ".0e", "peak MB": ",.0f"}


def solve_here(num_cards: int) -> Sample:
    """Solves one size in this process; kernels are loaded beforehand."""
    DuelTable(Jujitsu(num_cards=3)).solve()
    tables: list[DuelTable] = []

    def work() -> None:
        tables.append(DuelTable(Jujitsu(num_cards=num_cards)))
        tables[0].solve()

    sample, layers = clocked(work), tables[0].layers
    return sample._replace(
        facts={
            "matrix games": layers.solved,
            "us each (processor)": sample.processor / layers.solved * 1e6,
            "gap": layers.gap(num_cards),
            "peak MB": peak_megabytes(),
        }
    )


def comparisons(settings: Settings) -> list[Comparison]:
    """Comparisons of small and of large sizes, without peers."""
    found = []
    for title, sizes, rounds in (
        ("Jujitsu solved from nothing", range(LEAST, LARGE), ROUNDS),
        ("Jujitsu solved from nothing, measured once", range(LARGE, settings.most_cards + 1), 1),
    ):
        ours = by_cards(f"{__name__}:solve_here", sizes, settings.most_cards)
        if ours:
            found.append(Comparison(title=title, unit="games", ours=ours, timed=True, facts=FACTS, rounds=rounds))
    return found
