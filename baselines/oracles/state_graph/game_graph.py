"""A finite game's states and moves as arrays, so that exact sums over them are array operations.

Equilibria are computed on the graph of canonical states, best responses and head-to-head results on the graph of all
states, because a policy may treat states of one canonical form differently.
"""

from __future__ import annotations

import itertools
from array import array
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from math import prod
from operator import add
from typing import Any, Generic, NamedTuple

import numpy as np
from numpy.typing import NDArray

from baselines.oracles.answers.protocol import BATCH, Progress
from baselines.oracles.state_graph.soundness import (
    legal_actions,
    require_distinct,
    require_outcomes,
    require_payments,
    require_shape,
    require_starts,
)
from cardwar_envs.core.cached import cached_by_game
from cardwar_envs.core.game import CERTAIN, Game, S, Transition
from cardwar_envs.core.play import listed
from cardwar_envs.core.policy import Policy, checked_probabilities
from cardwar_envs.core.rules import TooLargeError

# Marks an edge after which the game is over or settled; the edge has all remaining payments.
END = -1
MAX_STATES = 1_000_000
# Building the graph takes about 100 bytes per edge.
MAX_EDGES = 100_000_000
# Joint actions of a state that are listed at once.
AT_ONCE = 4096
# Longer counts are rounded down to a power of ten in messages.
LONGEST_COUNT = 10**15
# States in which a player acts, its observations and its masks.
Seen = tuple[NDArray[np.int64], NDArray[np.float32], NDArray[np.int8]]


@dataclass(frozen=True)
class GameGraph(Generic[S]):
    """The undecided states of a game and all moves between them.

    Every move leads to a state with a lower number or to `END`. An edge is one outcome of one joint action.

    Attributes:
        game: The rules.
        states: The states, those closest to the end first.
        roots: `[num_roots]` the initial states, or `END`.
        root_probabilities: `[num_roots]`.
        root_rewards: `[num_roots, num_players]` payoff points paid before the first choice.
        layers: Bounds of runs of states with no moves between them: layer `i` is `states[layers[i]:layers[i + 1]]`.
        first_edge: `[num_states + 1]`; the edges of state `s` are `first_edge[s]:first_edge[s + 1]`.
        actions: `[num_edges, num_players]`, `END` for a player who does not act.
        children: `[num_edges]` the state that the edge leads to, or `END`.
        probabilities: `[num_edges]` probability of this outcome, given the joint action.
        rewards: `[num_edges, num_players]` payoff points.
        swapped: `[num_edges]`, whether the edge swaps the two seats (only on the graph of canonical states).
    """

    game: Game[S]
    states: list[S]
    roots: NDArray[np.int32]
    root_probabilities: NDArray[np.float64]
    root_rewards: NDArray[np.float64]
    layers: NDArray[np.int64]
    first_edge: NDArray[np.int64]
    actions: NDArray[np.int32]
    children: NDArray[np.int32]
    probabilities: NDArray[np.float64]
    rewards: NDArray[np.float64]
    swapped: NDArray[np.bool_]
    _seen: dict[int, Seen] = field(default_factory=dict, init=False, repr=False, compare=False)

    @cached_property
    def parents(self) -> NDArray[np.int64]:
        """`[num_edges]` the state that each edge leaves."""
        return np.repeat(np.arange(len(self.states)), np.diff(self.first_edge))

    def backward(self) -> Iterator[tuple[slice, slice]]:
        """Yields runs of states with the run of their edges, from the end of the game to its start."""
        for start, stop in zip(self.layers[:-1], self.layers[1:], strict=True):
            yield slice(start, stop), slice(self.first_edge[start], self.first_edge[stop])

    def seen_by(self, player: int) -> Seen:
        """Returns the states in which a player acts, `[k]`, with its observations and masks, `[k, ...]`."""
        if player not in self._seen:
            acts = [s for s, state in enumerate(self.states) if player in self.game.acting_players(state)]
            facts = self.game.facts
            observations = np.zeros((len(acts), facts.observation_size), dtype=np.float32)
            masks = np.zeros((len(acts), facts.num_actions), dtype=np.int8)
            for row, s in enumerate(acts):
                seen = self.game.observation(self.states[s], player)
                require_shape(self.game, "an observation", seen, facts.observation_size)
                observations[row] = seen
                masks[row] = self.game.action_mask(self.states[s], player)
            if facts.public_state:
                require_distinct(self.game, player, [self.states[s] for s in acts], observations)
            self._seen[player] = (np.array(acts, dtype=np.int64), observations, masks)
        return self._seen[player]

    def action_probabilities(self, policy: Policy, player: int) -> NDArray[np.float64]:
        """Queries a policy at every state: `[num_states, num_actions]`, 0 where the player does not act."""
        states, observations, masks = self.seen_by(player)
        probabilities = np.zeros((len(self.states), self.game.facts.num_actions))
        for start in range(0, len(states), BATCH):
            rows = slice(start, start + BATCH)
            probabilities[states[rows]] = checked_probabilities(policy, observations[rows], masks[rows])
        return probabilities

    def edge_weights(self, probabilities: Sequence[NDArray[np.float64] | None]) -> NDArray[np.float64]:
        """Returns `[num_edges]`: the probability of each edge under chance and the given players' policies.

        `probabilities` are `[num_states, num_actions]` per player; None leaves a player's choices out of the product.
        """
        weights = self.probabilities.copy()
        for player, of_player in enumerate(probabilities):
            if of_player is None:
                continue
            played = self.actions[:, player]
            chosen = of_player[self.parents, np.maximum(played, 0)]
            weights *= np.where(played == END, 1.0, chosen)
        return weights


