"""Games with hidden information in rational arithmetic: their arrays and equilibria."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

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

    A vertex that HiGHS finds in floats has short fractions in most small games. They are recovered, and best responses
    in fractions prove that they are an equilibrium.

    Raises:
        TooLargeError: If they are not, because the vertex has longer fractions.
    """
    from baselines.oracles.tree.program import solve_program  # scipy takes half a second to import

    recovered = [
        _choices(own, [Fraction(each).limit_denominator(MOST_DENOMINATOR) for each in behaviour.tolist()])
        for own, behaviour in zip(form.decisions, solve_program(sequence_form(game)), strict=True)
    ]
    low, high = bounds(form, recovered)
    if low != high:
        raise TooLargeError(
            f"{game.facts.name}: exact (True) must be False here, because the equilibrium has fractions with "
            f"denominators above {MOST_DENOMINATOR:,}, which floats do not determine"
        )
    return recovered


def _choices(own: Decisions, weights: Any) -> Fractions:
    """Like `Decisions.choices`, in fractions."""
    choices = [Fraction(1)]
    for low, high in zip(own.first[:-1].tolist(), own.first[1:].tolist(), strict=True):
        total = sum(weights[low:high])
        choices += [weight / total if total else Fraction(1, high - low) for weight in weights[low:high]]
    return _array(choices)
