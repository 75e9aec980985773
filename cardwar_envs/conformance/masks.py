"""Checks of action masks: they say what is legal, and nobody can change the environment through them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import gymnasium
import numpy as np

from cardwar_envs.conformance.compare import difference
from cardwar_envs.conformance.play import AECPlay, ParallelPlay, Play, generators
from cardwar_envs.conformance.subject import Skin, Subject
from cardwar_envs.conformance.verdicts import Failed, NotApplicable

SEEDS = range(2)
DEPTH = 16
TRIED = 6


def masks_allow_what_is_legal(subject: Subject) -> None:
    """Every mask is int8, of 0 and 1, never all zero for who is to choose, and every action it allows can be played.

    `Discrete.sample` takes no other type, and a learner that is offered nothing, or what then raises, stops.
    Where a mask stands in an observation and in an info, the two agree.
    """
    for skin, seed, moves in _masked_episodes(subject):
        for depth in range(len(moves) + 1):
            play = _replay(skin, seed, moves[:depth])
            where = f"{skin.kind}, seed {seed}, after step {depth}"
            if play.over:
                break
            _require_form(play, where)
            for agent, action in _actions(play, allowed=1):
                _require_legal(_replay(skin, seed, moves[:depth]), agent, action, where)


def _require_form(play: Play, where: str) -> None:
    for agent, mask in play.masks().items():
        if mask is None:
            raise Failed(f"{where}: {agent} has no action mask, though masks are shown elsewhere")
        size = int(play.env.action_space(agent).n)
        if mask.dtype != np.int8 or mask.shape != (size,):
            raise Failed(f"{where}: the mask of {agent} is {mask.dtype}{list(mask.shape)}, not int8[{size}]")
        if not np.isin(mask, (0, 1)).all():
            raise Failed(f"{where}: the mask of {agent} has other entries than 0 and 1: {mask}")
        to_choose = agent == play.env.agent_selection if isinstance(play, AECPlay) else True
        if to_choose and not mask.any():
            raise Failed(f"{where}: the mask of {agent}, who is to choose, is all zero")
        _require_agreement(play, agent, where)


def _require_agreement(play: Play, agent: Any, where: str) -> None:
    observation, info = _told(play, agent)
    both = [part["action_mask"] for part in (observation, info) if isinstance(part, dict) and "action_mask" in part]
    if len(both) == 2 and (found := difference(*both)):
        raise Failed(f"{where}: observation and info of {agent} have different masks{found}")


def _told(play: Play, agent: Any) -> tuple[Any, Any]:
    if isinstance(play, AECPlay):
        return play.env.observe(agent), play.env.infos.get(agent)
    assert isinstance(play, ParallelPlay)
    return play.result[0].get(agent), play.result[-1].get(agent)


def _require_legal(play: Play, agent: Any, action: int, where: str) -> None:
    try:
        play.submit(_with(play, agent, action), log=False)
    except Exception as error:
        raise Failed(f"{where}: {agent}'s mask allows {action}, but step() raises {_line(error)}") from error


def illegal_actions_are_refused(subject: Subject) -> None:
    """An action that the mask does not allow raises and changes nothing, or ends the game for who tried it.

    An environment that plays it all the same, or quietly plays another one instead, teaches another game.
    """
    tried = 0
    for skin, seed, moves in _masked_episodes(subject):
        for depth in range(len(moves) + 1):
            play = _replay(skin, seed, moves[:depth])
            if play.over:
                break
            for agent, action in _actions(play, allowed=0):
                tried += 1
                where = f"{skin.kind}, seed {seed}, after step {depth}"
                _require_refused(_replay(skin, seed, moves[:depth]), agent, action, where)
    if not tried:
        raise NotApplicable("masks allow every action, always")


def _require_refused(play: Play, agent: Any, action: int, where: str) -> None:
    before, choice = (play.seen(), generators(play.env)), _with(play, agent, action)
    try:
        play.submit(choice, log=False)
    except Exception:
        if found := difference(before, (play.seen(), generators(play.env))):
            raise Failed(f"{where}: {agent}'s illegal {action} raises, but changes something: {found}") from None
        return
    asked = [agent]
    while isinstance(play, AECPlay) and not play.over and not play.dead(play.env.agent_selection):
        if play.env.agent_selection in asked or (agent in play.env.agents and play.dead(agent)):
            break
        asked.append(play.env.agent_selection)
        play.step(log=False)
    out = agent not in play.env.agents or (isinstance(play, AECPlay) and play.dead(agent))
    if not out:
        raise Failed(f"{where}: {agent} plays {action}, which its mask forbids; nothing is raised and play goes on")


def _masked_episodes(subject: Subject) -> Iterator[tuple[Skin, int, list[Any]]]:
    """Episodes of every skin that shows masks, by the choices made in them.

    Raises:
        NotApplicable: If none does.
    """
    any_masks = False
    for skin in subject.skins():
        for seed in SEEDS:
            play = skin.new(choices=seed).reset(seed)
            if not _is_masked(play):
                break
            any_masks = True
            moves: list[Any] = []
            while not play.over and len(moves) < DEPTH:
                try:
                    moves.append(play.choice())
                    play.submit(moves[-1], log=False)
                except Exception:  # it is gone through again, step by step, by who asks
                    break
            yield skin, seed, moves
    if not any_masks:
        raise NotApplicable("there are no action masks")


def _is_masked(play: Play) -> bool:
    spaces = [play.env.action_space(agent) for agent in play.env.agents]
    discrete = all(isinstance(space, gymnasium.spaces.Discrete) for space in spaces)
    return discrete and any(mask is not None for mask in play.masks().values())


def _replay(skin: Skin, seed: int, moves: list[Any]) -> Play:
    play = skin.new(choices=seed).reset(seed)
    for move in moves:
        try:
            play.submit(move, log=False)
        except Exception as error:
            step = len(play.played) + 1
            raise Failed(f"{skin.kind}, seed {seed}, step {step}: legal {move} raises {_line(error)}") from error
    return play


def _actions(play: Play, allowed: int) -> list[tuple[Any, int]]:
    """Some actions that the masks of those who are to choose allow, or do not."""
    found = []
    for agent, mask in play.masks().items():
        if mask is None or (isinstance(play, AECPlay) and agent != play.env.agent_selection):
            continue
        numbers = np.flatnonzero(mask == allowed)
        start = int(play.env.action_space(agent).start)
        found += [(agent, int(number) + start) for number in numbers[:: max(1, len(numbers) // TRIED)][:TRIED]]
    return found


def _with(play: Play, agent: Any, action: int) -> Any:
    """The next choice, but with this action for that agent."""
    return action if isinstance(play, AECPlay) else {**play.choice(), agent: action}


def _line(error: Exception) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())}"
