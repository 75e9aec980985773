"""Checks of declarations for solvers and learners.

The solution of a representative must be valid for all states that it represents. Counts of states, parts of actions and
the optimality of uniform play must be true.
"""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from operator import index
from typing import Any

import numpy as np

from cardwar_envs.contract.case import Case, backward, in_seats
from cardwar_envs.contract.verdicts import Failed, NotApplicable, querying, short, where
from cardwar_envs.contract.walk import Node
from cardwar_envs.core.game import ActionImage


def canonical_is_its_own(case: Case) -> None:
    """A representative is its own representative, in the same seats."""
    for node in case.nodes:
        representative = case.canonical(node.state).state
        own = case.canonical(representative)
        if own != (representative, case.same_seats):
            at = where(node.state)
            raise Failed(f"{at}: canonical is {short(representative)}, whose own canonical is {short(own)}")


def action_images_fit(case: Case) -> None:
    """`canonical_actions` maps all legal actions onto the representative's legal actions; shares sum to one."""
    for node in case.nodes:
        for player in node.acting:
            if fault := _image_fault(case, node, player):
                raise Failed(f"{where(node.state, player)}: {fault}")


def _image_fault(case: Case, node: Node, player: int) -> str:
    representative, seats = case.canonical(node.state)
    images = _images(case, node, player)
    if not all(isinstance(image, ActionImage) for image in images):
        return f"canonical_actions are {short(images)}, not ActionImages"
    given = tuple(case.game.legal_actions(node.state, player))
    if tuple(image.action for image in images) != given:
        return f"canonical_actions map {[image.action for image in images]}, but legal_actions are {given}"
    legal, found = case.query("legal_actions", representative, seats[player], to=set), {each.image for each in images}
    if found != legal:
        return f"images are {sorted(found)}, but legal_actions at {short(representative)} are {sorted(legal)}"
    shares: dict[int, Fraction] = defaultdict(Fraction)
    for image in dict.fromkeys(images):
        if not isinstance(image.share, Fraction) or image.share <= 0:
            return f"share {image.share!r} of action {image.action} must be a Fraction above 0"
        shares[image.image] += image.share
    wrong = [f"the shares of image {image} sum to {total}, not to 1" for image, total in shares.items() if total != 1]
    return wrong[0] if wrong else ""


def _images(case: Case, node: Node, player: int) -> tuple[ActionImage, ...]:
    images: tuple[ActionImage, ...] = case.query("canonical_actions", node.state, player, to=tuple)
    return images


def canonical_keeps_what_follows(case: Case) -> None:
    """Each joint action and its image at the representative have the same payments and equivalent successors.

    Therefore both states have the same value; this check needs no solution of the game.
    """
    case.require_payments()
    for node in case.compared:
        representative, seats = case.canonical(node.state)
        acting = case.query("acting_players", representative, to=set)
        if acting != {seats[player] for player in node.acting}:
            raise Failed(f"{where(node.state)}: canonical is {short(representative)}, where {sorted(acting)} act")
        if case.canonical(representative) != (representative, case.same_seats):
            raise NotApplicable("representatives are not their own representatives")
        if any(_image_fault(case, node, player) for player in node.acting):
            raise NotApplicable("the images of actions are invalid")
        image_of = {player: {each.action: each.image for each in _images(case, node, player)} for player in node.acting}
        moved = any(action != image for images in image_of.values() for action, image in images.items())
        if (representative, seats) == (node.state, case.same_seats) and not moved:
            continue
        for actions, outcomes in node.moves.items():
            images = {seats[player]: image_of[player][action] for player, action in node.chosen(actions).items()}
            mirrored = case.query("transitions", representative, actions=images)
            if not _alike(case, _odds(case, outcomes, seats), _odds(case, mirrored, case.same_seats)):
                at = f"{node.at(actions)}: canonical is {short(representative)}, seats {seats}"
                raise Failed(f"{at}, where {images} leads to different payments or representatives")


TOLERANCE = 1e-9
# Maps (payments, representative) to the seats that the players have at the representative, and these to probabilities.
_Odds = dict[tuple[tuple[float, ...], Any], dict[tuple[int, ...], Fraction]]


def _odds(case: Case, outcomes: Any, seats: tuple[int, ...]) -> _Odds:
    found: _Odds = defaultdict(lambda: defaultdict(Fraction))
    for probability, state, rewards in outcomes:
        after, seats_after = case.canonical(state)
        moved = [0] * len(seats)
        for player, seat in enumerate(seats):
            moved[seat] = seats_after[player]
        found[in_seats(rewards, seats), after][tuple(moved)] += Fraction(probability)
    return found


