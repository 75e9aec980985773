"""Checks of observations: they are within bounds, fresh arrays, and distinguish states."""

from __future__ import annotations

from typing import Any

import numpy as np

from cardwar_envs.conformance.verdicts import Failed, NotApplicable, Noted
from cardwar_envs.contract.case import Case
from cardwar_envs.contract.places import kind_of, place, short
from cardwar_envs.core.game import GameFacts


def observation_fault(facts: GameFacts, seen: Any) -> str:
    """Describes a fault of an observation; "" if there is none."""
    low, high = (np.array(bound, dtype=np.float32) for bound in (facts.observation_low, facts.observation_high))
    if not isinstance(seen, np.ndarray) or seen.dtype != np.float32 or seen.shape != low.shape:
        return f"it is {kind_of(seen)}, not float32[{len(low)}]"
    outside = np.flatnonzero(~((low <= seen) & (seen <= high)))  # NaN is outside too
    if len(outside):
        entry = int(outside[0])
        return f"entry {entry} is {seen[entry]:g}, out of {low[entry]:g}..{high[entry]:g}"
    return ""


def observations_fit_their_bounds(case: Case) -> None:
    """Observations are float32, of the declared size and inside the declared bounds, up to the end of the game."""
    if len(case.facts.observation_low) != len(case.facts.observation_high):
        raise NotApplicable("the bounds are of different length")
    for node in case.nodes:
        for player in range(case.facts.num_players):
            seen = case.ask("observation", node.state, player)
            if fault := observation_fault(case.facts, seen):
                raise Failed(f"{place(node.state, player)}: {short(seen)}: {fault}")


def arrays_are_fresh(case: Case) -> None:
    """Observations and masks share no memory, and writing into them changes nothing.

    Replay buffers keep arrays, and policies may write into them.
    """
    for node, player in case.walk.choosing:
        for what in ("observation", "action_mask"):
            first, second = (case.ask(what, node.state, player) for _ in range(2))
            if not isinstance(first, np.ndarray):
                raise NotApplicable(f"{what} gives no array")
            kept = np.array(first)
            if np.may_share_memory(first, second):
                raise Failed(f"{place(node.state, player)}: two arrays that {what} gives share their memory")
            if not first.flags.writeable:
                raise Failed(f"{place(node.state, player)}: the array that {what} gives cannot be written into")
            first[...] = 7
            if not np.array_equal(case.ask(what, node.state, player), kept):
                raise Failed(f"{place(node.state, player)}: writing into an array that {what} gave changes the next")


def observations_tell_states_apart(case: Case) -> None:
    """If the state is public, states that look alike to a player have the same legal actions and the same future."""
    case.require_public_state()
    for player in range(case.facts.num_players):
        alike: dict[bytes, Any] = {}
        for node in reversed(case.nodes):  # near the end, states differ immediately
            seen = case.ask("observation", node.state, player, to=np.asarray).tobytes()
            other = alike.setdefault(seen, node.state)
            if other is not node.state and case.differ(node.state, other):
                raise Failed(f"{place(other, player)} looks like {place(node.state)}, but another game follows")


def entries_vary(case: Case) -> None:
    """Every entry of an observation has more than one value (a note, if not)."""
    seats = range(case.facts.num_players)
    seen = [np.ravel(case.game.observation(node.state, player)) for node in case.nodes for player in seats]
    if len({row.shape for row in seen}) != 1:
        raise NotApplicable("observations are of different length")
    constant = np.flatnonzero(np.ptp(np.array(seen), axis=0) == 0).tolist()
    if constant:
        raise Noted(f"entries {short(constant)} of observations are the same in {case.walk.extent}")
