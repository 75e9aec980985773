"""Checks of action masks: they allow exactly the legal actions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import gymnasium
import numpy as np

from cardwar_envs.conformance.compare import difference
from cardwar_envs.conformance.explore import routes
from cardwar_envs.conformance.inputs import ends_for
from cardwar_envs.conformance.look import generators
from cardwar_envs.conformance.play import Play
from cardwar_envs.conformance.subject import Subject
from cardwar_envs.conformance.verdicts import Failed, NotApplicable, in_a_line

SHARE = 0.015
MOST_PLACES = 100
TRIED = 6


def masks_allow_what_is_legal(subject: Subject) -> None:
    """Masks are int8 with entries 0 and 1, not all zero for an agent that must choose, and allow only legal actions.

    `Discrete.sample` accepts no other type, and learners fail on an empty mask or if an allowed action raises. Masks
    in an observation and in an info must agree.
    """
    for play, actions in _tries(subject, allowed=1):
        if not actions:
            _require_form(play)
        for agent, action in actions:
            try:
                play.submit(play.with_action(agent, action), log=False)
            except Exception as error:
                what = f"{play.at}: {agent}'s mask allows {action}, but step() raises {in_a_line(error)}"
                raise Failed(what) from error


def _require_form(play: Play) -> None:
    for agent, mask in play.masks().items():
        if mask is None:
            raise Failed(f"{play.at}: {agent} has no action mask, though masks are shown elsewhere")
        size = int(play.env.action_space(agent).n)
        if mask.dtype != np.int8 or mask.shape != (size,):
            raise Failed(f"{play.at}: the mask of {agent} is {mask.dtype}{list(mask.shape)}, not int8[{size}]")
        if not np.isin(mask, (0, 1)).all():
            raise Failed(f"{play.at}: the mask of {agent} has other entries than 0 and 1: {mask}")
        if agent in play.asked() and not mask.any():
            raise Failed(f"{play.at}: the mask of {agent}, who is to choose, is all zero")
        both = [part["action_mask"] for part in play.told(agent) if isinstance(part, dict) and "action_mask" in part]
        if len(both) == 2 and (found := difference(*both)):
            raise Failed(f"{play.at}: observation and info of {agent} have different masks{found}")


def illegal_actions_are_refused(subject: Subject) -> None:
    """A masked action raises an error without effect, or terminates the agent that tried it.

    An environment that plays it anyway, or silently plays another action, teaches another game.
    """
    tried = 0
    for play, actions in _tries(subject, allowed=0):
        for agent, action in actions:
            tried += 1
            _require_refused(play, agent, action)
    if not tried:
        raise NotApplicable("masks allow every action, always")


def _require_refused(play: Play, agent: Any, action: int) -> None:
    before, choice, at = (play.seen(), generators(play.env)), play.with_action(agent, action), play.at
    try:
        play.submit(choice, log=False)
    except Exception:
        if found := difference(before, (play.seen(), generators(play.env))):
            raise Failed(f"{at}: {agent}'s illegal {action} raises, but changes something: {found}") from None
        return
    if not ends_for(play, agent):
        raise Failed(f"{at}: {agent} plays {action}, which its mask forbids; nothing is raised and play goes on")


def _tries(subject: Subject, allowed: int) -> Iterator[tuple[Play, list[tuple[Any, int]]]]:
    """Fresh games in situations of all depths, with what to try there.

    For each situation, the first game has nothing to try, each other one an agent with an action that its mask
    allows (1) or forbids (0).
    """
    any_masks = False
    for skin in subject.own_skins():
        if not _is_masked(skin.new().reset(subject.seed)):
            continue
        any_masks = True
        clock = subject.time(SHARE)
        for route in routes(subject, skin.kind, MOST_PLACES):
            looked_at = route.travel(skin)
            if looked_at.over:
                continue
            yield looked_at, []
            for each in _actions(looked_at, allowed):
                yield route.travel(skin), [each]
            if next(clock, None) is None:
                break
    if not any_masks:
        raise NotApplicable("there are no action masks")


def _is_masked(play: Play) -> bool:
    spaces = [play.env.action_space(agent) for agent in play.env.agents]
    discrete = all(isinstance(space, gymnasium.spaces.Discrete) for space in spaces)
    return discrete and any(mask is not None for mask in play.masks().values())


def _actions(play: Play, allowed: int) -> list[tuple[Any, int]]:
    """Some actions that the masks of the choosing agents allow (1) or forbid (0)."""
    found = []
    for agent in play.asked():
        mask = play.mask(agent)
        if mask is not None:
            numbers = np.flatnonzero(mask == allowed)
            start = int(play.env.action_space(agent).start)
            found += [(agent, int(number) + start) for number in numbers[:: max(1, len(numbers) // TRIED)][:TRIED]]
    return found
