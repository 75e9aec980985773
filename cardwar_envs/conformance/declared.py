"""Checks of what an environment declares and offers: agents, metadata, render modes, close()."""

from __future__ import annotations

from typing import Any

import numpy as np

from cardwar_envs.conformance.look import drawn
from cardwar_envs.conformance.modes import missing_here
from cardwar_envs.conformance.play import STEPS, Play, seats
from cardwar_envs.conformance.subject import Skin, Subject
from cardwar_envs.conformance.verdicts import Failed, NotApplicable, NotTried, in_a_line

KNOWN = ("human", "ansi", "rgb_array")


def metadata_say_what_is_offered(subject: Subject) -> None:
    """The metadata has the name and, under `render_modes`, a list of the modes.

    str() and PettingZoo's tests use the name; wrappers and recorders use the modes.
    """
    for skin in subject.skins():
        metadata = skin.make().metadata
        if "render.modes" in metadata:
            raise Failed(f"{skin.kind}: the metadata has `render.modes`, which is `render_modes` since 2022")
        modes = metadata.get("render_modes")
        if not isinstance(modes, list | tuple) or not all(isinstance(mode, str) for mode in modes):
            raise Failed(f"{skin.kind}: the metadata has no list of `render_modes`: {modes!r}")
        if not isinstance(metadata.get("name"), str) or not metadata["name"]:
            raise Failed(f"{skin.kind}: the metadata has no name")


def render_modes_are_kept(subject: Subject) -> None:
    """Each declared mode is accepted, stored as `render_mode`, and renders what Gymnasium specifies.

    `ansi` returns a text, `rgb_array` a uint8 picture with three colours, at every step. A mode that needs a missing
    display, OpenGL or library is not tried.
    """
    missing = []
    for skin in subject.skins():
        env = skin.make()
        for mode in env.metadata.get("render_modes", ()):
            if mode in KNOWN and _takes_modes(skin):
                try:
                    _require_mode(skin, mode)
                except Exception as error:
                    if not missing_here(error, env):
                        raise
                    missing.append(f"{skin.kind}: render_mode={mode!r}: {in_a_line(error)}")
    if missing:
        raise NotTried("; ".join(missing))


def _takes_modes(skin: Skin[Any]) -> bool:
    try:
        skin.make(render_mode=None).close()
    except TypeError as error:
        if "unexpected keyword" in str(error):
            raise Failed(f"{skin.kind}: render modes are declared, but the constructor takes no render_mode") from None
        raise
    return True


def _require_mode(skin: Skin[Any], mode: str) -> None:
    play = skin.new(choices=1, render_mode=mode).reset(1)
    if getattr(play.env, "render_mode", None) != mode:
        raise Failed(f"{skin.kind}: made with render_mode={mode!r}, it says {play.env.render_mode!r}")
    if mode == "human":
        return
    for _ in range(6):
        picture, _ = drawn(play.env)
        _require_form(picture, f"{play.at}: render() in mode {mode!r}", mode)
        if play.over:
            return
        play.step(log=False)


def _require_form(picture: Any, what: str, mode: str) -> None:
    if mode == "ansi":
        if not isinstance(picture, str) and not hasattr(picture, "getvalue"):
            raise Failed(f"{what} returns {type(picture).__name__}, not a text")
        return
    if not isinstance(picture, np.ndarray):
        raise Failed(f"{what} returns {type(picture).__name__}, not an array")
    if picture.dtype != np.uint8 or picture.ndim != 3 or picture.shape[2] != 3:
        raise Failed(f"{what} returns {picture.dtype}{list(picture.shape)}, not uint8[height, width, 3]")


def agents_are_a_list_of_their_own(subject: Subject) -> None:
    """Agents removed from `agents` stay in `possible_agents`, and return with the next reset.

    An environment that uses one list for both, or starts every game with the list of the previous game, loses its
    agents as they leave.
    """
    for skin in subject.skins():
        play = skin.new(choices=1)
        possible = list(seats(play.env))
        seated, one_list = _seated(play), play.env.agents is play.env.possible_agents
        if one_list and not seated:
            raise Failed(f"{skin.kind}: `agents` is the very list `possible_agents`, and is empty after a reset")
        kept = play.env.agents
        try:
            play.run(STEPS)
        except Exception as error:
            raise NotApplicable(f"a game cannot be played, see legal_play_goes_on: {in_a_line(error)}") from error
        if (left := list(play.env.possible_agents)) != possible:
            why = ", which is the very list `agents`" * one_list
            raise Failed(f"{skin.kind}: in the course of a game `possible_agents`{why}, goes from {possible} to {left}")
        if (again := _seated(play)) != seated and play.env.agents is kept:
            words = f"{skin.kind}: a game begins with the very list `agents` of the game before, with {again}"
            raise Failed(f"{words} in place of {seated}")


def _seated(play: Play) -> list[Any]:
    """The agents after a reset."""
    play.reset(1)
    return list(play.env.agents)


def closing_does_no_harm(subject: Subject) -> None:
    """close() can be called before the first reset, in mid-game, and twice."""
    for skin in subject.skins():
        try:
            fresh = skin.make()
            fresh.close()
            play = skin.new(choices=1).reset(1)
            play.step(log=False)
            play.env.close()
            play.env.close()
        except Exception as error:
            raise Failed(f"{skin.kind}: close() raises {in_a_line(error)}") from error
