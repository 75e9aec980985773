"""The states of a game to check, all of them or a seeded sample, with what the rules return for them."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from operator import index
from random import Random
from typing import Any

from cardwar_envs.contract.verdicts import Failed, NotApplicable, in_a_line, query, short, where
from cardwar_envs.core.game import Game, GameFacts, Transition

Actions = tuple[int, ...]


@dataclass(frozen=True)
class Node:
    """What the rules return for a state."""

    state: Any
    acting: tuple[int, ...]  # the players who choose
    live: tuple[int, ...]  # the players still in the game
    legal: Mapping[int, Actions]  # legal actions of each live player, ascending
    moves: Mapping[Actions, Sequence[Transition[Any]]]  # outcomes of each joint action, in the order of `acting`
    whole: bool  # True if `moves` contains all joint actions

    def chosen(self, actions: Actions) -> dict[int, int]:
        """A joint action as player -> action."""
        return dict(zip(self.acting, actions, strict=True))

    def at(self, actions: Actions) -> str:
        """Describes the state and a joint action."""
        return where(self.state, actions=self.chosen(actions))

    def children(self) -> list[Any]:
        """The states that the listed moves lead to."""
        return [outcome.state for outcomes in self.moves.values() for outcome in outcomes]


class BadSeats(Failed):
    """Impossible acting or live players."""


class BadActions(Failed):
    """Impossible legal actions."""


def node_at(game: Game[Any], facts: GameFacts, state: Any, most: int, rng: Random) -> Node:
    """Queries the rules at a state; lists all joint actions, or a random sample if there are more than `most`.

    Raises:
        Failed: If a rule raises an error or returns something impossible.
    """
    acting, live = (query(game, rule, state, to=tuple) for rule in ("acting_players", "live_players"))
    if fault := seats_fault(facts, acting, live):
        raise BadSeats(f"{where(state)}: {fault}")
    legal = {player: _distinct(facts, state, player, query(game, "legal_actions", state, player)) for player in live}
    choices = [legal[player] for player in acting]
    count = math.prod(map(len, choices)) if acting else 0
    if count <= most:
        joint = list(product(*choices)) if acting else []
    else:
        joint = sorted({tuple(rng.choice(each) for each in choices) for _ in range(most)})
    moves = {actions: _outcomes(game, state, dict(zip(acting, actions, strict=True))) for actions in joint}
    return Node(state, acting, live, legal, moves, whole=count <= most)


def seats_fault(facts: GameFacts, acting: Sequence[Any], live: Sequence[Any]) -> str | None:
    """Describes a fault of the acting and live players, if any."""
    seats = range(facts.num_players)
    for what, players in (("acting_players", acting), ("live_players", live)):
        if not all(player in seats for player in players) or list(players) != sorted(set(players)):
            return f"{what} are {short(players)}, which must be seats 0..{seats[-1]}, ascending"
    if not set(acting) <= set(live):
        return f"acting_players are {acting}, but live_players are {live}: only live players can act"
    if bool(acting) != bool(live):
        return f"no player acts, but live_players are {live}: if the game is over, no player is live"
    return None


def _distinct(facts: GameFacts, state: Any, player: int, given: Any) -> Actions:
    at = where(state, player)
    try:
        numbers = [index(action) for action in given]
    except TypeError:
        raise BadActions(f"{at}: legal_actions are {short(given)}, which must be whole numbers") from None
    if not numbers:
        raise BadActions(f"{at}: there is no legal action, but the player is in the game")
    if not all(0 <= number < facts.num_actions for number in numbers):
        raise BadActions(f"{at}: legal_actions are {short(given)}, which must be in 0..{facts.num_actions - 1}")
    return tuple(sorted(set(numbers)))


def _outcomes(game: Game[Any], state: Any, actions: dict[int, int]) -> tuple[Transition[Any], ...]:
    outcomes: tuple[Any, ...] = query(game, "transitions", state, actions=dict(actions), to=tuple)
    for outcome in outcomes:
        if not isinstance(outcome, Transition):
            raise Failed(f"{where(state, actions=actions)}: {short(outcome)} is not a Transition")
    return outcomes


# A game counts as large if its states have more than `MOVES_A_STATE` joint actions on average; for a state of a large
# game, at most `MOVES_OF_A_SAMPLE` are listed.
MOVES_A_STATE, MOVES_OF_A_SAMPLE = 50, 64
MOST_TWINS = 2000


@dataclass(frozen=True)
class Trajectory:
    """A complete game."""

    states: list[Any]  # the last one is final
    rewards: list[tuple[float, ...]]  # of each move


class Walk:
    """The states of a game that checks examine, with what the rules return for them.

    A game with at most `max_states` states is walked completely. In a larger game, half of the states are those nearest
    to the start; the others come from random games.

    Attributes:
        complete: Whether these are all states and all joint actions of the game.
        size: Number of states examined.
        starts: The result of `initial`.
        faults: The first failure of each class at a state: impossible players, impossible legal actions, other errors.
        unhashable: Describes the first state that cannot be hashed; "" if there is none.
    """

    def __init__(self, game: Game[Any], max_states: int, seed: int) -> None:
        self.game, self.max_states, self.seed = game, max_states, seed
        self.faults: dict[type[Failed], Failed] = {}
        self.unhashable = ""
        self.endless: Any = None  # a state of a random game that is longer than `max_length`
        self.twins: list[tuple[Any, Any]] = []  # equal states that look different
        self.trajectories: list[Trajectory] = []  # random games, if not `complete`
        self._compared = 0
        self._rng = Random(seed)
        self._met: dict[Any, Any] = {}  # a state -> the first equal object
        self._nodes: dict[Any, Node | None] = {}  # None where the rules fail
        self._choices: dict[Any, Node] = {}  # without moves
        self.starts = self._initial()
        self.complete = self._walk_all()
        if not self.complete:
            self._sample()
        self.size = len(self._nodes)  # without states that checks query later
        self._visited = [node for node in self._nodes.values() if node is not None]

    @cached_property
    def facts(self) -> GameFacts:
        """The facts; raises NotApplicable if they are unreadable, or lack the numbers of players, actions or moves."""
        try:
            facts = self.game.facts
            counts = (facts.num_players, facts.num_actions, facts.max_length)
            if all(isinstance(count, int) and count >= 1 for count in counts):
                return facts
        except Exception as error:
            raise NotApplicable(f"the facts cannot be read: {in_a_line(error)}") from error
        raise NotApplicable(f"the facts do not say how many players, actions and moves there are: {counts}")

    @property
    def nodes(self) -> list[Node]:
        """What the rules return for each examined state, nearest to the start first.

        Raises:
            NotApplicable: If no state could be examined.
        """
        _ = self.facts
        if not self._visited:
            raise NotApplicable("no state could be examined")
        return self._visited

    @property
    def choosing(self) -> Iterator[tuple[Node, int]]:
        """Yields each node with each player still in the game there."""
        return ((node, player) for node in self.nodes for player in node.live)

    @property
    def extent(self) -> str:
        """How much of the game was examined, as text."""
        states = f"{self.size:,}"
        return f"all {states} states" if self.complete else f"a sample of {states} states, seed {self.seed}"

    def require_no(self, kind: type[Failed]) -> None:
        """Raises the first failure of this class, if there was one."""
        if kind in self.faults:
            raise self.faults[kind]

    def knows(self, state: Any) -> bool:
        """Whether the walk visited the state."""
        return state in self._met

    def node(self, state: Any) -> Node:
        """What the rules return for a state, visited or not.

        Raises:
            Failed: If checks have reached far more states than the game has, even with seats exchanged.
            NotApplicable: If the rules fail at the state.
        """
        if state not in self._nodes:
            if not self.complete:
                return node_at(self.game, self.facts, state, MOVES_OF_A_SAMPLE, self._rng)
            if len(self._nodes) > 2 * (1 + self.facts.num_players) * self.max_states:
                raise Failed(f"{where(state)}: the game's methods lead to far more states than its transitions do")
            most = MOVES_A_STATE * self.max_states
            self._nodes[state] = node_at(self.game, self.facts, state, most, self._rng)
        node = self._nodes[state]
        if node is None:
            raise NotApplicable(f"{where(state)}: the rules fail there")
        return node

    def choices(self, state: Any) -> Node:
        """Like `node`, but without transitions."""
        if state not in self._choices:
            self._choices[state] = self._nodes.get(state) or node_at(self.game, self.facts, state, 0, self._rng)
        return self._choices[state]

    # -- walking --------------------------------------------------------------------------

    def _initial(self) -> tuple[Transition[Any], ...]:
        try:
            starts = tuple(self.game.initial())
            for start in starts:
                if not isinstance(start, Transition):
                    raise TypeError(f"{short(start)} is not a Transition")
        except Exception as error:
            self.faults[Failed] = Failed(f"initial raises {in_a_line(error)}")
            return ()
        return starts

    def _query(self, state: Any, most: int) -> Node | None:
        if state in self._nodes:
            return self._nodes[state]
        node = None
        try:
            node = node_at(self.game, self.facts, state, most, self._rng)
        except Failed as fault:
            self.faults.setdefault(type(fault), fault)
        self._nodes[state] = node
        return node

    def _is_new(self, state: Any) -> bool:
        before = len(self._met)
        try:
            known = self._met.setdefault(state, state)
        except Exception as error:
            self.unhashable = self.unhashable or f"{where(state)}: hash raises {in_a_line(error)}"
            return False
        if len(self._met) > before:
            return True
        if known is not state and self._compared < MOST_TWINS:
            self._compared += 1
            if short(known) != short(state):
                self.twins.append((known, state))
        return False

    def _walk_all(self) -> bool:
        """Walks breadth first; returns False once the game is too large, with at most half of the states examined."""
        try:
            _ = self.facts
        except NotApplicable:
            return True
        waiting = deque(start.state for start in self.starts if self._is_new(start.state))
        moves, most = 0, MOVES_A_STATE * self.max_states
        while waiting:
            node = self._query(waiting.popleft(), most - moves)
            if node is None:
                continue
            moves += len(node.moves)
            waiting.extend(state for state in node.children() if self._is_new(state))
            if len(self._met) > self.max_states or not node.whole:
                for state in list(self._nodes)[max(1, self.max_states // 2) :]:
                    del self._nodes[state]
                return False
        return True

    def _sample(self) -> None:
        steps = 0
        while len(self._nodes) < self.max_states and steps < 2 * self.max_states and self.endless is None:
            state = self._rng.choice(self.starts).state
            states: list[Any] = [state]
            rewards: list[tuple[float, ...]] = []
            while steps < 2 * self.max_states:
                node = self._query(state, MOVES_OF_A_SAMPLE)
                if node is None or not node.moves:
                    break
                if len(rewards) == self.facts.max_length:
                    self.endless = state
                    break
                outcomes = node.moves[self._rng.choice(list(node.moves))]
                if not outcomes:
                    break
                _, state, paid = self._rng.choice(outcomes)
                self._is_new(state)
                states.append(state)
                rewards.append(paid)
                steps += 1
            last = self._nodes.get(state)
            if last is not None and not last.acting:
                self.trajectories.append(Trajectory(states, rewards))
