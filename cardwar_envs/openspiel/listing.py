"""Enumerates the states of an OpenSpiel game; histories of equal value are merged into one state.

A merge of two histories is *proven* if the same players act, with the same legal actions, and every joint action leads
with the same probabilities and rewards to the same merged states. Such a merge is proven because the whole game is
enumerated from its terminal states backward. A merge is *declared* if it follows a key given by the user.
"""

from __future__ import annotations

import gc
import math
import random
import sys
import time
from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from functools import lru_cache
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cardwar_envs.core.rules import CERTAIN, Transition, new_transition
from cardwar_envs.openspiel.loading import GameObject, is_hidden, load, reading

HISTORIES, PROVEN, DECLARED = "histories", "proven merged", "declared merged"
# Maximum number of histories to list: about half a minute.
MOST_HISTORIES = 2_000_000
# With more histories than this, a message announces the enumeration.
MANY = 200_000
# Limit on the size of tensors: 200 MB.
MOST_NUMBERS = 50_000_000
PROBES = 64
# Estimates stop at this number.
ENORMOUS = 1e100
PROBE_SECONDS = 3
# The clock, which is slow to read, is read after each such number of moves.
CLOCKED = 16
# Largest denominator of a probability recovered from a double.
MOST_DENOMINATOR = 10_000
# Doubles whose sum differs from 1 by more than this are not probabilities.
TOLERANCE = 1e-9

Key = Callable[[Any], Hashable]


class OpenSpielState(NamedTuple):
    """A state, given by its number in the order of enumeration."""

    number: int


Outcomes = tuple[Transition[OpenSpielState], ...]
UNKNOWN = OpenSpielState(-1)


class Node(NamedTuple):
    """A state.

    Attributes:
        first: OpenSpiel's state after the first history of this state.
        acting: The players who act.
        legal: Legal actions of each acting player.
        outcomes: Outcomes for each joint action, in the order of `after_chance`.
    """

    first: Any
    acting: tuple[int, ...]
    legal: tuple[tuple[int, ...], ...]
    outcomes: dict[tuple[int, ...], Outcomes]


class Listing(NamedTuple):
    """The result of enumerating a game.

    Attributes:
        game: OpenSpiel's game.
        initial: The possible starts.
        nodes: The states, each after its successors.
        tensors: `[states, players, size]`: OpenSpiel's tensors. The size is 0 if OpenSpiel provides none or they would
            exceed `MOST_NUMBERS` numbers.
        merged: Number of histories merged into each state.
        identity: "histories", "proven merged" or "declared merged".
        normalised: Whether probabilities are OpenSpiel's doubles divided by their sum.
        length: Maximum number of joint actions in a game.
        find: Maps an OpenSpiel state that is not a chance node to its listed state.
        disagreement: The first history after which OpenSpiel's `rewards` are not the change in its `returns`.
    """

    game: Any
    initial: Outcomes
    nodes: list[Node]
    tensors: NDArray[np.float32]
    merged: list[int]
    identity: str
    normalised: bool
    length: int
    find: Callable[[Any], OpenSpielState]
    disagreement: tuple[int, ...] | None


@lru_cache(maxsize=8)
def listing(name: str | GameObject, key: Key | None, merge: bool) -> Listing:
    """Enumerates a game; merges histories of equal `key` or, without a key, those proven equal if `merge` is true.

    Raises:
        ValueError: If the game is too large, or the key merges histories that differ.
    """
    game = load(name)
    lister = _Lister(name, game, key, merge)
    if key is None:
        with reading(name):
            histories = _estimated(name, game)
        if histories > MANY:
            print(f"Listing about {histories:,.0f} histories (once, up to a minute).", file=sys.stderr, flush=True)
    with reading(name), _deep(lister.length):
        initial = lister.settled(game.new_initial_state(), (0.0,) * game.num_players())
    identity = DECLARED if key is not None else PROVEN if max(lister.merged) > 1 else HISTORIES
    length = max(lister.lengths[outcome.state.number] for outcome in initial)
    merged, lister.merged = lister.merged, [0] * len(lister.merged)  # later lookups must not change the counts
    nodes, tensors = lister.nodes, _tensors(game, lister.nodes)
    return Listing(
        game, initial, nodes, tensors, merged, identity, lister.normalised, length, lister.find, lister.disagreement
    )


