"""Solves games with hidden information over several moves on their sequence form.

Small games are solved by one linear program (`program.py`), larger ones by predictive CFR+ (`regrets.py`). Either way
`gap` is the NashConv of the returned strategies, computed by the sweep that measures any policy.
"""

from __future__ import annotations

import time
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np

from baselines.oracles.answers.protocol import Request
from baselines.oracles.tree.histories import sequence_form
from baselines.oracles.tree.oracle import behaviour_of, recall_of, table_rows
from baselines.oracles.tree.rationals import exact_form, solve_in_rationals
from baselines.oracles.tree.regrets import minimise_regrets
from baselines.oracles.tree.sequence_form import Floats, SequenceForm, bounds
from baselines.oracles.tree.solution import TreeSolution
from baselines.system.layer_files import LayerFolder
from cardwar_envs.core.game import Game
from cardwar_envs.core.table_policy import TablePolicy

# The linear program is for games with at most this many sequences; more can take it longer than regret minimisation.
MOST_SEQUENCES = 10_000


def solve_tree(game: Game[Any], request: Request) -> TreeSolution:
    """Returns an equilibrium; raises a ValueError for options that do not apply, or if observations forget."""
    if request.selection != "default":
        raise ValueError(
            f"selection ({request.selection!r}) does not apply to {game.facts.name}: it is solved on its histories"
        )
    begin, exact = time.perf_counter(), bool(request.exact)
    form = (exact_form if exact else sequence_form)(game, request.max_states)
    recall = recall_of(form)
    if recall.forgets:
        raise ValueError(
            f"{game.facts.name}: its observations do not hold everything that players have seen "
            f"({recall.observations:,} observations in {recall.information_states:,} information states), so no policy "
            "is an equilibrium; let `observation` show it"
        )
    behaviours, method = _equilibrium(game, form, request)
    policy = _policy(game, form, behaviours)
    played = [behaviour_of(own, policy, exact) for own in form.decisions]
    low, high = bounds(form, played)
    return TreeSolution(
        game=game,
        value=float(low + high) / 2,
        policy=policy,
        method=method,
        gap=float(high - low) if exact else max(float(high - low), 0.0) + _rounding(form),
        states=recall.information_states,
        solved=recall.information_states,
        seconds=time.perf_counter() - begin,
        exact=low if exact and low == high else None,
        _form=form,
        _behaviours=(played[0], played[1]),
    )


def _equilibrium(game: Game[Any], form: SequenceForm, request: Request) -> tuple[list[Floats], str]:
    """Returns both players' last choices, `[sequences]` each, and the method."""
    if request.exact:
        return solve_in_rationals(game, form), "linear program on sequences, in rationals"
    if sum(len(each.actions) for each in form.decisions) <= MOST_SEQUENCES:
        from baselines.oracles.tree.program import solve_program  # scipy takes half a second to import

        return solve_program(form), "linear program on sequences"
    found = minimise_regrets(form, request.progress, store=_store(game, form, request.cache))
    return found.behaviours, f"predictive CFR+, {found.iterations:,} iterations"


def _store(game: Game[Any], form: SequenceForm, folder: Path | None) -> LayerFolder | None:
    """Returns the folder in which regret minimisation stores its state, under a checksum of the game's arrays."""
    if folder is None:
        return None
    digest = blake2b(digest_size=16)
    for part in (form.sequences, form.chances, form.payoffs):
        digest.update(np.ascontiguousarray(part).data)
    return LayerFolder(folder, {"name": game.facts.name, "sequence_form": digest.hexdigest()})


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
