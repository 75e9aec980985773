"""Checks of observations, spaces and action masks."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from gymnasium.spaces import Box, Discrete, MultiBinary, MultiDiscrete, Space, Tuple

from zoocheck.explore import Watch, routes, step, watcher
from zoocheck.inputs import ends_for
from zoocheck.look import arrays_in, difference, generators, require_same, spaces_of, without_generators
from zoocheck.play import Play, leaves, legal_actions, seats
from zoocheck.subject import Subject
from zoocheck.verdicts import Failed, NotApplicable, Noted, failing, in_a_line

# The types of samples of spaces that also accept lists, which learners cannot use.
TYPES: dict[Any, Any] = {(Box, MultiDiscrete, MultiBinary): (np.ndarray, np.generic), Tuple: tuple}
SHARE, MOST_PLACES, TRIED = 0.015, 100, 6


def _note_integers(subject: Subject) -> None:
    if notes := subject.once("integers", list):
        raise Noted(notes[0])


@watcher("AEC", "Parallel", then=_note_integers)
def observations_fit_their_spaces(play: Play, subject: Subject) -> Watch:
    """Every observation of every agent is finite, lies in its space and has exactly the type of the space.

    PettingZoo's `parallel_api_test` does not compare observations with their spaces, and `Space.contains` accepts other
    types. A global state must fit its space as well. Bools, and integers of another size, are noted if the space
    contains them.

    Example: `Box(0, 4)` for counts that reach 7, or float64 arrays in a float32 space.
    Fix: Declare the real bounds and type, and convert: `array.astype(np.float32)`.
    """
    known: set[Any] = subject.once(("fits", play.kind), set)
    notes: list[str] = subject.once("integers", list)
    texts: dict[int, tuple[Any, str]] = {}  # of spaces, by id, with the space, which keeps the id its own
    while True:
        for what, space, data in _observed(play):
            if id(space) not in texts:
                texts[id(space)] = space, repr(space)
            arrays = tuple((path, array.dtype.str, array.tobytes()) for path, array in arrays_in(data))
            key = what, texts[id(space)][1], arrays
            if not arrays or key not in known:
                notes += filter(None, [require_fit(space, data, f"{play.at}: {what}")])
                known.add(key)
        yield from step()


def _observed(play: Play) -> Iterator[tuple[str, Any, Any]]:
    """All observations and the state, each with its name and its space."""
    for agent, observation in play.shown():
        yield f"observation of {agent}", play.env.observation_space(agent), observation
    try:
        state = play.env.state()
    except NotImplementedError:
        return
    except Exception as error:
        raise Failed(f"{play.at}: state() raises {in_a_line(error)}") from error
    yield "state()", getattr(play.env, "state_space", None), state


def require_fit(space: Space[Any] | None, data: Any, what: str) -> str:
    """Raises Failed unless the data is finite and, if there is a space, lies in it and has its types.

    Returns a description of integers or bools in it whose type differs from the space's; empty if there are none.
    """
    noted = ""
    for path, array in arrays_in(data):
        if array.dtype.kind == "f" and not np.isfinite(array).all():
            raise Failed(f"{what}{path and f', {path}'} has an entry that is not a finite number: {array}")
    for path, part, value in leaves(space, data) if space is not None else ():
        at = f"{what}{path and f', {path}'}"
        if isinstance(value, np.ndarray | np.generic) and part.dtype is not None and value.dtype != part.dtype:
            unlike = f"{at} is {value.dtype}, the space is {part.dtype}"
            if not {value.dtype.kind, part.dtype.kind} <= set("biu") or not part.contains(value):
                raise Failed(unlike)
            noted = noted or unlike
        wanted = next((types for spaces, types in TYPES.items() if isinstance(part, spaces)), object)
        if not isinstance(value, wanted):
            samples = f"samples of {type(part).__name__} are of type {type(part.sample()).__name__}"
            raise Failed(f"{at} is a {type(value).__name__}, but {samples}")
        if not part.contains(value):
            raise Failed(f"{at} is not in its space {' '.join(str(part).split())}: {' '.join(repr(value).split())}")
    return noted


def _require_one_space(subject: Subject) -> None:
    """Raises Failed unless, before the first reset, each call returns the same space object."""
    for api in subject.apis():
        env = api.new().env
        for agent in seats(env):
            for name in ("observation_space", "action_space"):
                with failing(f"{api.kind}: {name}({agent!r}) before reset raises"):
                    first, second = (getattr(env, name)(agent) for _ in range(2))
                if first is not second:
                    raise Failed(f"{api.kind}: {name}({agent!r}) makes a new space at each call")


@watcher("AEC", "Parallel", first=_require_one_space)
def spaces_stay_the_same(play: Play, subject: Subject) -> Watch:
    """Spaces exist before the first reset, and each call returns the same, unchanging object.

    Learners query the spaces once, before any reset, and later sample from the objects that they seeded.

    Example: `def action_space(self, agent): return Discrete(5)`.
    Fix: Make the spaces in `__init__`, and return those objects.
    """
    first = subject.once(("spaces", play.kind), lambda: without_generators(spaces_of(play.env)))
    while hasattr(play.env, "possible_agents"):
        if len(play.played) % 4 == 3 or len(play.env.agents) < 2:
            now = without_generators(spaces_of(play.env))
            require_same(first, now, f"{play.at}: spaces in the first game and now")
        yield from step()


def spaces_of_seats_are_seeded_apart(subject: Subject) -> None:
    """If a reset seeds the action spaces, it seeds the spaces of different agents differently.

    Example: `for agent in self.agents: self.action_space(agent).seed(seed)` in `reset`.
    Fix: Do not seed spaces in `reset`, or seed each differently: `seed + i`.
    """
    for api in subject.apis():
        env = api.new().reset(3).env
        known: dict[str, tuple[Any, Any]] = {}
        for agent in seats(env):
            space = env.action_space(agent)
            if (generator := getattr(space, "_np_random", None)) is not None:
                other, first = known.setdefault(repr(generator.bit_generator.state), (agent, space))
                if first is not space:
                    raise Failed(f"{api.kind}: reset(seed=3) seeds the action spaces of {other} and {agent} alike")


def _try_what_is_allowed(subject: Subject) -> None:
    for play, agent, action in _tries(subject, allowed=1):
        with failing(f"{play.at}: {agent}'s mask allows {action}, but step() raises"):
            play.submit(play.with_action(agent, action), log=False)


@watcher("AEC", "Parallel", then=_try_what_is_allowed)
def masks_allow_what_is_legal(play: Play, subject: Subject) -> Watch:
    """Masks are int8 with entries 0 and 1, not all zero for an agent that must choose, and allow only legal actions.

    `Discrete.sample` accepts no other type, and learners fail on an empty mask or if an allowed action raises. Masks in
    an observation and in an info must agree.

    Example: A bool mask, or one that still allows a card that was played.
    Fix: `np.zeros(n, dtype=np.int8)`, with ones for the actions that `step` accepts.
    """
    while subject.once(("masked", play.kind), lambda: _is_masked(play)):
        _require_form(play)
        yield from step()


def _require_form(play: Play) -> None:
    asked = play.asked()
    for agent, mask in play.masks().items():
        if mask is None:
            raise Failed(f"{play.at}: {agent} has no action mask, although there are masks at the start of the game")
        size = int(play.env.action_space(agent).n)
        if mask.dtype != np.int8 or mask.shape != (size,):
            raise Failed(f"{play.at}: the mask of {agent} is {mask.dtype}{list(mask.shape)}, not int8[{size}]")
        if not set(mask.tolist()) <= {0, 1}:
            raise Failed(f"{play.at}: the mask of {agent} has entries other than 0 and 1: {mask}")
        if agent in asked and not mask.any():
            raise Failed(f"{play.at}: the mask of {agent}, which must choose an action, is all zero")
        both = [part["action_mask"] for part in play.told(agent) if isinstance(part, dict) and "action_mask" in part]
        if len(both) == 2 and (found := difference(*both)):
            raise Failed(f"{play.at}: observation and info of {agent} have different masks: {found}")


def illegal_actions_are_refused(subject: Subject) -> None:
    """An action that its mask forbids raises an error without effect, or ends the game for the agent that tried it.

    Example: `step` plays a card that is not in the hand, or substitutes the lowest one.
    Fix: Raise a ValueError and change nothing, or end the game for that agent.
    """
    tried = 0
    for play, agent, action in _tries(subject, allowed=0):
        tried += 1
        _require_refused(play, agent, action)
    if not tried:
        raise NotApplicable("the masks always allow every action")


def _require_refused(play: Play, agent: Any, action: int) -> None:
    before, choice, at = (play.seen(), generators(play.env)), play.with_action(agent, action), play.at
    try:
        play.submit(choice, log=False)
    except Exception:
        if found := difference(before, (play.seen(), generators(play.env))):
            raise Failed(f"{at}: the illegal action {action} of {agent} raises, but has an effect: {found}") from None
        return
    if not ends_for(play, agent):
        words = "which its mask forbids; no error is raised and the game continues"
        raise Failed(f"{at}: {agent} plays {action}, {words}")


def _tries(subject: Subject, allowed: int) -> Iterator[tuple[Play, Any, int]]:
    """Yields fresh games in situations of all depths, each with an agent and an action to try.

    The agent's mask allows the action (`allowed=1`) or forbids it (`allowed=0`).
    """
    masked = [api for api in subject.own_apis() if _is_masked(api.new().reset(subject.seed))]
    if not masked:
        raise NotApplicable("there are no action masks")
    for api in masked:
        clock = subject.time(SHARE)
        for route in routes(subject, api.kind, MOST_PLACES):
            looked_at = route.travel(api)
            for agent in looked_at.asked():
                mask = looked_at.mask(agent)
                found = () if mask is None else legal_actions(looked_at.env.action_space(agent), mask == allowed)
                for action in found[:: max(1, len(found) // TRIED)][:TRIED]:
                    yield route.travel(api), agent, action
            if not looked_at.over and next(clock, None) is None:
                break


def _is_masked(play: Play) -> bool:
    spaces = [play.env.action_space(agent) for agent in play.env.agents]
    discrete = all(isinstance(space, Discrete) for space in spaces)
    return discrete and any(mask is not None for mask in play.masks().values())
