"""All states of a game of OpenSpiel, listed once; histories are merged where that is safe.

Two histories are merged as *proven* if the same players act, with the same legal actions, and every joint action leads
with the same probabilities and rewards to states that are merged themselves. Since the whole game is listed, from the
ends backward, this is a proof. A *declared* merge follows a key of the user's.
"""

from __future__ import annotations

import gc
import math
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from functools import lru_cache
from itertools import product
from typing import Any, NamedTuple

from cardwar_envs.core.rules import CERTAIN
from cardwar_envs.openspiel.loading import load, reading

HISTORIES, PROVEN, DECLARED = "histories", "proven merged", "declared merged"
# Histories that are listed at most: about half a minute.
MOST_HISTORIES = 2_000_000
# Listing more is announced.
MANY = 200_000
PROBES = 64
# Estimates stop here.
ENORMOUS = 1e100
PROBE_SECONDS = 3
# Largest denominator of a probability that is recovered from a double.
MOST_DENOMINATOR = 10_000
# Doubles that sum to something else are no probabilities.
TOLERANCE = 1e-9

Key = Callable[[Any], Hashable]


class Outcome(NamedTuple):
    """One outcome of a joint action: the chance actions taken, and the number of the next state."""

    probability: Fraction
    node: int
    rewards: tuple[float, ...]
    chance: tuple[int, ...]


class Node(NamedTuple):
    """A state.

    Attributes:
        history: OpenSpiel's history of its first history.
        acting: The players who act.
        legal: Legal actions of each acting player.
        width: How many actions of a history a joint action takes: one of every player, or only that of one who moves
            in turn.
        outcomes: Actions of the acting players -> outcomes.
    """

    history: tuple[int, ...]
    acting: tuple[int, ...]
    legal: tuple[tuple[int, ...], ...]
    width: int
    outcomes: dict[tuple[int, ...], tuple[Outcome, ...]]


class Listing(NamedTuple):
    """A game's states, the last ones first.

    Attributes:
        game: OpenSpiel's game.
        initial: The possible starts.
        nodes: The states.
        merged: How many histories were found to be each state.
        identity: "histories", "proven merged" or "declared merged".
        normalised: Whether probabilities are OpenSpiel's doubles divided by their sum.
        length: The most joint actions in a game.
        disagreement: The first history after which OpenSpiel's `rewards` are not the change of its `returns`.
    """

    game: Any
    initial: tuple[Outcome, ...]
    nodes: list[Node]
    merged: Counter[int]
    identity: str
    normalised: bool
    length: int
    disagreement: tuple[int, ...] | None


