"""Equilibrium strategies as plain data and as tables for a terminal."""

from __future__ import annotations

from typing import Any

from rich.table import Table

import baselines
from train.console import fixed

MAX_ROWS = 40


def start_strategies(solution: baselines.Solution) -> list[dict[str, Any]]:
    """Both players' strategies where the game starts: action -> probability; by type if there are any."""
    game = solution.game
    if solution.behaviour is not None:
        form = game.bayesian_form()
        return [
            {
                kind: {
                    game.describe_action(a, player): float(p) for a, p in zip(form.actions[player], row, strict=True)
                }
                for kind, row in zip(form.types[player], solution.behaviour[player], strict=True)
            }
            for player in (0, 1)
        ]
    starts = game.initial()
    if len(starts) != 1:
        return []
    state = starts[0].state
    return [
        {game.describe_action(action, player): float(strategy[action]) for action in game.legal_actions(state, player)}
        for player, strategy in enumerate(solution.strategies(state))
    ]


def behaviour_table(strategies: list[dict[str, Any]]) -> Table:
    """What is known in private down the side, every player's actions across."""
    shown = list(dict.fromkeys(kind for strategy in strategies for kind in strategy))
    table = Table(title="equilibrium (probability)")
    table.add_column("sees", justify="right")
    actions = [(player, action) for player in (0, 1) for action in next(iter(strategies[player].values()))]
    for player, action in actions:
        table.add_column(f"player_{player} {action}", justify="right")
    for kind in shown[:MAX_ROWS]:
        table.add_row(kind, *(fixed(strategies[p][kind][a]) if kind in strategies[p] else "" for p, a in actions))
    if len(shown) > MAX_ROWS:
        table.caption = f"the first {MAX_ROWS} of {len(shown)}; --json has all"
    return table


def strategy_table(strategies: list[dict[str, float]]) -> Table:
    """Actions down the side, so that long hands fit a narrow terminal."""
    table = Table(title="equilibrium at the start (probability)")
    table.add_column("play", justify="right")
    for player in range(len(strategies)):
        table.add_column(f"player_{player}", justify="right")
    for action in dict.fromkeys(action for strategy in strategies for action in strategy):
        table.add_row(action, *(fixed(s[action]) if action in s else "" for s in strategies))
    return table