def _alike(case: Case, one: _Odds, other: _Odds) -> bool:
    """Whether two distributions are equal up to exchangeable seats at a representative."""
    if one == other:
        return True
    if one.keys() != other.keys():
        return False
    for key in one:
        surplus: dict[tuple[int, ...], Fraction] = defaultdict(Fraction)
        for ways, sign in ((one[key], 1), (other[key], -1)):
            for seats, probability in ways.items():
                equal = next((known for known in surplus if _exchangeable(case, key[1], seats, known)), seats)
                surplus[equal] += sign * probability
        if any(surplus.values()):
            return False
    return True


def _exchangeable(case: Case, state: Any, seats: tuple[int, ...], other: tuple[int, ...]) -> bool:
    """Whether both assignments of seats are equivalent at a state."""
    exchanged = tuple(other[seats.index(seat)] for seat in range(len(seats)))
    return not case.differ(state, state, exchanged)


def action_counts_fit(case: Case) -> None:
    """`action_counts` are float64, positive for legal actions, 0 for all others, and agree with the shares of images.

    Actions with the same image share it in proportion to their counts, and the count of an image is the total of its
    actions. Otherwise `uniform`, which plays in proportion to these counts, would play differently at a representative.
    """
    for node in case.compared:
        for player in node.acting:
            counts = counts_of(case, node.state, player, node.legal[player])
            if not _image_fault(case, node, player):
                _require_shares(case, node, player, counts)


def _require_shares(case: Case, node: Node, player: int, counts: Any) -> None:
    at, (representative, seats) = where(node.state, player), case.canonical(node.state)
    images = dict.fromkeys(_images(case, node, player))
    totals: dict[int, float] = defaultdict(float)
    for image in images:
        totals[image.image] += counts[image.action]
    for image in images:
        if abs(counts[image.action] / totals[image.image] - float(image.share)) > TOLERANCE:
            part = f"{counts[image.action]:g} of {totals[image.image]:g} counts of image {image.image}"
            raise Failed(f"{at}: action {image.action} has {part}, but its share is {image.share}")
    expected = counts_of(case, representative, seats[player], tuple(totals))
    for number, total in totals.items():
        weight, weight_expected = total / sum(totals.values()), expected[number] / expected.sum()
        if abs(weight - weight_expected) > TOLERANCE:
            weights = f"{weight:.4f} of all counts, but at {short(representative)} {weight_expected:.4f}"
            raise Failed(f"{at}: the actions of image {number} have {weights}")


def counts_of(case: Case, state: Any, player: int, legal: tuple[int, ...]) -> Any:
    """A player's `action_counts` at a state, `[num_actions]`; fails unless they are positive exactly where legal."""
    mask = np.zeros((1, case.facts.num_actions), dtype=np.int8)
    mask[0, list(legal)] = 1
    with querying("action_counts", state, player):
        counts = case.game.action_counts(case.game.observation(state, player)[None], mask)
    at = where(state, player)
    if not isinstance(counts, np.ndarray) or counts.dtype != np.float64 or counts.shape != mask.shape:
        raise Failed(f"{at}: action_counts are {short(counts)}, not float64[1, {case.facts.num_actions}]")
    if not np.array_equal(counts[0] > 0, mask[0] == 1):
        raise Failed(f"{at}: action_counts are {short(counts[0])}, but legal_actions are {legal}")
    return counts[0]


# Limit on the successors of a sampled state where uniform play is checked.
FOLLOWING = 100


def moves_left_fall(case: Case) -> None:
    """If `moves_left` returns bounds, they are int64, at least 1, and fall with every joint action."""
    case.require_public_state()
    for node in case.compared:
        for player in node.acting:
            left = _moves_left(case, node.state, player)
            for after in node.children():
                for other in set(case.node(after).acting) & {player}:
                    then = _moves_left(case, after, other)
                    if then >= left:
                        raise Failed(f"{where(node.state, player)}: moves_left is {left}, and {then} at {short(after)}")


def _moves_left(case: Case, state: Any, player: int) -> int:
    with querying("moves_left", state, player):
        left = case.game.moves_left(case.game.observation(state, player)[None])
    if left is None:
        raise NotApplicable("the game does not declare moves_left")
    if not (isinstance(left, np.ndarray) and left.dtype == np.int64 and left.shape == (1,) and left[0] >= 1):
        raise Failed(f"{where(state, player)}: moves_left returns {short(left)}, not int64[1] of at least 1")
    return int(left[0])


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
    if not case.complete:
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
        most = None if self._case.complete else FOLLOWING
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
                raise Failed(f"{where(state, player)}: uniform_is_optimal is True, but against uniform play {gets}")
        return mean

    def _odds(self, node: Node, player: int) -> Any:
        counts = counts_of(self._case, node.state, player, node.legal[player])
        return counts / counts.sum()

    def _node(self, state: Any) -> Node:
        if state not in self._nodes:
            self._nodes[state] = self._case.node(state)
        return self._nodes[state]
