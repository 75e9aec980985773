"""Checks of input: actions outside the space are rejected without effect, and equal actions have equal effects."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from operator import index
from typing import Any

import numpy as np
from gymnasium.spaces import Box, Dict, Discrete, Sequence, Text

from zoocheck.explore import Route, routes
from zoocheck.kinds import AECPlay, ParallelPlay
from zoocheck.leaks import channel_of
from zoocheck.look import difference, in_words, places, public, require_same_play
from zoocheck.play import Chooser, Play, bounds, in_parts, is_converted, legal_actions, parts, styled
from zoocheck.seeds import steady_apis
from zoocheck.subject import Api, Finding, Subject
from zoocheck.verdicts import Failed, NotApplicable, Noted, in_a_line

SHARE, MOST_PLACES, SHORT, LEGAL, TRIED = 0.06, 60, 12, 8, 4
CONVERTER = ". PettingZoo's converter submits the actions one by one, and does not undo them"
# The kind of a finding that fails a check -> its kind if it is only noted, e.g. for input that no learner submits.
AS_NOTE = {"accepted": "accepted, noted", "changed": "changed, noted"}
SEEDS, STEPS = 4, 24
INTEGERS, RENEWED = ("numpy.int64", "numpy.int32", "Python integers"), "new strings, and dicts in another order"
# Name -> an equal form of a part of an action; an error if it has none.
FORMS: dict[str, Callable[[Any], Any]] = {
    "numpy.int64": lambda part: _whole(part, np.int64),
    "numpy.int32": lambda part: _whole(part, np.int32),
    "Python integers": index,
    RENEWED: lambda part: _renewed(part),
    "numpy.array": lambda part: np.array(_number(part)),
    "floats": lambda part: np.asarray(_number(part), np.float64)[()],
    "a list": lambda part: np.atleast_1d(_number(part)).tolist(),
    "a tuple": lambda part: tuple(np.atleast_1d(_number(part)).tolist()),
}
# The former must be accepted if they are in the space. The latter must always play alike; for Discrete actions others
# may not, which is noted: no learner submits them.
ACCEPTED, ALIKE = (*INTEGERS, RENEWED), (*INTEGERS, RENEWED, "numpy.array")
# What does not depend on how an action is written.
VALUES = ("agents", "observations", "rewards", "terminations", "truncations")


class _Missing:
    def __repr__(self) -> str:
        return "a missing action"


MISSING = _Missing()


def odd_actions(space: Any, action: Any) -> Iterator[Any]:
    """Values outside an action space, some of which resemble the action."""
    tried: list[Any] = [None, -1, "1", "x", 2.7, float("nan"), 1.0, np.float64(1.0), np.float32(0.0), np.True_, b"1"]
    tried += [10**6, -(10**6), [], {}]
    if isinstance(space, Discrete):
        n, start = int(space.n), int(space.start)
        tried += [start - 1, start - 2, -n, start + n, start + n + 6, [action], (action,), np.array([action])]
        tried += [str(action), float(action), np.float64(action), np.array(float(action)), action + 0.5, [action] * 2]
    else:
        tried[:0] = odd_entries(space, action)  # first, because NaN does most harm
    if isinstance(action, np.ndarray):
        tried += [action[:-1], np.append(action, action[:1]), [*action.tolist(), "x"], action + 1e6, action - 1e6]
    return (odd for odd in tried if not _contains(space, odd))


def odd_entries(space: Any, action: Any) -> Iterator[Any]:
    """The action with one entry that is not a number or just beyond its bounds, or with a word outside its space."""
    if getattr(space, "stack", False):  # a sequence as one array
        space = space.stacked_feature_space
    if inner := _parts(space, action):
        for key, part in inner.items():
            for odd in odd_entries(part, action[key]):
                yield {**action, key: odd} if isinstance(space, Dict) else (*action[:key], odd, *action[key + 1 :])
    elif isinstance(space, Text):
        yield from ("", space.characters[:1] * (space.max_length + 1), f"{action[:-1]}\x7f")
    elif bounds(space)[0] is not None:
        yield from _odd_numbers(space, action)


def _odd_numbers(space: Any, action: Any) -> Iterator[Any]:
    low, high = (np.broadcast_to(bound, np.shape(action)) for bound in bounds(space))
    for place in _some(low.size):
        for odd in (np.nan, float(low.flat[place]) - 1, float(high.flat[place]) + 1):
            if isinstance(space, Discrete):
                yield odd if np.isnan(odd) else int(odd)
            elif not np.isinf(odd):
                wide = np.float64 if np.isnan(odd) else np.int64  # has room beyond the bounds
                changed = action.astype(action.dtype if action.dtype.kind == "f" else wide)
                changed.flat[place] = odd
                yield changed


def _parts(space: Any, data: Any) -> dict[Any, Any]:
    """Key or place -> space of each part, of a sequence some parts."""
    if isinstance(space, Sequence) and isinstance(data, tuple):
        return dict.fromkeys(_some(len(data)), space.feature_space)
    return parts(space, data)


def _some(number: int) -> list[int]:
    """The first, the middle and the last of so many places."""
    return sorted({0, number // 2, number - 1}) if number else []


def _contains(space: Any, odd: Any) -> bool:
    try:
        return bool(space.contains(odd))
    except Exception:
        return False


def input_outside_the_space_is_refused(subject: Subject) -> None:
    """An action outside the action space raises, or ends the game for the agent that tried it.

    Errors such as a NaN from a network, or an index that is one too high, must be noticed. An environment that rounds
    or accepts negative indices plays a move that no agent chose. Inputs that no learner submits (None, text, no
    action), actions of another type (True or [1] for 1), and a `Box` action that is clipped, as PettingZoo's
    `ClipOutOfBoundsWrapper` does, are only noted.

    Example: `card = self.hand[action]`, which takes -1; or `int(action)`, which takes 2.7.
    Fix: `if not self.action_space(agent).contains(action): raise ValueError(...)`.
    """
    _search(subject, "accepted")


def refusals_change_nothing(subject: Subject) -> None:
    """A rejected action has no effect: the game continues as if the action had not been tried.

    In particular, the others' commitments, pending rewards, infos and chance do not change. Effects of PettingZoo's own
    converters, of input that no learner submits, and on public attributes alone are only noted.

    Example: `step` clears the rewards, or removes the card, before it checks the action.
    Fix: Check everything first, then change the state.
    """
    _search(subject, "changed")


def _search(subject: Subject, wanted: str) -> None:
    noted = ""
    for api in steady_apis(subject, own=True):
        found: dict[str, Finding] = subject.once(("odd input", api.kind), partial(_tried, subject, api))
        by_converter = wanted == "changed" and is_converted(api.make())
        if wanted in found and not by_converter:
            subject.fail(found[wanted])
        for kind in (wanted, AS_NOTE[wanted]):
            noted = noted or (found[kind].reason.rstrip(".") + CONVERTER * by_converter if kind in found else "")
    if noted:
        raise Noted(noted)


def _tried(subject: Subject, api: Api) -> dict[str, Finding]:
    found: dict[str, Finding] = {}
    clock = subject.time(SHARE)
    for route in stations(api, routes(subject, api.kind, MOST_PLACES)):
        play = route.travel(api)
        if play.over:
            continue
        for agent in play.asked():
            space = play.env.action_space(agent)
            drawn = (play.legal_choice(agent) for _ in range(TRIED))  # the longest, if they are sequences
            action = max(drawn, key=lambda each: len(each) if isinstance(each, tuple) else 0)
            odd = [*odd_actions(space, action), *[MISSING] * isinstance(play, ParallelPlay)]
            harmless, harmful = ([each for each in odd if _is_harmless(space, each) == mild] for mild in (True, False))
            noted = _try_all(api, route, agent, harmless)
            noted = {AS_NOTE.get(kind, kind): finding for kind, finding in noted.items()}
            found = {**_try_all(api, route, agent, harmful), **noted, **found}
        if found.keys() >= {"accepted", "changed"} or next(clock, None) is None:
            break
    return found


def stations(api: Api, ways: Iterator[Route]) -> Iterator[Route]:
    """Yields each route; in AEC also the route continued by one or more further commitments."""
    for way in ways:
        yield way
        if api.kind == "AEC":
            play = way.travel(api)
            for _ in range(len(play.env.agents) - 1):
                if play.asked():
                    play.step(log=False)
                    yield Route(way.seed, tuple(play.played))


def _try_all(api: Api, route: Route, agent: Any, tried: list[Any]) -> dict[str, Finding]:
    """Submits invalid actions one after another while they are rejected; returns the failures, if any."""
    play = route.travel(api)
    game, before, refused = api.recent[-1], _all(play), []
    for number, odd in enumerate(tried):
        if not _is_refused(play, agent, odd):
            found = _accepted(api, route, agent, odd)
            return {**_try_all(api, route, agent, tried[number + 1 :]), **found}
        refused.append(odd)
    named = f"invalid input ({', '.join(map(repr, refused[:3]))}{', ...' * (len(refused) > 3)})"
    what = f"{play.at}: {named} from {agent} is rejected, but"
    changes = _changed(api, route, play, before, what) if refused else {}
    found = {kind: Finding(words, [game, api.recent[-1]]) for kind, words in changes.items()}
    if found and len(refused) > 1:  # find the one responsible
        for odd in refused:
            if found.keys() <= (alone := _try_all(api, route, agent, [odd])).keys():
                return alone
    return found


def _all(play: Play) -> dict[str, Any]:
    return {**play.seen(), **public(play.env)}


def _is_refused(play: Play, agent: Any, odd: Any) -> bool:
    choice = play.with_action(agent, odd)
    if odd is MISSING:
        choice = {other: action for other, action in choice.items() if other != agent}
    try:
        play.submit(choice, log=False)
    except Exception:
        return True
    return False


def _accepted(api: Api, route: Route, agent: Any, odd: Any) -> dict[str, Finding]:
    """Describes the failure if an invalid action does not raise, unless it ends the game for its agent."""
    play = route.travel(api)
    game, at, space = api.recent[-1], play.at, " ".join(str(play.env.action_space(agent)).split())
    if _is_refused(play, agent, odd) or (ends_for(play, agent) and not _ends_so_anyway(api, route, agent, play)):
        return {}
    missing, outside = f"the action of {agent} is missing", f"{agent} plays {odd!r}, which is not in {space}"
    words = f"{at}: {missing if odd is MISSING else outside}; no error is raised and the game continues"
    kind = AS_NOTE["accepted"] if _is_clipped(api, route, agent, odd) else "accepted"
    return {kind: Finding(words, [game])}


def _is_harmless(space: Any, odd: Any) -> bool:
    """Whether no learner submits such a value, or it equals an action of the space but has another type."""
    if inner := _parts(space, odd):
        return all(_contains(part, odd[key]) or _is_harmless(part, odd[key]) for key, part in inner.items())
    if isinstance(space, Text) and isinstance(odd, str):
        return False
    try:
        numbers = np.asarray(odd)
    except ValueError:
        return True
    if numbers.dtype.kind not in "biuf" or not numbers.size:
        return True
    if not isinstance(space, Discrete) or numbers.size > 1:
        return False
    return bool(space.start <= float(numbers.flat[0]) < space.start + space.n and numbers.flat[0] % 1 == 0)


def _is_clipped(api: Api, route: Route, agent: Any, odd: Any) -> bool:
    """Whether an action with finite numbers beyond the bounds of a `Box` is played as the nearest action within."""

    def clipped(part: Any, each: Any) -> Any:
        beyond = isinstance(part, Box) and np.shape(each) == part.shape and np.isfinite(each).all()
        return np.clip(each, part.low, part.high).astype(part.dtype) if beyond else each

    odd_play, play = route.travel(api), route.travel(api)
    try:
        near = in_parts(space := play.env.action_space(agent), odd, clipped)
        if not _contains(space, near):
            return False
        for each, action in ((odd_play, odd), (play, near)):
            each.submit(each.with_action(agent, action))
            each.run(SHORT)
    except Exception:
        return False
    return difference(play.log[1:], odd_play.log[1:]) is None


def _ends_so_anyway(api: Api, route: Route, agent: Any, ended: Play) -> bool:
    """Whether some legal action ends the game for the agent in the same way."""
    looked_at = route.travel(api)
    space = looked_at.env.action_space(agent)
    for action in legal_actions(space, looked_at.mask(agent))[:LEGAL] if isinstance(space, Discrete) else ():
        play = route.travel(api)
        play.submit(play.with_action(agent, action), log=False)
        if ends_for(play, agent) and difference(play.seen(), ended.seen()) is None:
            return True
    return False


def ends_for(play: Play, agent: Any) -> bool:
    """Whether the agent is out once all others have played."""
    asked = [agent]
    while isinstance(play, AECPlay) and play.asked():
        if play.env.agent_selection in asked or (agent in play.env.agents and play.dead(agent)):
            break
        asked.append(play.env.agent_selection)
        try:
            play.step(log=False)
        except Exception:
            return False
    return agent not in play.env.agents or play.dead(agent)


def _changed(api: Api, route: Route, play: Play, before: dict[str, Any], what: str) -> dict[str, str]:
    """Describes an effect of an invalid action, on the data now or on the game that follows; empty if there is none.

    An effect on public attributes alone is noted: no learner receives them.
    """
    shaky: set[Any] | None = None
    held: dict[str, str] = {}
    for place, words in places(before, _all(play), "exact"):
        if shaky is None:
            shaky = {steady for steady, _ in places(_all(route.travel(api)), _all(route.travel(api)), "exact")}
        if place not in shaky:
            words = f"{what} changes {in_words(place)}: {words}"
            if channel_of(place) != "held":
                return {"changed": words}
            held = held or {AS_NOTE["changed"]: words}
    clean = route.travel(api)
    play.played = list(clean.played)
    play.chooser, clean.chooser = (Chooser(clean.chooser.seed) for _ in range(2))
    try:
        clean.log, play.log = [clean.seen()], [play.seen()]
        clean.run(SHORT)
        play.run(SHORT)
        require_same_play(clean.log, play.log, "the game then continues differently")
    except Failed as failure:
        return {"changed": f"{what} {failure}"}
    except Exception as error:
        return {"changed": f"{what} the game cannot continue: {in_a_line(error)}"}
    return held


def equal_actions_play_alike(subject: Subject) -> None:
    """NumPy integers as actions are equivalent to Python integers, and arrays to lists, tuples and other number types.

    The keys of a dict may come in any order, and strings are compared by value. Other forms may be rejected, if they
    are rejected always.

    Networks return NumPy integers, scripts Python integers. If only the width of integers in observations differs, or a
    form that no learner submits has another effect, this is noted.

    Example: `if isinstance(action, int)`, `card, bid = action.values()`, or `self.pos + action`, which joins lists.
    Fix: `action = int(action)`, or `action = np.asarray(action, self.dtype)`, after the check.
    """
    compared, noted = False, ""
    for api in steady_apis(subject):
        for name, discrete, what, one, other in _compared(api):
            compared = True
            compared_parts = one.keys() if name in INTEGERS else VALUES
            here, there = ({part: each[part] for part in compared_parts} for each in (one, other))
            if (found := difference(here, there, "untyped", "unordered")) and (name in ALIKE or not discrete):
                raise Failed(f"{what}: {found}")
            found = found or (difference(one, other) if name in ALIKE and name != RENEWED else None)
            noted = noted or (f"{what}: {found}" if found else "")
    if noted:
        raise Noted(noted)
    if not compared:
        raise NotApplicable("actions have no other form")


def _compared(api: Api) -> Iterator[tuple[str, bool, str, Any, Any]]:
    """Yields a form, whether actions are Discrete, a location in a game, and all visible data there in both forms."""
    for seed in range(SEEDS):
        play = api.game(seed)
        play.chooser = styled(seed)
        log, together = play.run(STEPS), isinstance(play, ParallelPlay)
        spaces = [play.env.action_space(agent) for agent in getattr(play.env, "possible_agents", play.env.agents)]
        discrete = all(isinstance(space, Discrete) for space in spaces)
        for name, form in FORMS.items():
            other = api.game(seed)
            for number, choice in enumerate(play.played):
                handed = {who: _as(form, each) for who, each in choice.items()} if together else _as(form, choice)
                actions = handed if together else dict.fromkeys(other.asked(), handed)
                legal = all(_contains(other.env.action_space(who), action) for who, action in actions.items())
                try:
                    other.submit(handed)
                except Exception as error:
                    if name not in ACCEPTED or not legal:
                        break
                    raise Failed(f"{other.at}: legal {handed!r} raises {in_a_line(error)}") from error
                where = f"{other.at}: with actions as they are sampled and as {name}"
                yield name, discrete, where, log[number + 1], other.log[-1]


def _number(part: Any) -> Any:
    """A number or an array; raises ValueError for anything else."""
    if part is None or isinstance(part, str | tuple | Mapping):
        raise ValueError
    return part


def _whole(part: Any, kind: Any) -> Any:
    """Whole numbers as integers of a type; raises ValueError for others, and if they are too large."""
    with np.errstate(invalid="ignore"):
        whole = np.asarray(_number(part)).astype(kind)
    if not np.array_equal(whole, part):
        raise ValueError
    return whole[()]


def _renewed(part: Any) -> Any:
    """A dict with its keys in another order, or a string that is another object."""
    if isinstance(part, Mapping):
        return {key: part[key] for key in list(part)[::-1]}
    if isinstance(part, str):
        return "".join(list(part))  # a slice of the whole would be the same object
    raise ValueError


def _as(form: Callable[[Any], Any], part: Any) -> Any:
    """An action with a form in each of its parts that has one."""
    if isinstance(part, Mapping):
        part = {key: _as(form, each) for key, each in part.items()}
    elif isinstance(part, tuple):
        part = tuple(_as(form, each) for each in part)
    try:
        return form(part)
    except (TypeError, ValueError):
        return part