def _tensors(game: Any, nodes: list[Node]) -> NDArray[np.float32]:
    kind, players, hidden = game.get_type(), range(game.num_players()), is_hidden(game)
    use_observation = kind.provides_observation_tensor and not (hidden and kind.provides_information_state_tensor)
    what = "observation" if use_observation else "information_state"
    shape = getattr(game, f"{what}_tensor_shape")() if getattr(kind, f"provides_{what}_tensor") else []
    size = math.prod(shape) if shape else 0
    if len(nodes) * len(players) * size > MOST_NUMBERS:
        size = 0
    found = np.zeros((len(nodes), len(players), size), dtype=np.float32)
    for number, node in enumerate(nodes):
        if size and node.acting:  # terminal states get no tensor, because OpenSpiel may not define one
            tensor = getattr(node.first, f"{what}_tensor")
            for player in node.acting if hidden else players:  # a waiting player must not see what others do
                found[number, player] = tensor(player)
    return found


def _estimated(name: str | GameObject, game: Any) -> float:
    """Estimates the number of histories from random games (Knuth 1975); raises a ValueError if there are too many."""
    chosen, total, until = random.Random(0), 0.0, time.process_time() + PROBE_SECONDS
    for _ in range(PROBES):
        state, width = game.new_initial_state(), 1.0
        while not state.is_terminal() and total < PROBES * MOST_HISTORIES:
            if state.is_simultaneous_node():
                legal = [state.legal_actions(player) or [0] for player in range(game.num_players())]
                width = min(width * math.prod(map(float, map(len, legal))), ENORMOUS)
                state.apply_actions([chosen.choice(each) for each in legal])
            else:
                if not (actions := state.legal_actions()):
                    raise ValueError(f"openspiel:{name} is refused: no action is legal after {state.history()}")
                width = min(width * len(actions), ENORMOUS)
                state.apply_action(chosen.choice(actions))
            total += width
            if state.move_number() % CLOCKED == 0 and time.process_time() > until:
                raise ValueError(f"openspiel:{name} is too large: {PROBES} games take more than {PROBE_SECONDS} s")
    if total > PROBES * MOST_HISTORIES:
        raise ValueError(
            f"openspiel:{name} is too large: it has about {total / PROBES:.0e} or more histories, and at most "
            f"{MOST_HISTORIES:,} are allowed; choose smaller parameters, or pass state_key= if many histories are equal"
        )
    return total / PROBES


@contextmanager
def _deep(length: int) -> Iterator[None]:
    """Allows recursion to the depth of a game, and disables garbage collection, which takes a third of the time."""
    before, collecting = sys.getrecursionlimit(), gc.isenabled()
    sys.setrecursionlimit(before + 4 * length + 1000)
    gc.disable()
    try:
        yield
    finally:
        sys.setrecursionlimit(before)
        if collecting:
            gc.enable()


