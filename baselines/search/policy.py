"""A policy that searches at every decision; many searches run side by side."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from baselines.matrix_game.kernel import workspace
from baselines.search import kernel
from baselines.search.nodes_kernel import ASK, LEAVES, MATRIX, REGRET, SELECTIONS, Nodes, Scratch, Searches, Settings
from baselines.search.rules import Placed, SearchRules, search_rules
from cardwar_envs.core import compiled, streams
from cardwar_envs.core.constant_sum import require_constant_sum, zero_sum_form
from cardwar_envs.core.game import Game
from cardwar_envs.core.kernels import map_in_threads, processors
from cardwar_envs.core.parameters import one_of, whole_number
from cardwar_envs.core.policy import (
    Masks,
    Observations,
    Policy,
    Probabilities,
    check_signs,
    check_sums,
    checked_probabilities,
    name_of,
)
from cardwar_envs.core.policy_names import as_policy
from cardwar_envs.core.rules import GameFacts
from cardwar_envs.envs.branching import choices, distinct, row_hashes
from cardwar_envs.envs.engines.engine import Views, chosen_actions

__all__ = ["LEAVES", "SELECTIONS", "SearchPolicy"]

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
        strategies: `[batch, 2, num_actions]`, both players' strategies; 0 where no action matters any more.
        values: `[batch]` payoff points to player 0: the values of the matrix games at the roots (only "matrix").
        seats: `[batch]` the seats of the observers.
    """

    strategies: NDArray[np.float64]
    values: NDArray[np.float64]
    seats: NDArray[np.int64]