def build_graph(
    game: Game[S],
    roots: Sequence[Transition[S]],
    *,
    canonical: bool = False,
    max_states: int = MAX_STATES,
    progress: Progress | None = None,
) -> GameGraph[S]:
    """Explores a game from its roots, which have the form of `game.initial()`.

    With `canonical`, every state is replaced by its canonical representative (two players). `progress` is called from
    time to time with the number of states explored.

    Raises:
        TooLargeError: If there are more than `max_states` states or `MAX_EDGES` edges.
        ValueError: If a trajectory can repeat a state.
    """
    explorer = _Explorer(game, canonical, max_states)
    numbers, rewards, swapped = zip(*map(explorer.arrive, roots), strict=True)
    if any(swapped):  # roots are not replaced, so that their seats are those of the caller
        raise ValueError("roots of a canonical graph must be canonical")
    explorer.explore(progress)
    return explorer.graph(numbers, [float(root.probability) for root in roots], rewards)


class _Arrival(NamedTuple):
    """The vertex for a state: its representative's number or `END`, and what is still paid if it is settled."""

    number: int
    settled: tuple[float, ...] | None = None
    swapped: bool = False


OVER = _Arrival(END)


class _Explorer(Generic[S]):
    """A breadth-first search that records the edges."""

    def __init__(self, game: Game[S], canonical: bool, max_states: int) -> None:
        self.game, self.canonical, self.max_states = game, canonical, max_states
        self._players = game.facts.num_players
        self.number: dict[S, int] = {}
        self.states: list[S] = []
        # Each undecided state is mapped to its vertex only once, however many moves lead to it.
        self._arrivals: dict[S, _Arrival] = {}
        # Of the states found and not yet expanded: who acts, and the legal actions of each.
        self._choices: deque[tuple[Sequence[int], list[tuple[int, ...]]]] = deque()
        self.joint_actions = 0  # of the states found
        self.first_edge = array("q", [0])
        self.choices, self.outcomes = array("i"), array("q")  # one per joint action; the others are one per edge
        self.children, self.probabilities, self.rewards = array("i"), array("d"), array("d")
        self.swapped = array("b")

    def arrive(self, outcome: Transition[S]) -> tuple[int, tuple[float, ...], bool]:
        """Returns the state's number or END, the payments made on the way, and whether the seats are swapped."""
        _, state, rewards = outcome
        if type(rewards) is not tuple or len(rewards) != self._players:
            require_shape(self.game, "rewards", rewards, self._players)
        number, settled, swapped = self._arrivals.get(state) or self._arrival(state)
        if settled is not None:
            rewards = tuple(map(add, rewards, settled))
        return number, rewards, swapped

    def _arrival(self, state: S) -> _Arrival:
        acting = self.game.acting_players(state)
        if not acting:
            return OVER
        settled = self.game.settled(state)
        if settled is not None:
            if len(settled) != self._players:
                require_shape(self.game, "settled", settled, self._players)
            return _Arrival(END, settled)
        vertex, swapped = state, False
        if self.canonical:
            vertex, seats = self.game.canonical(state)
            swapped = seats == (1, 0)
        number = self.number.setdefault(vertex, len(self.states))
        if number == len(self.states):
            if number >= self.max_states:
                raise _too_many(self.game, self.max_states)
            self._expect(vertex, self.game.acting_players(vertex) if self.canonical else acting)
            self.states.append(vertex)
        if len(self._arrivals) >= MAX_STATES:
            self._arrivals.clear()  # a cache must not take more memory than the states
        arrival = self._arrivals[state] = _Arrival(number, None, swapped)
        return arrival

    def _expect(self, state: S, acting: Sequence[int]) -> None:
        """Notes the choices in a new state; raises a TooLargeError before too many joint actions are listed."""
        legal = [legal_actions(self.game, state, player) for player in acting]
        self._choices.append((acting, legal))
        self.joint_actions += prod(map(len, legal))
        if self.joint_actions > MAX_EDGES:
            raise TooLargeError(f"{self.game.facts.name} has more than {MAX_EDGES:,} joint actions")

    def explore(self, progress: Progress | None) -> None:
        for done, state in enumerate(self.states, start=1):  # the list grows in the loop
            self._expand(state)
            self.first_edge.append(len(self.children))
            if len(self.children) > MAX_EDGES:
                raise TooLargeError(f"{self.game.facts.name} has more than {MAX_EDGES:,} outcomes of joint actions")
            if progress is not None and done % 1024 == 0:
                progress(done)

    def _expand(self, state: S) -> None:
        acting, legal = self._choices.popleft()
        remaining = itertools.product(*legal)
        while choices := list(itertools.islice(remaining, AT_ONCE)):
            self._add(state, acting, choices)

    def _add(self, state: S, acting: Sequence[int], choices: Sequence[tuple[int, ...]]) -> None:
        """Adds the edges of some joint actions of a state."""
        transitions = self.game.transitions
        every = [transitions(state, dict(zip(acting, choice))) for choice in choices]  # noqa: B905  # one for each
        rows = array("i", [END]) * (self._players * len(choices))
        for player, played in zip(acting, zip(*choices, strict=True), strict=True):
            rows[player :: self._players] = array("i", played)
        self.choices.extend(rows)
        try:
            self._add_outcomes(every)
        except (AttributeError, TypeError):
            for outcomes in every:  # only now, as this takes long
                listed(self.game, outcomes)
            raise

    def _add_outcomes(self, every: Sequence[Sequence[Transition[S]]]) -> None:
        arrive = self.arrive
        self.outcomes.extend(map(len, every))
        for outcome in itertools.chain.from_iterable(every):  # most of the work
            child, rewards, swapped = arrive(outcome)
            self.children.append(child)
            probability = outcome.probability  # converting fractions is slow
            self.probabilities.append(1.0 if probability is CERTAIN else float(probability))
            self.rewards.extend(rewards)
            self.swapped.append(swapped)

    def graph(
        self, roots: Sequence[int], root_probabilities: Sequence[float], root_rewards: Sequence[tuple[float, ...]]
    ) -> GameGraph[S]:
        facts, count = self.game.facts, len(self.states)
        by_player = (-1, facts.num_players)
        first_edge = np.array(self.first_edge, dtype=np.int64)
        parents = np.repeat(np.arange(count), np.diff(first_edge))
        children = np.array(self.children, dtype=np.int32)
        choices = np.array(self.choices, dtype=np.int32).reshape(by_player)
        outcomes, probabilities = np.array(self.outcomes, dtype=np.int64), np.array(self.probabilities)
        rewards, at_roots = (np.array(paid, np.float64).reshape(by_player) for paid in (self.rewards, root_rewards))
        require_outcomes(self.game, self.states, parents, outcomes, probabilities, choices)
        require_payments(self.game, np.concatenate([at_roots, rewards]), facts.max_length + 1)
        heights = _heights(parents, children, count, facts.max_length)
        order = np.argsort(heights, kind="stable")
        new_number = np.empty(count + 1, dtype=np.int32)
        new_number[order] = np.arange(count, dtype=np.int32)
        new_number[END] = END  # END is -1, so the last entry translates it
        edges = np.argsort(new_number[parents], kind="stable")
        return GameGraph(
            game=self.game,
            states=[self.states[s] for s in order],
            roots=new_number[np.array(roots, dtype=np.int64)],
            root_probabilities=np.array(root_probabilities),
            root_rewards=at_roots,
            layers=np.searchsorted(heights[order], np.arange(1, heights.max(initial=0) + 2)),
            first_edge=np.concatenate([[0], np.cumsum(np.diff(first_edge)[order])]),
            actions=np.repeat(choices, outcomes, axis=0)[edges],
            children=new_number[children[edges]],
            probabilities=probabilities[edges],
            rewards=rewards[edges],
            swapped=np.array(self.swapped, dtype=np.bool_)[edges],
        )


