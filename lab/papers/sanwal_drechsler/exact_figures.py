"""Exact figures of Jujitsu at one size: equilibria, the choices among them, and their results against others.

All figures are computed on canonical states: one state represents all states that differ only in the names of the cards
or in the seats. For example, 2 and 7 against 3 and 5 becomes 1 and 4 against 2 and 3. Random, HighestCard and
LowestCard depend only on the order of cards, so they play the same in a canonical state and in all states that it
represents.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from baselines.oracles.answers.protocol import Progress
from baselines.oracles.state_graph.game_graph import END, GameGraph, build_graph
from cardwar_envs.core.policy_names import named_policy
from cardwar_envs.games.jujitsu import Jujitsu
from lab.papers.sanwal_drechsler.optimal_play import AllOptimalPlay

Array = NDArray[np.float64]

EQUILIBRIUM, RANDOM = "Equilibrium", "Random"
# The paper's names (section 5) and ours.
POLICIES = {RANDOM: "uniform", "HighestCard": "highest_card", "LowestCard": "lowest_card"}
COLUMNS = ("win", "loss", "tie", "margin")
DIRECTIONS = 16


class Exact(NamedTuple):
    """A figure for the selected optimal play, and its lowest and highest value over all optimal play."""

    default: float
    low: float
    high: float

    @property
    def forced(self) -> bool:
        """True if all optimal strategies give the same figure."""
        return self.high - self.low < 1e-9


Pairing = tuple[str, str]


@dataclass(frozen=True)
class JujitsuFigures:
    """The exact figures for one size."""

    size: int  # cards in each hand
    states: int  # undecided canonical states
    several: int  # those in which at least one player has several optimal strategies
    value: float  # of the game, in payoff points
    root: Array  # `[2, size]` lowest and highest probability of each card at the start over all optimal strategies
    skew: tuple[bool, bool]  # whether the payoff matrix at the start is skew-symmetric, and whether it is symmetric
    top_card: float  # payoff of the highest card on the first trick against optimal play, in payoff points
    outcomes: Mapping[Pairing, Mapping[str, Exact]]  # pairing -> column -> figure, fractions of games or payoff points
    # Opponent -> `[DIRECTIONS, 3]`: a direction in the plane of (win, loss), and the most that optimal play against
    # that opponent can have along it, shares of games.
    supports: Mapping[str, Array]
    slack: float  # bound on the rounding error of the extremes


def jujitsu_figures(size: int, progress: Progress | None = None) -> JujitsuFigures:
    """Computes the figures of one size; `progress` is called occasionally with the number of states explored."""
    game = Jujitsu(num_cards=size)
    starts = [start._replace(state=game.canonical(start.state).state) for start in game.initial()]
    graph = build_graph(game, starts, canonical=True, progress=progress)
    play = AllOptimalPlay(graph)
    root = int(graph.roots[0])
    opponents = {
        name: [graph.action_probabilities(named_policy(ours, game), seat) for seat in (0, 1)]
        for name, ours in POLICIES.items()
    }
    paid = outcome_payments(graph)
    outcomes, slack = _outcomes(play, opponents, paid, root)
    low, high = play.ranges()
    matrix = play.matrix_at(root)
    return JujitsuFigures(
        size=size,
        states=len(graph.states),
        several=int((~play.unique()).any(axis=0).sum()),
        value=float(play.values[root]),
        root=np.stack([low[0, root], high[0, root]]),
        skew=(np.array_equal(matrix, -matrix.T), np.array_equal(matrix, matrix.T)),
        top_card=float(matrix[-1] @ play.default()[1, root]),
        outcomes=outcomes,
        supports={name: _support(play, opponent, paid, root) for name, opponent in opponents.items()},
        slack=slack,
    )


def _outcomes(
    play: AllOptimalPlay, opponents: Mapping[str, Sequence[Array]], paid: Mapping[str, Array], root: int
) -> tuple[dict[Pairing, dict[str, Exact]], float]:
    """Returns all pairings, and a bound on the error of their extremes."""
    outcomes: dict[Pairing, dict[str, Exact]] = defaultdict(dict)
    slack, random = 0.0, opponents[RANDOM]
    for name, opponent in opponents.items():
        for column, payment in paid.items():
            most, least = play.extreme(opponent, payment), play.extreme(opponent, -payment)
            slack = max(slack, most.slack, least.slack)
            ours, theirs = (float(play.worth(first, opponent, payment)[0, root]) for first in (play.default(), random))
            low, high = -float(least.worth[0, root]), float(most.worth[0, root])
            outcomes[EQUILIBRIUM, name][column] = Exact(ours, low, high)
            outcomes[RANDOM, name][column] = Exact(theirs, theirs, theirs)
    outcomes[EQUILIBRIUM, EQUILIBRIUM] = _both_optimal(play, paid, root)
    return dict(outcomes), slack


def outcome_payments(graph: GameGraph[Any]) -> dict[str, Array]:
    """Returns `[num_edges, 2]` per column: indicators of a win, loss and tie for each player, and its payment."""
    end, rewards = (graph.children == END)[:, None], graph.rewards
    shares = {"win": end & (rewards > 0.0), "loss": end & (rewards < 0.0), "tie": end & (rewards == 0.0)}
    return {**{column: share.astype(np.float64) for column, share in shares.items()}, "margin": rewards}


def _support(play: AllOptimalPlay, opponent: Sequence[Array], paid: Mapping[str, Array], root: int) -> Array:
    angles = np.arange(DIRECTIONS) * (2 * np.pi / DIRECTIONS)
    most = [
        play.extreme(opponent, x * paid["win"] + y * paid["loss"]).worth[0, root]
        for x, y in zip(np.cos(angles), np.sin(angles), strict=True)
    ]
    return np.column_stack([np.cos(angles), np.sin(angles), most])


def _both_optimal(play: AllOptimalPlay, paid: Mapping[str, Array], root: int) -> dict[str, Exact]:
    """Both players select among optimal strategies: the margin is always the value, so only ties vary."""
    tie, value = paid["tie"][:, 0], float(play.values[root])
    most, least = float(play.jointly(tie)[root]), -float(play.jointly(-tie)[root])
    default = play.default()
    ours = {column: float(play.worth(default, default, paid[column])[0, root]) for column in COLUMNS}
    return {
        "win": Exact(ours["win"], (1.0 - most + value) / 2, (1.0 - least + value) / 2),
        "loss": Exact(ours["loss"], (1.0 - most - value) / 2, (1.0 - least - value) / 2),
        "tie": Exact(ours["tie"], least, most),
        "margin": Exact(ours["margin"], value, value),
    }


class SubGames(NamedTuple):
    """The number of sub-games, counted by enumeration."""

    pairs: int  # pairs of hands, the empty ones included
    states: int  # (hands, score, carried ties) with cards left to play
    open: int  # those in which the winner is not yet known
    paths: int  # ways through the game
    tied_ends: Mapping[bool, int]  # games tied at the end, by whether the last trick was a tie


def count_sub_games(size: int) -> SubGames:
    """Walks through every sub-game of `size` cards by the rules of section 1.1."""
    full = (1 << size) - 1
    layer = {(full, full): {(0, 0): 1}}
    pairs = states = undecided = 0
    tied_ends = {True: 0, False: 0}
    for left in range(size, 0, -1):
        pairs += len(layer)
        states += sum(map(len, layer.values()))
        undecided += sum(abs(score) <= left + ties for stands in layer.values() for score, ties in stands)
        after: dict[tuple[int, int], dict[tuple[int, int], int]] = defaultdict(lambda: defaultdict(int))
        for (own, other), stands in layer.items():
            for a, b in product(_cards(own), _cards(other)):
                onward = after[own ^ a, other ^ b]
                won = (a > b) - (a < b)
                for (score, ties), ways in stands.items():
                    stand = (score + won * (1 + ties), ties + 1 if won == 0 else 0)
                    onward[stand] += ways
                    if left == 1 and stand[0] == 0:
                        tied_ends[won == 0] += ways
        layer = after
    paths = sum(sum(stands.values()) for stands in layer.values())
    return SubGames(pairs + len(layer), states, undecided, paths, tied_ends)


def _cards(hand: int) -> list[int]:
    return [1 << i for i in range(hand.bit_length()) if hand >> i & 1]
