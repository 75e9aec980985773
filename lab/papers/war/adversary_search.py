"""WAR 2017, section III.F: does a player who knows the others' strategies always at least tie?

The claim is tested in two ways. Against the source's own deterministic strategies, every line-up of up to four of them
is played to its end. Against all deterministic strategies, on small decks for two players, the search tries every
choice of an opponent until the adversary is beaten or all choices are exhausted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations_with_replacement

import numpy as np
from numpy.typing import NDArray

from baselines.opponents.war_adversaries import GeneralPurposeAdversary, GeneralPurposeAdversaryAsWritten
from cardwar_envs.core.policy import Masks, Observations, Policy, Probabilities, observation_keys
from cardwar_envs.core.policy_names import named_policy
from cardwar_envs.core.table_policy import TablePolicy
from cardwar_envs.games.war import War
from cardwar_envs.games.war.state import WarState

# Makes an adversary that knows the other players' policies.
Adversary = Callable[[War, Sequence[Policy]], Policy]


ADVERSARIES: dict[str, Adversary] = {
    "general_purpose_adversary": GeneralPurposeAdversary,
    "general_purpose_adversary_as_written": GeneralPurposeAdversaryAsWritten,
}
DETERMINISTIC = ("min", "max", "simple_minded_1", "simple_minded_2")
MOST_OTHERS = 4
# Decks (ranks, discards) on which trying every opponent takes seconds. Against the adversary as written, there are far
# fewer choices to try.
DECKS = ((2, 0), (3, 0), (3, 1), (4, 0), (4, 1), (5, 2), (6, 3))
MORE_DECKS = {"general_purpose_adversary_as_written": ((5, 0), (5, 1), (6, 1), (7, 3), (8, 3))}
# More rounds than were ever needed to beat an adversary.
SEARCH_ROUNDS = 200


class Result(StrEnum):
    """The result for the player in seat 0."""

    WON = "won"
    TIED = "tied"  # nobody wins and it is not out before the others, or nobody is ever out
    LOST = "lost"


@dataclass(frozen=True)
class Played:
    """A game between deterministic strategies, without chance."""

    line_up: tuple[str, ...]  # the strategies by seat
    result: Result
    rounds: int  # rounds played; in an endless game, those until a position repeats
    endless: bool  # whether positions repeat for ever


def line_ups(name: str) -> Iterator[Played]:
    """Plays the adversary against every multiset of up to four deterministic strategies, full deck."""
    for count in range(1, MOST_OTHERS + 1):
        game = War(num_players=count + 1)
        for others in combinations_with_replacement(DETERMINISTIC, count):
            policies = [named_policy(other, game) for other in others]
            yield follow(game, (name, *others), [ADVERSARIES[name](game, policies), *policies])


def follow(game: War, names: Sequence[str], policies: Sequence[Policy]) -> Played:
    """Plays two deterministic strategies that ignore the rounds left, until the game ends or a position repeats."""
    state, passed = game.initial()[0].state, set()
    while True:
        position = state._replace(rounds_left=1)
        out, over = bool(state.live) and 0 not in state.live, not game.live_players(state)
        if out or over or position in passed:
            result = Result.LOST if out else Result.WON if over and state.live == (0,) else Result.TIED
            return Played(tuple(names), result, game.rounds - state.rounds_left, endless=not (out or over))
        passed.add(position)
        _, state = _joint_action(game, state, policies)


def _joint_action(game: War, state: WarState, policies: Sequence[Policy]) -> tuple[dict[int, int], WarState]:
    """Returns the joint action of deterministic policies, and the next state."""
    actions = {player: chosen(game, state, player, policies[player]) for player in game.acting_players(state)}
    return actions, game.transitions(state, actions)[0].state


def chosen(game: War, state: WarState, player: int, policy: Policy) -> int:
    """Returns the action of a deterministic policy."""
    row = policy.action_probabilities(game.observation(state, player)[None], game.action_mask(state, player)[None])
    return int(row[0].argmax())


# -- all opponents, on small decks -------------------------------------------------------------------------


class _Script:
    """An opponent that returns prepared answers, and records its queries and the alternatives."""

    def __init__(self, answers: Sequence[int], fixed: dict[bytes, int]) -> None:
        self.asked: dict[bytes, int] = dict(fixed)
        self.choices: list[tuple[int, list[int]]] = []
        self._answers = list(answers)

    def action_probabilities(self, observations: Observations, action_masks: Masks) -> Probabilities:
        """Returns `[batch, num_actions]`: all weight on the answer."""
        answers = np.array([self._answer(*row) for row in zip(observations, action_masks, strict=True)])
        return np.asarray(np.eye(action_masks.shape[1])[answers])

    def _answer(self, observation: NDArray[np.float32], mask: NDArray[np.int8]) -> int:
        (key,) = observation_keys(observation[None])
        if key not in self.asked:
            legal = np.flatnonzero(mask).tolist()
            place = len(self.choices)
            self.asked[key] = self._answers[place] if place < len(self._answers) else legal[0]
            self.choices.append((self.asked[key], legal))
        return self.asked[key]


@dataclass(frozen=True)
class _Node:
    """A state reached by the search, and how it was reached."""

    state: WarState
    # The opponent's answers for the rest of this round, by observation, to which it is committed. Observations show the
    # rounds left, so it is free again in the next round.
    said: dict[bytes, int]
    before: _Node | None  # None at the start
    answers: dict[bytes, int]  # the opponent's answers and moves since then

    def opponent(self, num_actions: int) -> Policy:
        """Returns an opponent that gives all answers on the way here."""
        answers, node = dict[bytes, int](), self
        while node.before is not None:
            answers |= node.answers
            node = node.before
        return TablePolicy({key: np.eye(num_actions)[action] for key, action in answers.items()})


@dataclass(frozen=True)
class Search:
    """The result of trying every opponent on one deck."""

    game: War  # the deck
    positions: int  # positions that some opponent can reach
    beaten_in: int | None = None  # rounds in which the quickest opponent beats the adversary; None if none can
    opponent: Policy | None = None  # that opponent, for seat 1
    moves: tuple[str, ...] = ()  # both players' moves in that game, as text


def searches(name: str) -> list[Search]:
    """Runs `search` on every deck small enough for that adversary."""
    decks = (*DECKS, *MORE_DECKS.get(name, ()))
    return [search(War(ranks=r, discards=d, max_rounds=SEARCH_ROUNDS), ADVERSARIES[name]) for r, d in decks]


def search(game: War, adversary: Adversary) -> Search:
    """Searches for a deterministic opponent in seat 1 that beats the adversary in seat 0.

    Searches breadth first, so the first opponent found is the quickest. This opponent is then played against the
    adversary like any policy, and counts only if it wins.
    """
    queue = [_Node(game.initial()[0].state, {}, None, {})]
    passed = {_place(queue[0])}
    for node in queue:
        for child in _children(game, adversary, node):
            if not game.live_players(child.state):
                if child.state.live == (1,):
                    opponent = child.opponent(game.facts.num_actions)
                    if moves := _replayed(game, adversary, opponent):
                        return Search(game, len(passed), game.rounds - child.state.rounds_left, opponent, moves)
            elif _place(child) not in passed:
                passed.add(_place(child))
                queue.append(child)
    return Search(game, len(passed))


def _place(node: _Node) -> tuple[WarState, frozenset[tuple[bytes, int]]]:
    return node.state._replace(rounds_left=1), frozenset(node.said.items())


def _children(game: War, adversary: Adversary, node: _Node) -> Iterator[_Node]:
    """Yields the results of each way to answer the adversary and then to play."""
    state = node.state
    (seen,) = observation_keys(game.observation(state, 1)[None])
    acting = game.acting_players(state)
    for action, asked in _answers(game, adversary, state, node.said) if 0 in acting else [(None, node.said)]:
        own = [asked[seen]] if seen in asked else game.legal_actions(state, 1)
        for reply in own if 1 in acting else [None]:
            moves = {player: move for player, move in ((0, action), (1, reply)) if move is not None}
            child = game.transitions(state, moves)[0].state
            said = asked if child.rounds_left == state.rounds_left else {}
            yield _Node(child, said, node, asked if reply is None else {**asked, seen: reply})


def _answers(
    game: War, adversary: Adversary, state: WarState, fixed: dict[bytes, int]
) -> Iterator[tuple[int, dict[bytes, int]]]:
    """Yields the adversary's action for each way to answer its queries."""
    scripts: list[list[int]] = [[]]
    while scripts:
        answers = scripts.pop()
        script = _Script(answers, fixed)
        yield chosen(game, state, 0, adversary(game, [script])), script.asked
        said = [answer for answer, _ in script.choices]
        for place in range(len(answers), len(said)):
            scripts.extend([*said[:place], other] for other in script.choices[place][1] if other != said[place])


def _replayed(game: War, adversary: Adversary, opponent: Policy) -> tuple[str, ...]:
    """Replays the game found, between the policies; empty if it ends differently."""
    policies = [adversary(game, [opponent]), opponent]
    state, moves = game.initial()[0].state, []
    while game.live_players(state):
        actions, state = _joint_action(game, state, policies)
        moves.append(" v. ".join(game.describe_action(action, player) for player, action in actions.items()))
    return tuple(moves) if state.live == (1,) else ()
