"""Solves games with hidden information over several moves on their sequence form.

Small games are solved by one linear program (`program.py`), larger ones by predictive CFR+ (`regrets.py`). Either way
`gap` is the NashConv of the returned strategies, computed by the sweep that measures any policy.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from baselines.oracles.answers.protocol import Request
from baselines.oracles.tree.histories import sequence_form
from baselines.oracles.tree.oracle import behaviour_of, recall_of, table_rows
from baselines.oracles.tree.regrets import minimise_regrets
from baselines.oracles.tree.sequence_form import Floats, SequenceForm
from baselines.oracles.tree.solution import TreeSolution
from cardwar_envs.core.game import Game
from cardwar_envs.core.table_policy import TablePolicy

# The linear program is for games with at most this many sequences; more can take it longer than regret minimisation.
MOST_SEQUENCES = 10_000


def solve_tree(game: Game[Any], request: Request) -> TreeSolution:
    """Returns an equilibrium; raises a ValueError for options that do not apply, or if observations forget."""
    if request.selection != "default" or request.exact:
        name, value = ("exact", True) if request.exact else ("selection", request.selection)
        raise ValueError(f"{name} ({value!r}) does not apply to {game.facts.name}: it is solved on its histories")
    begin, form = time.perf_counter(), sequence_form(game, request.max_states)
    recall = recall_of(form)
    if recall.forgets:
        raise ValueError(
            f"{game.facts.name}: its observations do not hold everything that players have seen "
            f"({recall.observations:,} observations in {recall.information_states:,} information states), so no policy "
            "is an equilibrium; let `observation` show it"
        )
    if sum(len(each.actions) for each in form.decisions) <= MOST_SEQUENCES:
        from baselines.oracles.tree.program import solve_program  # scipy takes half a second to import

        behaviours, method = solve_program(form), "linear program on sequences"
    else:
        found = minimise_regrets(form, request.progress)
        behaviours, method = found.behaviours, f"predictive CFR+, {found.iterations:,} iterations"
    policy = _policy(game, form, behaviours)
    played = [behaviour_of(own, policy) for own in form.decisions]
    low, high = bounds(form, played)
    return TreeSolution(
        game=game,
        value=(low + high) / 2,
        policy=policy,
        method=method,
        gap=max(high - low, 0.0) + _rounding(form),
        states=recall.information_states,
        solved=recall.information_states,
        seconds=time.perf_counter() - begin,
        exact=None,
        _form=form,
        _behaviours=(played[0], played[1]),
    )


def bounds(form: SequenceForm, behaviours: list[Floats]) -> tuple[float, float]:
    """Returns what player 0's strategy guarantees, and the most that player 1's concedes, in payoff points."""
    plans = [own.plan(each) for own, each in zip(form.decisions, behaviours, strict=True)]
    best = [float(own.best(form.worth(player, plans))[0]) for player, own in enumerate(form.decisions)]
    return -best[1], best[0]


def _rounding(form: SequenceForm) -> float:
    """Bounds the rounding error of `bounds`, whose sums have probabilities for weights."""
    terms = 2 * sum(len(each.levels) for each in form.decisions) + int(np.log2(len(form.chances) + 1))
    return float(terms * np.finfo(np.float64).eps * np.abs(form.payoffs).max(initial=0.0))


def _policy(game: Game[Any], form: SequenceForm, behaviours: list[Floats]) -> TablePolicy:
    """One policy for both seats; in a symmetric game, where seats look alike, both play player 0's strategy."""
    second, first = (table_rows(form.decisions[seat], behaviours[seat]) for seat in (1, 0))
    if not game.facts.seat_symmetric:
        for key in first.keys() & second.keys():
            if not np.array_equal(first[key], second[key]):
                raise ValueError(
                    f"{game.facts.name}: both players see the same observation but must play differently; "
                    "observations must show the seat, or facts.seat_symmetric be true"
                )
    return TablePolicy(second | first)