def _heights(parents: NDArray[np.int64], children: NDArray[np.int32], count: int, longest: int) -> NDArray[np.int64]:
    """Returns the length of the longest trajectory from each state, from 1 to `longest`."""
    heights = np.ones(count, dtype=np.int64)
    inner = children != END
    parents, inner_children = parents[inner], children[inner]
    for _ in range(longest + 1):
        before = heights.copy()
        np.maximum.at(heights, parents, heights[inner_children] + 1)
        if np.array_equal(before, heights):
            return heights
    raise ValueError("the game can visit a state twice; this oracle needs games that always end")


def full_graph(game: Game[Any], max_states: int = MAX_STATES) -> GameGraph[Any]:
    """Returns the graph of all states of a game, cached; raises a ValueError if these are more than `max_states`."""
    kept = _kept(game)
    if not kept:
        require_size(game, canonical=False, max_states=max_states)
        require_starts(game)
        kept.append(build_graph(game, game.initial(), max_states=max_states))
    elif len(kept[0].states) > max_states:
        raise _too_many(game, max_states)
    return kept[0]


@cached_by_game(8)
def _kept(game: Game[Any]) -> list[GameGraph[Any]]:
    """Returns a cache of one graph, independent of the limit with which it was enumerated; empty at first."""
    return []


def _too_many(game: Game[Any], max_states: int) -> TooLargeError:
    return TooLargeError(f"{game.facts.name} has more than {max_states:,} undecided states (max_states)")


def require_size(game: Game[Any], canonical: bool, max_states: int) -> None:
    """Raises a TooLargeError if a game declares too many states; the error names the largest size that may fit."""
    count = game.count_states(canonical)
    if count is None or count <= max_states:
        return
    fitting = None
    with suppress(ValueError):  # there is no larger or smaller game
        for size in itertools.count(1):
            if (game.with_size(size).count_states(canonical) or 0) > max_states:
                break
            fitting = size
    largest = "" if fitting is None else f"; the largest size that can work with these other parameters is {fitting}"
    written = f"{count:,}" if count < LONGEST_COUNT else f"10^{len(str(count)) - 1}"
    raise TooLargeError(
        f"{game.facts.name} has at least {written} undecided states, and max_states is {max_states:,}{largest}"
    )


def group_sums(keys: NDArray[np.int64], weights: NDArray[np.float64], size: int) -> NDArray[np.float64]:
    """Returns sums of `weights` by key, `[size]`."""
    return np.bincount(keys, weights=weights, minlength=size).astype(np.float64, copy=False)
