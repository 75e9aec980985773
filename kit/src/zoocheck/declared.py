"""Checks of what an environment declares and offers: agents, metadata, close() and render modes."""

import os
import re
from typing import Any

import numpy as np

from zoocheck.look import drawn
from zoocheck.play import layers, seats
from zoocheck.subject import Api, Subject, once
from zoocheck.verdicts import STEPS, Failed, NotApplicable, Noted, Skipped, failing, in_a_line

KNOWN = ("human", "ansi", "rgb_array")
NO_WINDOW = "drawing ends the process on this machine, which has no display"

# Matches errors of pygame, pyglet, Tk, GLFW, MuJoCo and PyOpenGL without a display or OpenGL, but no others.
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


def metadata_say_what_is_offered(subject: Subject) -> None:
    """The name in the metadata is a string, and `render_modes` is a list of the modes.

    str() uses the name; wrappers and recorders use the modes. A missing one is noted: PettingZoo's tutorial has none.

    Example: `metadata = {"render.modes": ["ansi"]}`, as it was called before 2022.
    Fix: `metadata = {"name": "my_env_v0", "render_modes": ["ansi"]}`.
    """
    missing = []
    for api in subject.apis():
        metadata = api.make().metadata
        if "render.modes" in metadata:
            raise Failed(f"{api.kind}: the metadata has the outdated key `render.modes`; rename it to `render_modes`")
        modes = metadata.get("render_modes", [])
        if not isinstance(modes, list | tuple) or not all(isinstance(mode, str) for mode in modes):
            raise Failed(f"{api.kind}: `render_modes` in the metadata is {modes!r}, not a list of strings")
        if not isinstance(metadata.get("name", ""), str):
            raise Failed(f"{api.kind}: the name in the metadata is {metadata['name']!r}, not a string")
        absent = [name for name in ("name", "render_modes") if name not in metadata]
        missing += [f"{api.kind}: the metadata has no {' and no '.join(absent)}"] * bool(absent)
    if missing:
        raise Noted("; ".join(missing))


def agents_are_a_list_of_their_own(subject: Subject) -> None:
    """Agents removed from `agents` stay in `possible_agents`, and return with the next reset.

    An environment that uses one list for both, or starts each game with the list of the previous one, loses its agents
    as they leave.

    Example: `self.agents = self.possible_agents` in `reset`; `agents.remove(agent)` then empties both.
    Fix: `self.agents = list(self.possible_agents)`.
    """
    for api in subject.apis():
        play = api.new(choices=1)
        possible, seated = list(seats(play.env)), list(play.reset(1).env.agents)
        kept, one_list = play.env.agents, play.env.agents is play.env.possible_agents
        if one_list and not seated:
            raise Failed(f"{api.kind}: `agents` and `possible_agents` are one list object, which a reset leaves empty")
        with failing("a game cannot be played, see legal_play_goes_on:", NotApplicable):
            play.run(STEPS)
        if (left := list(play.env.possible_agents)) != possible:
            why = ", the same list object as `agents`," * one_list
            raise Failed(f"{api.kind}: during a game `possible_agents`{why} changes from {possible} to {left}")
        if (again := list(play.reset(1).env.agents)) != seated and play.env.agents is kept:
            words = f"{api.kind}: after a reset `agents` is the list object of the previous game: {again}"
            raise Failed(f"{words} instead of {seated}")


def closing_does_no_harm(subject: Subject) -> None:
    """close() can be called before the first reset, mid-game, and twice.

    Example: `self.window.close()`, where there may be no window.
    Fix: `if self.window is not None: self.window.close(); self.window = None`.
    """
    for api in subject.apis():
        with failing(f"{api.kind}: close() raises"):
            api.make().close()
            play = api.game(1)
            play.step(log=False)
            play.env.close()
            play.env.close()


def missing_here(error: BaseException, env: Any = None) -> bool:
    """Returns whether an error means that this machine lacks a display, OpenGL or an optional library.

    A missing module of the environment's own package, or a missing name in a library, is the environment's fault.
    """
    absent = NO_DISPLAY.search(in_a_line(error)) or type(error).__name__ == "DependencyNotInstalled"
    if absent or (error.__cause__ is not None and missing_here(error.__cause__, env)):
        return True
    own = {kind.__module__.partition(".")[0] for layer in layers(env) for kind in type(layer).__mro__}
    library = (getattr(error, "name", None) or "").partition(".")[0]
    by_hand = type(error) is ImportError and not library  # as in: raise ImportError("pip install pygame")
    return by_hand or (isinstance(error, ModuleNotFoundError) and library not in own)


