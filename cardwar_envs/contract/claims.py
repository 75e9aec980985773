"""Checks of declarations for solvers and learners: state counts, action parts, optimality of uniform play."""

from __future__ import annotations

from operator import index
from typing import Any

import numpy as np

from cardwar_envs.contract.answers import Node, place, short
from cardwar_envs.contract.canonical import TOLERANCE, counts_of
from cardwar_envs.contract.case import Case
from cardwar_envs.contract.verdicts import Failed, NotApplicable
from cardwar_envs.contract.walk import backward

# Limit on the successors of a sampled state where uniform play is checked.
FOLLOWING = 100


def there_are_as_many_states_as_counted(case: Case) -> None:
    """There are at least `count_states` unsettled decision states, or representatives.

    If the count is too high, solvers reject a game that they could solve.
    """
    counts = {kind: case.game.count_states(kind) for kind in (False, True)}
    for kind, count in counts.items():
        if count is not None and not _is_count(count):
            raise Failed(f"count_states(canonical={kind}) is {short(count)}, not None or a whole number, at least 0")
    if counts == {False: None, True: None}:
        raise NotApplicable("there is no formula for the number of states")
    if not case.walk.complete:
        raise NotApplicable("not all states were examined")
    open_states = [node.state for node in case.nodes if node.acting and case.game.settled(node.state) is None]
    for kind, count in counts.items():
        found = len({case.canonical(state).state for state in open_states}) if kind else len(open_states)
        if count is not None and count > found:
            raise Failed(f"count_states(canonical={kind}) is {count}, but there are {found} such states")


def _is_count(count: object) -> bool:
    try:
        return not isinstance(count, bool) and index(count) >= 0  # type: ignore[arg-type]  # this call is the check
    except TypeError:
        return False


def action_parts_tell_actions_apart(case: Case) -> None:
    """`action_parts` is int64, with a row of counts for each action, and no two rows are equal.

    A network could not distinguish actions with equal rows.
    """
    parts = case.game.action_parts()
    if parts is None:
        raise NotApplicable("the game declares no action_parts")
    actions = case.facts.num_actions
    if not isinstance(parts, np.ndarray) or parts.dtype != np.int64 or parts.ndim != 2 or len(parts) != actions:
        raise Failed(f"action_parts are {short(parts)}, not int64[{actions}, parts]")
    if parts.size and parts.min() < 0:
        raise Failed(f"action_parts of action {int(np.argwhere(parts < 0)[0][0])} have a negative count, {parts.min()}")
    first: dict[bytes, int] = {}
    for action, row in enumerate(parts):
        if first.setdefault(row.tobytes(), action) != action:
            raise Failed(f"actions {first[row.tobytes()]} and {action} have the same action_parts, {short(row)}")


def uniform_is_optimal_where_claimed(case: Case) -> None:
    """If `uniform_is_optimal` is True, no player can gain by deviating unilaterally from uniform play in any state."""
    if not case.game.uniform_is_optimal():
        raise NotApplicable("the game does not declare that uniform play is optimal")
    case.require_payments()
    even = _EvenPlay(case)
    judged = 0
    for node in case.compared:
        if (following := even.following(node)) is not None:
            backward(node.state, even.payoffs, even.children, even.judge)
            judged += len(following)
    if not judged:
        raise NotApplicable(f"more than {FOLLOWING} states can follow each state")


class _EvenPlay:
    """Expected remaining payoffs if all players play in proportion to `action_counts`."""

    def __init__(self, case: Case) -> None:
        self.payoffs: dict[Any, Any] = {}  # state -> each player's payoff, for the states evaluated
        self._case = case
        self._nodes: dict[Any, Node] = {}

    def following(self, start: Node) -> set[Any] | None:
        """The state and all its successors; None if there are too many in a sample."""
        most = None if self._case.walk.complete else FOLLOWING
        found, waiting = {start.state}, [start.state]
        while waiting:
            node = self._node(waiting.pop())
            if not node.whole:
                return None
            new = set(node.children()) - found - self.payoffs.keys()
            found |= new
            waiting += new
            if most is not None and len(found) > most:
                return None
        return found

    def children(self, state: Any) -> list[Any]:
        """The possible next states."""
        return self._node(state).children()

    def judge(self, state: Any) -> Any:
        """The remaining payoffs of uniform play; raises Failed if some action gives a player more."""
        node, players = self._node(state), self._case.facts.num_players
        odds = {player: self._odds(node, player) for player in node.acting}
        mean = np.zeros(players)
        if_played = {player: dict.fromkeys(node.legal[player], 0.0) for player in node.acting}
        for actions, outcomes in node.moves.items():
            chosen = node.chosen(actions)
            paid = sum(
                (float(p) * (np.array(rewards) + self.payoffs[after]) for p, after, rewards in outcomes), mean * 0
            )
            mean = mean + float(np.prod([odds[player][action] for player, action in chosen.items()])) * paid
            for player, action in chosen.items():
                others = [odds[other][each] for other, each in chosen.items() if other != player]
                if_played[player][action] += float(np.prod(others)) * float(paid[player])
        for player, payoffs in if_played.items():
            best = max(payoffs, key=payoffs.__getitem__)
            if payoffs[best] > mean[player] + TOLERANCE * max(1.0, abs(mean[player])):
                gets = f"action {best} gets {payoffs[best]:g}, uniform play {mean[player]:g}"
                raise Failed(f"{place(state, player)}: uniform_is_optimal is True, but against uniform play {gets}")
        return mean

    def _odds(self, node: Node, player: int) -> Any:
        counts = counts_of(self._case, node.state, player, node.legal[player])
        return counts / counts.sum()

    def _node(self, state: Any) -> Node:
        if state not in self._nodes:
            self._nodes[state] = self._case.walk.node(state)
        return self._nodes[state]
