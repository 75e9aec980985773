"""The render modes available on this machine, and why others are not."""

from __future__ import annotations

import os
import re
from typing import Any

from cardwar_envs.conformance.look import drawn
from cardwar_envs.conformance.play import layers
from cardwar_envs.conformance.subject import Subject
from cardwar_envs.conformance.verdicts import NotApplicable, NotTried, in_a_line

# The errors of pygame, pyglet, Tk, GLFW, MuJoCo and PyOpenGL where there is no display or no OpenGL. Other
# errors of rendering do not match.
NO_DISPLAY = re.compile(
    r"\$DISPLAY|DISPLAY environment variable|NoSuchDisplay|NoSuchConfigException|no available video device"
    r"|as 'headless' is currently running|(x11|wayland|windows) not available"
    r"|(cannot|could not|couldn't|unable to|failed to) (connect to|open) (the |x )?display"
    r"|(cannot|could not|couldn't|unable to|failed to) (create|initiali[sz]e|load|find|get) (an? |the )?"
    r"(OpenGL|GLX?|EGL)\b"
    r"|\b(OpenGL|GLX?|EGL)\b.* not (supported|available|installed|found|configured|(been )?loaded)"
    r"|(doesn't|does not) support (OpenGL|GL)\b|\blib(GLU?|EGL|OSMesa)\b|Library \"GLU?\" not found|gladLoadGL"
    r"|has no attribute '(glGetError|eglQueryString)'",
    re.IGNORECASE,
)


def missing_here(error: BaseException, env: Any = None) -> bool:
    """Whether an error says that this machine lacks a display, OpenGL or an optional library.

    A missing module of the environment's own package is a fault of the environment, and so is a missing name in a
    library.
    """
    if error.__cause__ is not None and missing_here(error.__cause__, env):
        return True
    if NO_DISPLAY.search(in_a_line(error)) or type(error).__name__ == "DependencyNotInstalled":
        return True
    own = {kind.__module__.partition(".")[0] for layer in layers(env) for kind in type(layer).__mro__}
    library = (getattr(error, "name", None) or "").partition(".")[0]
    by_hand = type(error) is ImportError and not library  # as in: raise ImportError("pip install pygame")
    return by_hand or (isinstance(error, ModuleNotFoundError) and library not in own)


def modes_of(subject: Subject) -> list[str]:
    """The render modes that return or print something here."""
    modes, _ = subject.once("modes", lambda: _tried(subject))
    return list(modes)


def require_modes(subject: Subject) -> list[str]:
    """The same; raises NotTried if there is none because this machine lacks something, else NotApplicable."""
    modes, missing = subject.once("modes", lambda: _tried(subject))
    if not modes and missing:
        raise NotTried(missing)
    if not modes:
        raise NotApplicable("there is no render mode that can be looked at")
    return list(modes)


def _tried(subject: Subject) -> tuple[list[str], str]:
    """Tries each declared mode once; windows open on a dummy display."""
    skin = subject.skins()[0]
    os.environ.setdefault("SDL_VIDEODRIVER", "dummy")
    modes, missing, env = [], "", skin.make()
    for mode in env.metadata.get("render_modes", ()):
        try:
            play = skin.new(render_mode=mode).reset(subject.seed)
            picture, printed = drawn(play.env)
        except Exception as error:  # reported by `render_modes_are_kept`
            missing = missing or f"render_mode={mode!r}: {in_a_line(error)}" * missing_here(error, env)
            continue
        if picture is not None or printed:
            modes.append(mode)
    return modes, missing