@lru_cache(maxsize=8)
def listing(name: str, key: Key | None, merge: bool) -> Listing:
    """Lists a game; with a `key`, histories of equal key are one state, else equal ones are merged if `merge`.

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
    with reading(name), _deep(game.max_game_length()):
        initial = lister.settled(game.new_initial_state(), (0.0,) * game.num_players())
    identity = DECLARED if key is not None else PROVEN if max(lister.merged.values()) > 1 else HISTORIES
    length = max(lister.lengths[outcome.node] for outcome in initial)
    return Listing(game, initial, lister.nodes, lister.merged, identity, lister.normalised, length, lister.disagreement)


def _estimated(name: str, game: Any) -> float:
    """The number of histories, estimated from random games (Knuth 1975); a ValueError if they are too many to list."""
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
                    raise ValueError(f"openspiel:{name} is refused: after {state.history()} nothing is legal")
                width = min(width * len(actions), ENORMOUS)
                state.apply_action(chosen.choice(actions))
            total += width
            if time.process_time() > until:
                raise ValueError(f"openspiel:{name} is too large: {PROBES} games take more than {PROBE_SECONDS} s")
    if total > PROBES * MOST_HISTORIES:
        raise ValueError(
            f"openspiel:{name} is too large: about {total / PROBES:.0e} histories or more, and at most "
            f"{MOST_HISTORIES:,} are listed; choose smaller parameters, or state_key= if few states are different"
        )
    return total / PROBES


@contextmanager
def _deep(length: int) -> Iterator[None]:
    """Allows recursion over a whole game, and spares the search for garbage, which would take a third of the time."""
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
    def __init__(self, name: str, game: Any, key: Key | None, merge: bool) -> None:
        self.name, self.key, self.merge = name, key, merge and key is None
        self.players = range(game.num_players())
        self.nothing = (0.0,) * len(self.players)
        self.pays_at_end = game.get_type().reward_model.name == "TERMINAL"
        self.nodes: list[Node] = []
        self.lengths: list[int] = []
        self.merged: Counter[int] = Counter()
        self.normalised = False
        self.disagreement: tuple[int, ...] | None = None
        self._known: dict[Hashable, int] = {}  # the state of each key or signature; -1 while it is being listed
        self._distributions: dict[Hashable, int] = {}
        self._ends: dict[tuple[float, ...], tuple[Outcome, ...]] = {}
        self._visited = 0

    def settled(self, state: Any, before: tuple[float, ...]) -> tuple[Outcome, ...]:
        """The states that follow once chance has moved; `before` are the returns before the last action."""
        if self.merge and self.pays_at_end and state.is_terminal():  # most histories are ends: few steps for these
            returns = tuple(state.returns())
            if (end := self._ends.get(returns)) is None:
                self._ends[returns] = end = (Outcome(CERTAIN, self.visit(state), self._rewards(state, before), ()),)
            else:
                self._visited += 1  # compared with the limit at the next state that is no end
                self.merged[end[0].node] += 1
            return end
        if not state.is_chance_node():
            return (Outcome(CERTAIN, self.visit(state), self._rewards(state, before), ()),)
        return tuple(
            Outcome(probability, self.visit(after), self._rewards(after, before), chance)
            for probability, after, chance in self._after_chance(state, CERTAIN, ())
        )

    def _after_chance(
        self, state: Any, probability: Fraction, chance: tuple[int, ...]
    ) -> Iterator[tuple[Fraction, Any, tuple[int, ...]]]:
        if not state.is_chance_node():
            yield probability, state, chance
            return
        actions, doubles = zip(*state.chance_outcomes(), strict=True)
        exact, recovered = _fractions(doubles)
        self.normalised |= not recovered
        for action, share in zip(actions, exact, strict=True):
            if share:
                yield from self._after_chance(state.child(action), probability * share, (*chance, action))

    def _rewards(self, state: Any, before: tuple[float, ...]) -> tuple[float, ...]:
        if self.pays_at_end:
            return tuple(pay + 0.0 for pay in state.returns()) if state.is_terminal() else self.nothing
        paid = [now - then for now, then in zip(state.returns(), before, strict=True)]
        stated = state.rewards()  # without the rounding of a difference
        same = all(abs(one - other) < TOLERANCE for one, other in zip(paid, stated, strict=True))
        if not same and self.disagreement is None:
            self.disagreement = tuple(state.history())
        return tuple(pay + 0.0 for pay in (stated if same else paid))

    def _count(self) -> None:
        self._visited += 1
        if self._visited > MOST_HISTORIES:
            raise ValueError(f"openspiel:{self.name} is too large: it has more than {MOST_HISTORIES:,} histories")

    def visit(self, state: Any) -> int:
        """The number of a state after chance, which is listed with all that follow."""
        self._count()
        acting, legal = self._choices(state)
        if self.key is None:
            return self._numbered(state, acting, legal)
        key = self.key(state)
        if key in self._known:
            self._check_key(state, key, acting, legal)
        else:
            self._known[key] = -1
            self._known[key] = self._numbered(state, acting, legal)
        return self._known[key]

    def _choices(self, state: Any) -> tuple[tuple[int, ...], tuple[tuple[int, ...], ...]]:
        if state.is_terminal():
            return (), ()
        if not state.is_simultaneous_node():
            return (state.current_player(),), (tuple(state.legal_actions()),)
        legal = [tuple(state.legal_actions(player)) for player in self.players]
        return tuple(p for p in self.players if legal[p]), tuple(filter(None, legal))

    def _numbered(self, state: Any, acting: tuple[int, ...], legal: tuple[tuple[int, ...], ...]) -> int:
        outcomes, before = {}, self._paid(state)
        everyone = len(acting) == len(self.players)
        for joint in product(*legal) if acting else ():
            if everyone:
                after = state.clone()
                after.apply_actions(joint)
            else:
                after = self._played(state, acting, joint)
            outcomes[joint] = self.settled(after, before)
        number = len(self.nodes)
        if self.merge:
            ends = tuple(state.returns()) if self.pays_at_end and not acting else ()  # an end shows its payoffs
            signature = acting, legal, ends, self._following(outcomes.values())
            number = self._known.setdefault(signature, number)
        if number == len(self.nodes):
            width = len(self.players) if state.is_simultaneous_node() else 1
            self.nodes.append(Node(tuple(state.history()), acting, legal, width, outcomes))
            following = (self.lengths[each.node] for found in outcomes.values() for each in found)
            self.lengths.append(1 + max(following) if acting else 0)
        self.merged[number] += 1
        return number

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

    def _following(self, found: Iterable[tuple[Outcome, ...]]) -> tuple[int, ...]:
        """For each joint action a number that two share if their outcomes do not differ."""
        if not self.pays_at_end:
            return tuple(map(self._distribution, found))
        # A certain next state has its own number, which determines the rewards; this is most of the work.
        return tuple([each[0].node if len(each) == 1 else -1 - self._distribution(each) for each in found])

    def _distribution(self, outcomes: tuple[Outcome, ...]) -> int:
        """A number that outcomes share if they lead to the same states with the same rewards and probabilities."""
        if len(outcomes) == 1:
            found: Hashable = outcomes[0][1:3]  # the next state and the rewards
        else:
            total: dict[Hashable, Fraction] = {}
            for each in outcomes:
                total[each[1:3]] = total.get(each[1:3], Fraction(0)) + each.probability
            found = frozenset((where, share.as_integer_ratio()) for where, share in total.items())
        return self._distributions.setdefault(found, len(self._distributions))

    def _check_key(self, state: Any, key: Hashable, acting: tuple[int, ...], legal: Any) -> None:
        """Raises a ValueError if a history differs from the first one of its key, in itself or in the next states."""
        where = f"openspiel:{self.name}: state_key merges history {list(state.history())} with"
        number = self._known[key]
        if number < 0:
            raise ValueError(f"{where} an earlier one of the same game")
        self.merged[number] += 1
        node = self.nodes[number]
        if (node.acting, node.legal) != (acting, legal):
            raise ValueError(f"{where} {list(node.history)}, where other actions are legal")
        before = self._paid(state)
        for joint, listed in node.outcomes.items():
            self._count()
            found = tuple(
                Outcome(probability, self._known.get(self.key(after), -1), self._rewards(after, before), chance)  # type: ignore[misc]
                for probability, after, chance in self._after_chance(self._played(state, acting, joint), CERTAIN, ())
            )
            if self._distribution(found) != self._distribution(listed):
                raise ValueError(f"{where} {list(node.history)}, but actions {list(joint)} differ in outcome")


@lru_cache(maxsize=256)
def _fractions(doubles: tuple[float, ...]) -> tuple[tuple[Fraction, ...], bool]:
    """The probabilities that these doubles round, if they are small fractions that sum to one.

    Otherwise the doubles themselves, divided by their sum.
    """
    simple = tuple(Fraction(each).limit_denominator(MOST_DENOMINATOR) for each in doubles)
    if sum(simple) == 1 and all(float(one) == other for one, other in zip(simple, doubles, strict=True)):
        return simple, True
    exact = tuple(map(Fraction, doubles))
    if abs(math.fsum(doubles) - 1.0) > TOLERANCE or min(doubles) < 0.0:
        raise ValueError(f"OpenSpiel's chance probabilities {list(doubles)} do not sum to 1")
    return tuple(each / sum(exact) for each in exact), False
