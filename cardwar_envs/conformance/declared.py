"""Checks of what an environment declares and offers: metadata, render modes, close()."""

from __future__ import annotations

from typing import Any

import numpy as np

from cardwar_envs.conformance.look import drawn
from cardwar_envs.conformance.subject import Skin, Subject
from cardwar_envs.conformance.verdicts import Failed, in_a_line

KNOWN = ("human", "ansi", "rgb_array")


def metadata_say_what_is_offered(subject: Subject) -> None:
    """The metadata has the name and, under `render_modes`, a list of the modes.

    str() and PettingZoo's tests go by the name; wrappers and recorders go by the modes.
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
    """Each declared mode is taken, is kept as `render_mode`, and gives what Gymnasium says of it.

    `ansi` gives a text, `rgb_array` a picture of uint8 with three colours, at every step.
    """
    for skin in subject.skins():
        for mode in skin.make().metadata.get("render_modes", ()):
            if mode in KNOWN and _takes_modes(skin):
                _require_mode(skin, mode)


def _takes_modes(skin: Skin[Any]) -> bool:
    try:
        skin.make(render_mode=None).close()
    except TypeError as error:
        if "unexpected keyword" in str(error):
            raise Failed(f"{skin.kind}: render modes are declared, but the constructor takes no render_mode") from None
        raise
    return True


def _require_mode(skin: Skin[Any], mode: str) -> None:
    try:
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
    except ImportError:
        return  # what draws is not installed


def _require_form(picture: Any, what: str, mode: str) -> None:
    if mode == "ansi":
        if not isinstance(picture, str) and not hasattr(picture, "getvalue"):
            raise Failed(f"{what} returns {type(picture).__name__}, not a text")
        return
    if not isinstance(picture, np.ndarray):
        raise Failed(f"{what} returns {type(picture).__name__}, not an array")
    if picture.dtype != np.uint8 or picture.ndim != 3 or picture.shape[2] != 3:
        raise Failed(f"{what} returns {picture.dtype}{list(picture.shape)}, not uint8[height, width, 3]")


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
