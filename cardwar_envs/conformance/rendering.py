"""Checks that render modes are kept, and that rendering, state(), texts and attributes have no side effects."""

from __future__ import annotations

from typing import Any

import numpy as np

from cardwar_envs.conformance.compare import require_same, require_same_play
from cardwar_envs.conformance.explore import Watch, step, watcher
from cardwar_envs.conformance.look import drawn, public
from cardwar_envs.conformance.modes import missing_here, modes_of, require_modes
from cardwar_envs.conformance.play import Play
from cardwar_envs.conformance.seeds import in_step, require_same_next_game, steady_skins
from cardwar_envs.conformance.subject import Skin, Subject
from cardwar_envs.conformance.verdicts import Failed, NotTried, in_a_line

SHARE = 0.01
KNOWN = ("human", "ansi", "rgb_array")


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
    play = skin.game(1, render_mode=mode)
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


def rendering_changes_nothing(subject: Subject) -> None:
    """Rendering after every step changes neither the episode nor the games after it.

    Where observations are cut out of the picture, agents may be blind without rendering.
    """
    modes = require_modes(subject)
    for skin in steady_skins(subject):
        for mode in modes:
            for seed in subject.time(SHARE):
                plain = skin.game(seed)
                watched = skin.game(seed, render_mode=mode)
                for _ in in_step(plain, watched):
                    drawn(watched.env)
                what = f"{plain.where}: without render_mode, and with {mode!r}"
                require_same_play(plain.log, watched.log, what)
                require_same_next_game(subject, skin, (plain, watched), f"{what}: the game after it")
                if seed == 2:
                    break


def looking_changes_nothing(subject: Subject) -> None:
    """Reading state(), texts, public attributes, spaces and observations changes neither the episode nor later games.

    In particular it draws no random numbers.
    """
    for skin in steady_skins(subject):
        for seed in range(3):
            blind, plain, looked = (skin.game(seed) for _ in range(3))
            for _ in in_step(plain, looked):
                for _ in range(2):
                    public(looked.env)
                    looked.seen()
                    looked.shown()
            blind.replay(plain.played)
            require_same_play(plain.log, looked.log, f"{plain.where}: without and with looking at it")
            require_same(plain.log[-1], blind.seen(), f"{plain.where}: with and without asking for observations")
            what = f"{plain.where}: the next game, without and with looking"
            require_same_next_game(subject, skin, (blind, plain, looked), what)


@watcher("AEC", "Parallel", first=require_modes)
def every_situation_can_be_drawn(play: Play, subject: Subject) -> Watch:
    """render(), state(), str() and repr() raise nothing in any situation."""
    while getattr(play.env, "render_mode", None) in modes_of(subject):
        drawn(play.env)
        yield from step()
