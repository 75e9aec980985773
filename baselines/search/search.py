"""Searches from many states side by side."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from baselines.matrix_game.kernel import workspace
from baselines.search import kernel
from baselines.search.nodes_kernel import ASK, EXP3, MATRIX, NONE, REGRET, ROLLOUT, UCT, Nodes, Searches, Settings
from baselines.search.rules import Placed, SearchRules, search_rules
from cardwar_envs.core import compiled, streams
from cardwar_envs.core.constant_sum import require_constant_sum, zero_sum_form
from cardwar_envs.core.game import Game
from cardwar_envs.core.kernels import map_in_threads, processors
from cardwar_envs.core.policy import Policy, checked_probabilities
from cardwar_envs.envs.engines.engine import Views, chosen_actions

SELECTIONS = {"matrix": MATRIX, "regret": REGRET, "uct": UCT, "exp3": EXP3}
# Plain Python's time for one node on the path of a simulation.
SECONDS_PER_NODE = 5e-5
# The nodes of the searches that run side by side take at most so many bytes, as do those of one search.
MOST_BYTES, MOST_BYTES_OF_ONE = 2**28, 2**31
MOST_SIDE_BY_SIDE = 1024
# Decimals of the values of leaves: the last bits of a network's outputs depend on how many it computes at once.
DECIMALS = 9


class Leaf(Protocol):
    """Estimates the value of states that are new in a tree."""

    def estimate(self, views: Views) -> tuple[NDArray[np.float64], NDArray[np.float64] | None]:
        """Estimates states that both players view, `[batch, 2, ...]`.

        Returns:
            `[batch]` payoff points to player 0, from now on; and `[batch, 2, num_actions]` strategies of both players
            by which the search explores, None for uniform ones.
        """
        ...


class Found(NamedTuple):
    """What searches found.

    Attributes:
        strategies: `[batch, 2, num_actions]`, both players' strategies at the roots.
        values: `[batch]` payoff points to player 0: the values of the matrix games at the roots (only "matrix").
    """

    strategies: NDArray[np.float64]
    values: NDArray[np.float64]


class Search:
    """Searches from many states side by side."""

    def __init__(
        self,
        game: Game[Any],
        selection: str = "matrix",
        simulations: int = 1000,
        leaf: Leaf | Policy | str = "uniform",
        transpositions: bool = True,
    ) -> None:
        """Sets up searches of a game.

        Args:
            game: A two-player zero-sum or constant-sum game with a public state.
            selection: How actions are chosen at the nodes: "matrix" (the matrix game of the payoffs found so far is
                solved), "regret" (regret matching), "uct" (decoupled UCT) or "exp3".
            simulations: Number of simulations of a search, at least 1.
            leaf: How a new node's value is estimated: "uniform" (a game is played to its end at random), "none" (0), a
                policy (it plays the game to its end), or an object with a method `estimate`.
            transpositions: Whether a state that is reached in different ways is one node.

        Raises:
            ValueError: If the game or an argument is unsupported.
        """
        require_constant_sum(game, "search")
        game = zero_sum_form(game)
        if not game.facts.public_state:
            raise ValueError(f"{game.facts.name}: search is for games with a public state; here players know more")
        if selection not in SELECTIONS:
            raise ValueError(f"selection ({selection!r}) must be one of {', '.join(SELECTIONS)}")
        if type(simulations) is not int or simulations < 1:
            raise ValueError(f"simulations ({simulations!r}) must be an integer, at least 1")
        self.game, self.simulations, self.leaf = game, simulations, leaf
        kinds = {"uniform": ROLLOUT, "none": NONE}
        kind = kinds.get(leaf, ASK) if isinstance(leaf, str) else ASK
        if kind == ASK and isinstance(leaf, str):
            raise ValueError(f"leaf ({leaf!r}) must be 'uniform', 'none', a policy or have a method estimate")
        scale = max((game.facts.max_payoff - game.facts.min_payoff) / 2.0, 1e-9)
        self._settings = Settings(SELECTIONS[selection], kind, not transpositions, game.facts.chance != "moves", scale)
        self.rules = search_rules(game)
        size = self._bytes_of_one(self.rules)
        if size > MOST_BYTES_OF_ONE:
            raise ValueError(
                f"simulations ({simulations:,}): a search of {game.facts.name} would take {size / 2**30:.1f} GiB; "
                f"at most {MOST_BYTES_OF_ONE / 2**30:.0f} are allowed"
            )

    def run(self, placed: Placed, seeds: NDArray[np.uint64]) -> Found:
        """Searches from the states in `placed`, with a seed for each."""
        rules, settings = placed.rules, self._settings
        seconds = SECONDS_PER_NODE * len(seeds) * self.simulations * min(4, self.game.facts.max_length)
        kernels = compiled.bound(kernel.__name__, seconds, rules.bodies)
        most, threads = MOST_BYTES // self._bytes_of_one(rules), processors()
        side_by_side = max(1, min(most, MOST_SIDE_BY_SIDE))
        if settings.leaf != ASK:
            side_by_side, threads = -(-len(seeds) // (4 * threads)), max(1, min(most, threads))
        lots = [slice(i, i + side_by_side) for i in range(0, len(seeds), side_by_side)]

        def work(lot: slice) -> Found:
            run = self._simulated if settings.leaf != ASK else self._asked
            return run(kernels, rules, np.ascontiguousarray(placed.rows[lot]), seeds[lot])

        found = list(map_in_threads(work, lots, threads if settings.leaf != ASK else 1))
        return Found(*(np.concatenate(each) for each in zip(*found, strict=True)))

    def _simulated(self, kernels: Any, rules: SearchRules, rows: NDArray[np.float32], seeds: Any) -> Found:
        """Makes searches that ask nobody, one after the other."""
        nodes, searches = self._memory(rules, rows[:1], seeds[:1], priors=False)
        found = Found(np.empty((len(rows), 2, self.game.facts.num_actions)), np.empty(len(rows)))
        kernels.simulate(rules.tables, nodes, searches, self._settings, self.simulations, rows, seeds, *found)
        return found

    def _asked(self, kernels: Any, rules: SearchRules, rows: NDArray[np.float32], seeds: Any) -> Found:
        """Makes searches side by side, which ask for the values of all their new nodes at once."""
        leaf: Any = self.leaf
        estimate = leaf.estimate if hasattr(leaf, "estimate") else None
        nodes, searches = self._memory(rules, rows, seeds, priors=hasattr(leaf, "estimate"))
        for _ in range(self.simulations + 1):  # the first makes the roots
            kernels.descend_all(rules.tables, nodes, searches, self._settings)
            values = np.zeros(len(rows))
            if len(new := np.flatnonzero(searches.leaves >= 0)):
                places = searches.leaves[new]
                if estimate is None:
                    own = searches.streams[new]
                    values[new] = _played_out(kernels, leaf, rules, nodes.states[places], own)
                    searches.streams[new] = own
                else:
                    found, priors = estimate(_views(kernels, rules, nodes.states[places]))
                    values[new] = np.round(found, DECIMALS)
                    _set_priors(nodes, places, priors)
            kernels.update_all(nodes, searches, self._settings, values)
        strategies = np.empty((len(rows), 2, self.game.facts.num_actions))
        for g in range(len(rows)):
            kernels.report(nodes, g, strategies[g])
        return Found(strategies, nodes.values[: len(rows)].copy())

    def _most_nodes(self, rules: SearchRules) -> int:
        states = np.inf if self._settings.keyed else rules.most_states
        return int(min(self.simulations, states)) + 1

    def _bytes_of_one(self, rules: SearchRules) -> int:
        """Returns about how many bytes a search takes."""
        width, matrices = rules.width, self._settings.rule in (MATRIX, REGRET)
        return self._most_nodes(rules) * (4 * rules.row_size + 56 + 2 * 24 * width + matrices * 12 * width**2)

    def _memory(
        self, rules: SearchRules, rows: NDArray[np.float32], seeds: Any, priors: bool
    ) -> tuple[Nodes, Searches]:
        facts, width, count = self.game.facts, rules.width, len(rows)
        total, longest = self._most_nodes(rules) * count, facts.max_length + 1
        played = total if self._settings.rule in (MATRIX, REGRET) else 0
        nodes = Nodes(
            states=np.empty((total, rules.row_size), dtype=np.float32),
            owners=np.empty(total, dtype=np.int64),
            visits=np.empty(total, dtype=np.int64),
            counts=np.empty((total, 2), dtype=np.int64),
            actions=np.zeros((total, 2, width), dtype=np.int32),
            scores=np.empty((total, 2, width)),
            weights=np.empty((total, 2, width)),
            means=np.empty((played, width, width)),
            tries=np.empty((played, width, width), dtype=np.int32),
            values=np.zeros(total),
            priors=np.empty((total if priors else 0, 2, width)),
            slots=np.full(1 << (2 * total).bit_length(), -1, dtype=np.int32),
            used=np.zeros(1, dtype=np.int64),
        )
        one = np.ones(1, dtype=np.bool_)
        searches = Searches(
            streams=seeds.copy(),
            roots=rows.copy(),
            path=np.empty((count, longest, 3), dtype=np.int64),
            paid=np.empty((count, longest)),
            chances=np.empty((count, longest, 2)),
            lengths=np.zeros(count, dtype=np.int64),
            leaves=np.empty(count, dtype=np.int64),
            row=np.zeros((1, rules.row_size), dtype=np.float32),
            stream=np.zeros(1, dtype=np.uint64),
            joint=np.zeros((1, 2), dtype=np.int64),
            where=one,
            rewards=np.zeros((1, 2)),
            over=~one,
            seen=np.zeros((1, 2, facts.observation_size), dtype=np.float32),
            masks=np.zeros((1, 2, facts.num_actions), dtype=np.int8),
            mixes=np.empty((2, width)),
            payoffs=np.empty(width * width),
            work=workspace(width, width),
        )
        return nodes, searches


def _views(kernels: Any, rules: SearchRules, rows: NDArray[np.float32]) -> Views:
    """Returns what both players see in the states of these rows, `[batch, 2, ...]`."""
    shape, facts = (len(rows), 2), rules.game.facts
    views = Views(
        np.empty((*shape, facts.observation_size), dtype=np.float32),
        np.empty((*shape, facts.num_actions), dtype=np.int8),
    )
    kernels.observe(rules.tables, rows, 0, *views)
    return views


def _played_out(
    kernels: Any, policy: Policy, rules: SearchRules, rows: NDArray[np.float32], own: NDArray[np.uint64]
) -> NDArray[np.float64]:
    """Plays games to their ends by a policy; draws from each game's own stream, and returns payoffs to player 0."""
    total, goes_on = np.zeros(len(rows)), np.ones(len(rows), dtype=np.bool_)
    rewards, over = np.empty((len(rows), 2)), np.empty(len(rows), dtype=np.bool_)
    while goes_on.any():
        views, actions = _views(kernels, rules, rows), np.zeros((len(rows), 2), dtype=np.int64)
        for player in (0, 1):
            acts = np.flatnonzero(goes_on & views.masks[:, player].any(axis=1))
            if len(acts):
                weights = checked_probabilities(policy, *(each[acts, player] for each in views))
                actions[acts, player] = chosen_actions(np.round(weights, DECIMALS), streams.draw(own, acts))
        kernels.play(rules.tables, rows, own, actions, goes_on, rewards, over)
        total[goes_on] += rewards[goes_on, 0]
        goes_on &= ~over
    return total


def _set_priors(nodes: Nodes, places: NDArray[np.int64], priors: NDArray[np.float64] | None) -> None:
    """Stores by which strategies new nodes explore."""
    if priors is None:
        nodes.priors[places] = 1.0 / nodes.counts[places][:, :, None]
    else:
        nodes.priors[places] = np.take_along_axis(
            np.round(priors, DECIMALS), nodes.actions[places].astype(np.int64), axis=2
        )