def modes_of(subject: Subject) -> list[str]:
    """Returns the render modes that return or print something on this machine."""
    return list(_tried(subject)[0])


def require_modes(subject: Subject) -> list[str]:
    """Returns `modes_of`; if there are none, raises Skipped if this machine lacks something, else NotApplicable."""
    modes, missing = _tried(subject)
    if not modes:
        raise Skipped(missing) if missing else NotApplicable("there is no render mode that can be examined")
    return list(modes)


@once
def _tried(subject: Subject) -> tuple[list[str], str]:
    """Tries each declared mode once; windows open on a dummy display."""
    api = subject.apis()[0]
    os.environ.setdefault("SDL_VIDEODRIVER", "dummy")
    modes, missing, env = [], "", api.make()
    for mode in env.metadata.get("render_modes", ()):
        if mode != "ansi" and not subject.budget.draws:
            missing = missing or NO_WINDOW
            continue
        try:
            picture, printed = drawn(api.new(render_mode=mode).reset(subject.seed).env)
            modes += [mode] * (picture is not None or bool(printed))
        except Exception as error:  # reported by `render_modes_are_kept`
            missing = missing or f"render_mode={mode!r}: {in_a_line(error)}" * missing_here(error, env)
    return modes, missing


def render_modes_are_kept(subject: Subject) -> None:
    """Each declared mode is accepted, stored as `render_mode`, and renders what Gymnasium specifies.

    At every step, render() returns a string in mode `ansi` and a uint8 array with three colour channels in mode
    `rgb_array`. A mode is skipped if the machine lacks a display, OpenGL or a library that it needs. A function that
    makes the environment need not take `render_mode`; then only the mode that it sets is checked.

    Example: `render()` prints the board in mode `ansi`, and returns None.
    Fix: Return the string; for `rgb_array` return `uint8[height, width, 3]`. Store the mode in `__init__`.
    """
    missing, fixed = [], []
    for api in subject.apis():
        env = api.make()
        modes = [mode for mode in env.metadata.get("render_modes", ()) if mode in KNOWN]
        taken = not modes or _takes_modes(subject, api)
        if not taken:
            mode = getattr(env, "render_mode", None)
            fixed.append(f"{api.kind}: the function that makes the environment takes no render_mode; it sets {mode!r}")
            modes = [mode] if mode in modes else []
        for mode in modes:
            if mode != "ansi" and not subject.budget.draws:
                missing.append(f"render_mode={mode!r}: {NO_WINDOW}")
                continue
            try:
                _require_mode(api, mode, {"render_mode": mode} if taken else {})
            except Exception as error:
                if not missing_here(error, env):
                    raise
                missing.append(f"{api.kind}: render_mode={mode!r}: {in_a_line(error)}")
    if missing or fixed:
        raise Skipped("; ".join(missing)) if missing else Noted("; ".join(fixed))


def _takes_modes(subject: Subject, api: Api) -> bool:
    """Whether a render mode can be given; only a function that was named by the user need not take one."""
    try:
        api.make(render_mode=None).close()
    except TypeError as error:
        if "keyword" not in str(error):
            raise
        if subject.is_made_by_function():
            return False
        raise Failed(f"{api.kind}: render modes are declared, but the constructor takes no render_mode") from None
    return True


def _require_mode(api: Api, mode: str, given: dict[str, str]) -> None:
    play = api.game(1, **given)
    if (stored := getattr(play.env, "render_mode", None)) != mode:
        made = f"the environment is made with render_mode={mode!r}"
        raise Failed(f"{api.kind}: {made}, but its attribute render_mode is {stored!r}")
    for _ in range(6 if mode != "human" else 0):
        picture, _ = drawn(play.env)
        what = f"{play.at}: render() in mode {mode!r} returns"
        if mode == "ansi" and not isinstance(picture, str) and not hasattr(picture, "getvalue"):
            raise Failed(f"{what} {type(picture).__name__}, not a string")
        if mode == "rgb_array" and not isinstance(picture, np.ndarray):
            raise Failed(f"{what} {type(picture).__name__}, not an array")
        if mode == "rgb_array" and (picture.dtype != np.uint8 or picture.ndim != 3 or picture.shape[2] != 3):
            raise Failed(f"{what} {picture.dtype}{list(picture.shape)}, not uint8[height, width, 3]")
        if play.over:
            return
        play.step(log=False)