class SearchPolicy:
    """Plays the strategy that a search from the current state recommends.

    The search's seed is a function of the policy's seed and the observation, so equal queries have equal answers.
    """

    def __init__(
        self,
        game: Game[Any],
        selection: str = "matrix",
        simulations: int = 1000,
        leaf: Leaf | Policy | str = "uniform",
        transpositions: bool = True,
        seed: int = 0,
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
            seed: An integer of at least 0.

        Raises:
            ValueError: If the game or an argument is unsupported.
        """
        require_constant_sum(game, "search")
        if not game.facts.public_state:
            raise ValueError(f"{game.facts.name}: search is for games with a public state; here players know more")
        rule = SELECTIONS[one_of("selection", selection, tuple(SELECTIONS))]
        self._simulations = whole_number("simulations", simulations, range(1, 10**9 + 1))
        keyed = not one_of("transpositions", transpositions, (0, 1))
        seed = whole_number("seed", seed, range(2**63))
        if isinstance(other := getattr(leaf, "game", game), Game) and other != game:
            raise ValueError(f"leaf ({leaf!r}) is for {other}, not for {game}")
        kind = LEAVES.get(leaf, ASK) if isinstance(leaf, str) else ASK
        self.leaf = leaf if kind != ASK or hasattr(leaf, "estimate") else as_policy(leaf, game)
        self.game, form = game, zero_sum_form(game)
        facts = form.facts
        scale = max((facts.max_payoff - facts.min_payoff) / 2.0, 1e-9)
        self._settings = Settings(rule, kind, keyed, facts.chance != "moves", scale, self._simulations)
        self._rules = search_rules(form)
        self._seed = np.random.SeedSequence(seed).generate_state(1, np.uint64)
        self._text = f"{facts.name}: {selection}, {simulations:,} simulations"
        if (size := self._bytes_of_one(self._rules)) > MOST_BYTES_OF_ONE:
            raise ValueError(
                f"simulations ({simulations:,}): a search of {facts.name} would take {size / 2**30:.1f} GiB; "
                f"at most {MOST_BYTES_OF_ONE / 2**30:.0f} are allowed"
            )

    def __repr__(self) -> str:
        return f"<{type(self).__name__} for {self._text}>"

    def action_probabilities(self, observations: Observations, action_masks: Masks) -> Probabilities:
        if not len(observations):
            return action_masks.astype(np.float64)
        first, places = distinct(observations)
        asked = observations[first] + np.float32(0.0)  # without -0.0, as equal observations have one seed
        with np.errstate(over="ignore"):
            found = self.search(asked, streams.mixed(row_hashes(asked) + self._seed))
        answers: Probabilities = found.strategies[np.arange(len(asked)), found.seats]
        nothing = answers.sum(axis=1) == 0.0
        answers[nothing] = (action_masks[first] / action_masks[first].sum(axis=1, keepdims=True))[nothing]
        return answers[places]

    def search(self, observations: Observations, seeds: NDArray[np.uint64]) -> Found:
        """Searches from observed states, with a seed for each."""
        count, actions = len(observations), self.game.facts.num_actions
        found = Found(np.zeros((count, 2, actions)), np.zeros(count), np.zeros(count, dtype=np.int64))
        for placed in self._rules.place(observations):
            found.strategies[placed.where], found.values[placed.where] = self._run(placed, seeds[placed.where])
            found.seats[placed.where] = placed.seats
        return found

    def _run(self, placed: Placed, seeds: NDArray[np.uint64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Searches in lots: in threads, unless a leaf is asked for values."""
        rules, asks = placed.rules, self._settings.leaf == ASK
        seconds = SECONDS_PER_NODE * len(seeds) * self._simulations * min(4, self.game.facts.max_length)
        kernels = compiled.bound(kernel.__name__, seconds, rules.bodies)
        most, threads = max(1, MOST_BYTES // self._bytes_of_one(rules)), processors()
        size = min(most, MOST_SIDE_BY_SIDE) if asks else -(-len(seeds) // (4 * threads))
        lots = [slice(i, i + size) for i in range(0, len(seeds), size)]

        def work(lot: slice) -> Searches:
            return self._searched(kernels, rules, placed.rows[lot].copy(), seeds[lot])

        found = list(map_in_threads(work, lots, 1 if asks else min(most, threads)))
        return np.concatenate([each.strategies for each in found]), np.concatenate([each.values for each in found])

    def _searched(self, kernels: Any, rules: SearchRules, rows: NDArray[np.float32], seeds: Any) -> Searches:
        """Makes searches one after the other or, if a leaf is asked for values, all at once."""
        facts, width, last = self.game.facts, rules.width, self._simulations + 2  # the first makes the root
        searches, asks = _searches(facts, rows, seeds), self._settings.leaf == ASK
        nodes, scratch = self._nodes(rules, len(rows) if asks else 1), _scratch(facts, rules.row_size, width)
        work = getattr(workspace, "py_func", workspace)(width, width)  # to compile it takes longer
        for number in range(last if asks else 1):
            end = number + 1 if asks else last
            kernels.simulate(rules.tables, nodes, searches, scratch, work, self._settings, number, end)
            if asks and len(new := np.flatnonzero(searches.leaves >= 0)):
                self._estimate(kernels, rules, nodes, searches, new)
        return searches

    def _estimate(self, kernels: Any, rules: SearchRules, nodes: Nodes, searches: Searches, new: Any) -> None:
        """Stores what the leaf says about the new nodes of the searches `new`."""
        leaf: Any = self.leaf
        places = searches.leaves[new]
        if not hasattr(leaf, "estimate"):
            own = searches.streams[new]
            searches.estimates[new] = _played_out(kernels, leaf, rules, nodes.states[places], own)
            searches.streams[new] = own
            return
        first, groups = distinct(nodes.states[places])
        views = _views(kernels, rules, nodes.states[places[first]])
        values, priors = _checked_estimate(leaf, views)
        searches.estimates[new] = np.round(values, DECIMALS)[groups]
        nodes.priors[places] = np.take_along_axis(priors[groups], nodes.actions[places].astype(np.int64), axis=2)

    def _most_nodes(self, rules: SearchRules) -> int:
        return int(min(self._simulations, np.inf if self._settings.keyed else rules.most_states)) + 1

    def _bytes_of_one(self, rules: SearchRules) -> int:
        """Returns about how many bytes a search takes."""
        width, matrices = rules.width, self._settings.rule in (MATRIX, REGRET)
        return self._most_nodes(rules) * (4 * rules.row_size + 56 + 2 * 24 * width + matrices * 12 * width**2)

    def _nodes(self, rules: SearchRules, count: int) -> Nodes:
        """Makes room for the nodes of searches that run side by side."""
        total, width = self._most_nodes(rules) * count, rules.width
        played = total if self._settings.rule in (MATRIX, REGRET) else 0
        return Nodes(
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
            priors=np.empty((total if hasattr(self.leaf, "estimate") else 0, 2, width)),
            slots=np.full(1 << (2 * total).bit_length(), -1, dtype=np.int32),
            used=np.zeros(1, dtype=np.int64),
        )


def _searches(facts: GameFacts, rows: NDArray[np.float32], seeds: NDArray[np.uint64]) -> Searches:
    count, longest = len(rows), facts.max_length + 1
    return Searches(
        streams=seeds.copy(),
        roots=rows,
        path=np.empty((count, longest, 3), dtype=np.int64),
        paid=np.empty((count, longest)),
        chances=np.empty((count, longest, 2)),
        lengths=np.zeros(count, dtype=np.int64),
        leaves=np.full(count, -1),
        estimates=np.zeros(count),
        strategies=np.zeros((count, 2, facts.num_actions)),
        values=np.zeros(count),
    )


def _scratch(facts: GameFacts, row_size: int, width: int) -> Scratch:
    where = np.ones(1, dtype=np.bool_)
    return Scratch(
        row=np.zeros((1, row_size), dtype=np.float32),
        stream=np.zeros(1, dtype=np.uint64),
        joint=np.zeros((1, 2), dtype=np.int64),
        where=where,
        rewards=np.zeros((1, 2)),
        over=~where,
        seen=np.zeros((1, 2, facts.observation_size), dtype=np.float32),
        masks=np.zeros((1, 2, facts.num_actions), dtype=np.int8),
        mixes=np.empty((2, width)),
        payoffs=np.empty(width * width),
    )


def _views(kernels: Any, rules: SearchRules, rows: NDArray[np.float32]) -> Views:
    """Returns what both players see in the states of these rows, `[batch, 2, ...]`."""
    shape, facts = (len(rows), 2), rules.game.facts
    views = Views(
        np.empty((*shape, facts.observation_size), dtype=np.float32),
        np.empty((*shape, facts.num_actions), dtype=np.int8),
    )
    kernels.observe(rules.tables, rows, 0, *views)
    return views


def _checked_estimate(leaf: Any, views: Views) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Asks a leaf; raises a ValueError unless it gives a finite number for each state and, if any, strategies."""
    values, priors = leaf.estimate(views)
    name, values = name_of(leaf), np.asarray(values, dtype=np.float64)
    if values.shape != views.masks.shape[:1] or not np.isfinite(values).all():
        raise ValueError(f"leaf {name}: its values must be {len(views.masks)} finite numbers, one for each state")
    if priors is None:
        legal = choices(views.masks.reshape(-1, views.masks.shape[2])).reshape(views.masks.shape)
        return values, legal / legal.sum(axis=2, keepdims=True)
    if priors.shape != views.masks.shape:
        raise ValueError(f"leaf {name}: its strategies have the shape {priors.shape}, not {views.masks.shape}")
    acts = priors[views.masks.any(axis=2)]
    check_signs(name, acts)
    check_sums(name, acts.sum(axis=1))
    return values, np.round(priors, DECIMALS)


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
