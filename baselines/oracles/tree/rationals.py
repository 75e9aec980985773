"""Games with hidden information in rational arithmetic: their arrays and equilibria."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baselines.matrix_game.exact_lp import maximise
from baselines.oracles.state_graph.game_graph import GameGraph, full_graph
from baselines.oracles.tree.histories import form_of, sequence_form
from baselines.oracles.tree.sequence_form import Decisions, SequenceForm, bounds
from cardwar_envs.core.cached import cached_by_game
from cardwar_envs.core.game import Game, Transition
from cardwar_envs.core.numbers import exactly
from cardwar_envs.core.play import joint_actions
from cardwar_envs.core.rules import TooLargeError

# More histories take minutes.
MOST_HISTORIES = 30_000
# Floats that are exact to 1e-12 determine fractions up to this denominator.
MOST_DENOMINATOR = 1_000_000
# More sequences of both players together take the simplex method minutes.
MOST_SEQUENCES = 200
ZERO = Fraction(0)
Fractions = NDArray[Any]


@cached_by_game(8)
def exact_form(game: Game[Any], max_states: int | None = None) -> SequenceForm:
    """Returns the sequence form of a game with chances and payoffs as fractions, cached.

    Raises:
        TooLargeError: If players act after more than `max_states` histories, by default `MOST_HISTORIES`.
        ValueError: If a probability or payoff was rounded, or like `sequence_form`.
    """
    limit = max_states or MOST_HISTORIES
    return form_of(_exact_graph(full_graph(game, limit)), limit)


def _exact_graph(graph: GameGraph[Any]) -> GameGraph[Any]:
    """Returns the same graph with fractions, read from the rules again in the order of its edges."""
    game = graph.game
    roots = [_exact_edge(game, each) for each in game.initial()]
    edges = [_exact_edge(game, each) for state in graph.states for each in _outcomes(game, state)]
    (at_roots, root_rewards), (probabilities, rewards) = (
        map(_array, zip(*part, strict=True)) for part in (roots, edges)
    )
    return replace(
        graph, root_probabilities=at_roots, root_rewards=root_rewards, probabilities=probabilities, rewards=rewards
    )


def _outcomes(game: Game[Any], state: Any) -> Iterator[Transition[Any]]:
    for actions in joint_actions(game, state):
        yield from game.transitions(state, actions)


def _exact_edge(game: Game[Any], outcome: Transition[Any]) -> tuple[Fraction, list[Fraction]]:
    """Returns the probability, and the payments; those that are left too if the next state is settled."""
    settled = game.settled(outcome.state) if game.acting_players(outcome.state) else None
    later = [ZERO] * len(outcome.rewards) if settled is None else map(exactly, settled)
    return exactly(outcome.probability), [exactly(now) + then for now, then in zip(outcome.rewards, later, strict=True)]


def _array(numbers: Any) -> Fractions:
    return np.array(numbers, dtype=object)


def solve_in_rationals(game: Game[Any], form: SequenceForm) -> list[Fractions]:
    """Returns both players' last choices, `[sequences]` fractions each; `form` is the game's `exact_form`.

    A vertex that HiGHS finds in floats often has short fractions. They are recovered, and the payoffs of best responses
    in fractions prove them. Otherwise small games are solved by the simplex method in fractions.

    Raises:
        TooLargeError: If the recovered fractions are no equilibrium, with more than `MOST_SEQUENCES` sequences.
    """
    from baselines.oracles.tree.program import solve_program  # scipy takes half a second to import

    rounded = [
        _choices(own, [Fraction(each).limit_denominator(MOST_DENOMINATOR) for each in behaviour.tolist()])
        for own, behaviour in zip(form.decisions, solve_program(sequence_form(game)), strict=True)
    ]
    low, high = bounds(form, rounded)
    if low == high:
        return rounded
    sequences = sum(len(own.actions) for own in form.decisions)
    if sequences > MOST_SEQUENCES:
        raise TooLargeError(
            f"{game.facts.name}: exact (True) must be False here: the equilibrium has long fractions, and with "
            f"{sequences:,} sequences of moves the game is too large to solve in fractions, which at most "
            f"{MOST_SEQUENCES} can be"
        )
    return simplex(form)


def simplex(form: SequenceForm) -> list[Fractions]:
    """Solves a small game in fractions; the result is like that of `solve_in_rationals`.

    Payoffs are shifted to be positive. Then each player may also play less than a plan, since that never pays, so that
    all constraints are inequalities that hold at 0: what `exact_lp` takes. Unknowns: player 0's plan, and for each
    information state of player 1 what it concedes.
    """
    first, second = form.decisions
    plans, unknowns = len(first.actions), len(first.actions) + len(second.parents)
    shift = 1 - min(form.payoffs[:, 0])
    # A row for each sequence of player 1, where the empty one is the objective; then for each choice of player 0.
    conceded = _rows(second, unknowns, plans)
    for (own, other), chance, payoff in zip(form.sequences.tolist(), form.chances, form.payoffs[:, 0], strict=True):
        conceded[other][own] -= chance * (payoff + shift)
    played = [[ZERO] * unknowns for _ in range(1 + len(first.parents))]
    played[0][0] = Fraction(1)
    for sequence, entries in enumerate(_rows(first, len(played) - 1, 0)):
        for state, entry in enumerate(entries, start=1):
            played[state][sequence] = entry
    bounds = [ZERO] * (len(conceded) - 1) + [Fraction(1)] + [ZERO] * len(first.parents)
    found = maximise([-entry for entry in conceded[0]], conceded[1:] + played, bounds)
    return [
        _choices(first, found.primal[:plans]),
        _choices(second, [Fraction(1), *found.dual[: len(conceded) - 1]]),
    ]


def _rows(own: Decisions, columns: int, first: int) -> list[list[Fraction]]:
    """Returns a row for each sequence: 1 in the column of the state that it belongs to, -1 in those that follow it."""
    rows = [[ZERO] * columns for _ in own.actions]
    for state, parent in enumerate(own.parents.tolist()):
        rows[parent][first + state] -= 1
    for sequence, state in enumerate(own.owners.tolist(), start=1):
        rows[sequence][first + state] += 1
    return rows


def _choices(own: Decisions, weights: Any) -> Fractions:
    """Like `Decisions.choices`, in fractions."""
    choices = [Fraction(1)]
    for low, high in zip(own.first[:-1].tolist(), own.first[1:].tolist(), strict=True):
        total = sum(weights[low:high])
        choices += [weight / total if total else Fraction(1, high - low) for weight in weights[low:high]]
    return _array(choices)