class _Lister:
    def __init__(self, name: str | GameObject, game: Any, key: Key | None, merge: bool) -> None:
        self.name, self.key, self.merge = name, key, merge and key is None
        self.players = range(game.num_players())
        self.everyone, self.nothing = tuple(self.players), (0.0,) * len(self.players)
        self.in_turns = game.get_type().dynamics.name == "SEQUENTIAL"
        self.pays_at_end = game.get_type().reward_model.name == "TERMINAL"
        self.nodes: list[Node] = []
        self.lengths: list[int] = []
        self.merged: list[int] = []
        self.normalised = False
        self.disagreement: tuple[int, ...] | None = None
        # The state of each key or signature; its number is -1 while it is being listed.
        self._known: dict[Hashable, OpenSpielState] = {}
        self._distributions: dict[Hashable, int] = {}
        self._ends: dict[tuple[float, ...], Outcomes] = {}
        self._visited, self.length = 0, game.max_game_length()

    def settled(self, state: Any, before: tuple[float, ...]) -> Outcomes:
        """The next states after chance has moved; `before` are the returns before the last action."""
        if self.key is None and self.pays_at_end and state.is_terminal():  # a fast path: most histories are terminal
            self._visited += 1  # compared with the limit at the next non-terminal state
            returns = tuple(state.returns())
            if self.merge and (end := self._ends.get(returns)) is not None:
                self.merged[end[0][1][0]] += 1
                return end
            listed = self._numbered(state, (), ()) if self.merge else self._added(state, (), (), {}, 0)
            self._ends[returns] = end = (new_transition((CERTAIN, listed, tuple([pay + 0.0 for pay in returns]))),)
            return end
        if not state.is_chance_node():
            return (new_transition((CERTAIN, self.visit(state), self._rewards(state, before))),)
        outcomes = []
        for probability, after, _, recovered in after_chance(state):
            self.normalised |= not recovered
            outcomes.append(Transition(probability, self.visit(after), self._rewards(after, before)))
        return tuple(outcomes)

    def _rewards(self, state: Any, before: tuple[float, ...]) -> tuple[float, ...]:
        if self.pays_at_end:
            return tuple(pay + 0.0 for pay in state.returns()) if state.is_terminal() else self.nothing
        paid = [now - then for now, then in zip(state.returns(), before, strict=True)]
        stated = state.rewards()  # free of the rounding error of a difference
        same = all(abs(one - other) < TOLERANCE for one, other in zip(paid, stated, strict=True))
        if not same and self.disagreement is None:
            self.disagreement = tuple(state.history())
        return tuple(pay + 0.0 for pay in (stated if same else paid))

    def _count(self) -> None:
        self._visited += 1
        if self._visited > MOST_HISTORIES:
            raise ValueError(f"openspiel:{self.name} is too large: it has more than {MOST_HISTORIES:,} histories")

    def visit(self, state: Any) -> OpenSpielState:
        """Lists a state (not a chance node) with all its successors."""
        self._count()
        acting, legal = self._choices(state)
        if self.key is None:
            return self._numbered(state, acting, legal)
        key = self.key(state)
        if key in self._known:
            self._check_key(state, key, acting, legal)
        else:
            self._known[key] = UNKNOWN
            self._known[key] = self._numbered(state, acting, legal)
        return self._known[key]

    def find(self, state: Any) -> OpenSpielState:
        """The listed state of an OpenSpiel state, once all states are listed."""
        if self.key is not None:
            return self._known[self.key(state)]
        if self.merge:
            self._visited = 0
            with _deep(self.length):
                return self.visit(state)  # all successors are known, which proves its identity
        if not self._known:
            self._known.update(
                (tuple(node.first.history()), OpenSpielState(number)) for number, node in enumerate(self.nodes)
            )
        return self._known[tuple(state.history())]

    def _choices(self, state: Any) -> tuple[tuple[int, ...], tuple[tuple[int, ...], ...]]:
        if state.is_terminal():
            return (), ()
        if self.in_turns or not state.is_simultaneous_node():
            return (state.current_player(),), (tuple(state.legal_actions()),)
        legal = tuple([tuple(state.legal_actions(player)) for player in self.players])
        if all(legal):
            return self.everyone, legal
        return tuple(p for p in self.players if legal[p]), tuple(filter(None, legal))

    def _numbered(self, state: Any, acting: tuple[int, ...], legal: tuple[tuple[int, ...], ...]) -> OpenSpielState:
        outcomes: dict[tuple[int, ...], Outcomes] = {}
        before, settled = self._paid(state), self.settled
        if self.in_turns and acting:
            for action in legal[0]:
                outcomes[(action,)] = settled(state.child(action), before)
        elif acting is self.everyone:
            for joint in product(*legal):
                after = state.clone()
                after.apply_actions(joint)
                outcomes[joint] = settled(after, before)
        elif acting:
            for joint in product(*legal):
                outcomes[joint] = settled(self._played(state, acting, joint), before)
        if self.merge:
            ends = tuple(state.returns()) if self.pays_at_end and not acting else ()  # told apart by payoffs
            signature = acting, legal, ends, self._following(outcomes.values())
            found = self._known.setdefault(signature, OpenSpielState(len(self.nodes)))
            if found.number < len(self.nodes):
                self.merged[found.number] += 1
                return found
        lengths = self.lengths
        length = 1 + max([lengths[each.state.number] for then in outcomes.values() for each in then]) if acting else 0
        return self._added(state, acting, legal, outcomes, length)

    def _added(self, state: Any, acting: Any, legal: Any, outcomes: Any, length: int) -> OpenSpielState:
        """Lists a new state after its successors; `length` is that of the longest game from it."""
        self.nodes.append(Node(state, acting, legal, outcomes))
        self.lengths.append(length)
        self.merged.append(1)
        return OpenSpielState(len(self.nodes) - 1)

    def _paid(self, state: Any) -> tuple[float, ...]:
        return self.nothing if self.pays_at_end else tuple(state.returns())

    def _played(self, state: Any, acting: tuple[int, ...], joint: tuple[int, ...]) -> Any:
        if not state.is_simultaneous_node():
            return state.child(joint[0])
        after, actions = state.clone(), joint
        if len(acting) < len(self.players):
            given = dict(zip(acting, joint, strict=True))
            actions = tuple(given.get(player, 0) for player in self.players)
        after.apply_actions(actions)
        return after

    def _following(self, found: Iterable[Outcomes]) -> tuple[int, ...]:
        """A number for each joint action; two numbers are equal if and only if the outcomes are equal."""
        if not self.pays_at_end:
            return tuple(map(self._distribution, found))
        # A certain next state has its own number, which determines the rewards; this is most of the work.
        return tuple([each[0][1][0] if len(each) == 1 else -1 - self._distribution(each) for each in found])

    def _distribution(self, outcomes: Outcomes) -> int:
        """The number of a distribution over next states and rewards; equal distributions have the same number."""
        if len(outcomes) == 1:
            found: Hashable = outcomes[0][1:]  # the next state and the rewards
        else:
            total: dict[Hashable, Fraction] = {}
            for each in outcomes:
                total[each[1:]] = total.get(each[1:], Fraction(0)) + each.probability
            found = frozenset((where, share.as_integer_ratio()) for where, share in total.items())
        return self._distributions.setdefault(found, len(self._distributions))

    def _check_key(self, state: Any, key: Hashable, acting: tuple[int, ...], legal: Any) -> None:
        """Raises a ValueError if a history, or a successor, differs from the first history with the same key."""
        where = f"openspiel:{self.name}: state_key merges history {list(state.history())} with"
        number = self._known[key].number
        if number < 0:
            raise ValueError(f"{where} an earlier history of the same game")
        self.merged[number] += 1
        node = self.nodes[number]
        if (node.acting, node.legal) != (acting, legal):
            raise ValueError(f"{where} {node.first.history()}, which has different acting players or legal actions")
        before = self._paid(state)
        for joint, listed in node.outcomes.items():
            self._count()
            found = tuple(
                Transition(probability, self._known.get(self.key(after), UNKNOWN), self._rewards(after, before))  # type: ignore[misc]
                for probability, after, _, _ in after_chance(self._played(state, acting, joint))
            )
            if self._distribution(found) != self._distribution(listed):
                raise ValueError(f"{where} {node.first.history()}, but actions {list(joint)} have different outcomes")


