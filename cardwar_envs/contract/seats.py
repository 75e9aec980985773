"""Checks of what an observation determines: the state, rotated so that the observer is player 0 if seats are alike."""

from __future__ import annotations

from typing import Any

import numpy as np

from cardwar_envs.conformance.verdicts import Failed, NotApplicable
from cardwar_envs.contract.case import Case
from cardwar_envs.contract.places import asking, place, short


def state_of_reads_observations(case: Case) -> None:
    """If the state is public, `state_of` returns a state with that observation, and the observer's seat.

    The seat is 0 in a seat-symmetric game. From the own seat it is the state itself, or one with the same future.
    """
    case.require_public_state()
    facts = case.facts
    for node in case.nodes:
        for player in range(facts.num_players):
            at, turned, seat = place(node.state, player), *_turned(case, node.state, player)
            expected = 0 if facts.seat_symmetric else player
            if seat != expected:
                raise Failed(f"{at}: state_of says seat {short(seat)}, not {expected}")
            if type(turned) is not type(node.state):
                raise Failed(f"{at}: state_of gives {short(turned)}, which is of another type")
            there = case.ask("observation", turned, seat)
            if not np.array_equal(there, case.game.observation(node.state, player)):
                raise Failed(f"{at}: state_of gives {short(turned)}, which looks different to player_{seat}")
            # `observations_tell_states_apart` reports states that look alike.
            if seat == player and not case.walk.knows(turned) and case.differ(node.state, turned):
                raise Failed(f"{at}: state_of gives {short(turned)}, from which another game follows")


def seats_are_alike(case: Case) -> None:
    """If declared seat-symmetric, each player's observation could be player 0's, with the same future.

    The other players have the next seats in order (with more than two, player 0 and the observer may also have swapped
    seats).
    """
    facts = case.facts
    if not facts.seat_symmetric:
        raise NotApplicable("seats need not be alike")
    count = facts.num_players
    case.require_public_state()
    for node in case.compared:
        for player in range(1, count):
            try:
                (own, _), (turned, seat) = (_turned(case, node.state, each) for each in (0, player))
            except Failed as fault:
                raise NotApplicable(str(fault)) from None
            if seat != 0 or case.differ(node.state, own):
                raise NotApplicable("state_of does not read observations")
            in_turn = tuple((other - player) % count for other in range(count))
            exchanged = tuple({0: player, player: 0}.get(other, other) for other in range(count))
            if all(case.differ(node.state, turned, seats) for seats in {in_turn, exchanged}):
                raise Failed(f"{place(node.state, player)}: as player_0 it is {short(turned)}, with another future")


def opponent_masks_fit(case: Case) -> None:
    """With two players and public state, `opponent_masks` gives the other player's legal actions."""
    if case.facts.num_players != 2:
        raise NotApplicable("it is for two players")
    case.require_public_state()
    for node in case.nodes:
        for player in node.acting:
            if 1 - player not in node.live:
                continue
            with asking("opponent_masks", node.state, player):
                try:
                    found = case.game.opponent_masks(case.game.observation(node.state, player)[None])
                except ValueError as error:
                    raise NotApplicable(str(error)) from None
            expected = case.game.action_mask(node.state, 1 - player)
            if not np.array_equal(found, expected[None]):
                at = place(node.state, player)
                raise Failed(f"{at}: opponent_masks are {short(found)}, the other's action_mask is {short(expected)}")


def _turned(case: Case, state: Any, player: int) -> tuple[Any, Any]:
    with asking("state_of", state, player):
        turned, seat = case.game.state_of(case.game.observation(state, player))
        hash(turned)
    return turned, seat