def after_chance(
    state: Any, probability: Fraction = CERTAIN, chance: tuple[int, ...] = (), recovered: bool = True
) -> Iterator[tuple[Fraction, Any, tuple[int, ...], bool]]:
    """Yields the results of chance at a state: probability, state, actions, and whether fractions were recovered."""
    if not state.is_chance_node():
        yield probability, state, chance, recovered
        return
    actions, doubles = zip(*state.chance_outcomes(), strict=True)
    exact, all_recovered = _fractions(doubles)
    for action, share in zip(actions, exact, strict=True):
        if share:
            so_far = probability * share, (*chance, action), recovered and all_recovered
            yield from after_chance(state.child(action), *so_far)


@lru_cache(maxsize=256)
def _fractions(doubles: tuple[float, ...]) -> tuple[tuple[Fraction, ...], bool]:
    """Recovers the fractions that these doubles approximate, if they are small and sum to one.

    Otherwise returns the doubles divided by their sum.
    """
    simple = tuple(Fraction(each).limit_denominator(MOST_DENOMINATOR) for each in doubles)
    if sum(simple) == 1 and all(float(one) == other for one, other in zip(simple, doubles, strict=True)):
        return simple, True
    exact = tuple(map(Fraction, doubles))
    if abs(math.fsum(doubles) - 1.0) > TOLERANCE or min(doubles) < 0.0:
        raise ValueError(f"OpenSpiel's chance probabilities {list(doubles)} do not sum to 1")
    return tuple(each / sum(exact) for each in exact), False
