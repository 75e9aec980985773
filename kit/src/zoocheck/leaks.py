"""Checks that moves are simultaneous: nothing reveals a move before all have committed."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from zoocheck.declared import modes_of, require_modes
from zoocheck.explore import Route, games_by_chance, routes
from zoocheck.kinds import AECPlay, Turn, has_choice
from zoocheck.look import Path, captured_output, drawn, in_words, places, public, refusals
from zoocheck.play import legal_actions
from zoocheck.steady import steady_api
from zoocheck.subject import Api, Finding, Subject, once
from zoocheck.verdicts import NotApplicable, Noted

ALTERNATIVES = 4
# Data that differs in one of this many identical replays is unsteady, not a leak.
REPLAYS = 6
MOST_PLACES = 2000
MOST_GAMES = 60
# Fraction of the CPU budget for each kind of search.
SHARES = {"told": 0.06, "open": 0.06, "drawn": 0.06}
# Channel -> the names of the places in it; all others are "open".
CHANNELS: dict[str, set[Any]] = {
    "touched": {"random generators", "spaces", ("attributes", "observation_spaces"), ("attributes", "action_spaces")},
    "drawn": {"render()"},
    "told": {"told"},
    "open": {("attributes", "metadata")},
    "held": {"attributes"},
}


@dataclass(frozen=True)
class Moment:
    """A situation in which an agent commits before another agent that has a choice."""

    route: Route
    agent: Any  # the agent that commits
    committed: tuple[Any, ...]  # the actions to compare; the first is tried twice
    later: tuple[Any, ...] = ()  # later commitments of others, while one with a choice must still commit


@dataclass
class _Leaks:
    """The first leak of each channel with its games, and the number of moments examined."""

    found: dict[str, Finding] = field(default_factory=dict)
    looked: int = 0


def commitments_are_hidden(subject: Subject) -> None:
    """Until all have committed, what the others receive does not depend on an agent's commitment.

    A learner that sees the other's move first "solves" any simultaneous game. An agent commits by submitting its
    action; the game continues once all have. The check compares observations, infos, masks, rewards, flags and last(),
    including types and the sign of zero, except what the committed agent itself receives.

    Example: `step` removes the card from the hand that `observe` shows to all, before the others have chosen.
    Fix: Store commitments separately, and play them when the last agent has committed.
    """
    _raise(subject, "told")


def commitments_are_kept_inside(subject: Subject) -> None:
    """Until all have committed, no public data reveals a move.

    A critic that is trained on `state()` would see the moves. This covers state(), str(), repr(), len(), the metadata,
    printed, warned and logged output, and error messages. A move in another public attribute is noted.

    Example: `state()` includes the moves of the turn.
    Fix: Store commitments in a private attribute (`self._moves`), and leave them out of `state()`.
    """
    _raise(subject, "open")


def commitments_touch_nothing(subject: Subject) -> None:
    """Until all have committed, random generators and spaces do not depend on the commitments.

    Example: Each commitment draws from the generator immediately.
    Fix: Draw after all have committed.
    """
    _raise(subject, "open", "touched")


def pictures_hide_commitments(subject: Subject) -> None:
    """Until all have committed, no render mode's result or output depends on the commitments.

    Example: `render()` draws the chosen card while others still choose.
    Fix: Draw the last completed turn.
    """
    require_modes(subject)
    _raise(subject, "drawn")


def _raise(subject: Subject, way: str, channel: str = "") -> None:
    subject.api("AEC")
    if not subject.simultaneous():
        raise NotApplicable("the metadata does not set is_parallelizable, so moves count as sequential")
    leaks = search(subject, way)
    if not leaks.looked:
        raise NotApplicable("no agent with a choice ever commits before another agent with a choice")
    if found := leaks.found.get(channel or way):
        subject.fail(found)
    if (held := leaks.found.get("held")) and way == "open" and not channel:
        raise Noted(held.reason)


def shown_before_all_have_acted(subject: Subject) -> str:
    """What shows moves to later agents in the same cycle, if anything does."""
    found = [search(subject, way).found.items() for way in ("told", "open")]
    return next((each.reason for ways in found for channel, each in ways if channel != "held"), "")


@once
def search(subject: Subject, way: str) -> _Leaks:
    """Looks at commitments in many situations, in one of the `SHARES`."""
    api = steady_api(subject, "AEC")
    leaks = _Leaks()
    wanted = {"told": ["told"], "open": ["open", "touched"], "drawn": ["drawn"]}[way]
    modes = modes_of(subject) if way == "drawn" else [None]
    clock = subject.time(SHARES[way])
    every_route = chain(routes(subject, "AEC", MOST_PLACES), games_by_chance(api, MOST_GAMES))
    for moment in moments(api, every_route):
        for mode in modes:
            more = {} if mode is None else {"render_mode": mode}
            for channel, reason in _compare(api, more, moment, way).items():
                leaks.found.setdefault(channel, Finding(reason, [*subject.recent]))
        leaks.looked += 1
        if set(leaks.found) >= set(wanted) or next(clock, None) is None:
            break
    return leaks


def moments(api: Api, every_route: Iterator[Route]) -> Iterator[Moment]:
    """Yields the commitments that can be examined along these routes, each once."""
    known: set[str] = set()
    for route in every_route:
        play = api.game(route.seed)
        turn: Turn | None = None
        moves = list(route.moves)
        # The route may end within a turn; examine the whole turn.
        while not play.over and len(play.played) <= len(moves) + len(play.env.agents):
            step = len(play.played)
            choice = moves[step] if step < len(moves) else play.choice()
            agent = play.env.agent_selection
            if choice is None:
                turn = None
            else:
                before, turn = turn, Turn.of(play, turn)
                if turn is not before and step > len(moves):
                    break
                others = _others(play, agent, choice) if has_choice(play, agent) else ()
                key = f"{route.seed} {play.played}"
                if turn.open and others and key not in known:
                    known.add(key)
                    moment = Moment(Route(route.seed, tuple(play.played)), agent, (choice, choice, *others))
                    yield from _followed(api, moment, turn)
            play.submit(choice, log=False)


def _followed(api: Api, moment: Moment, turn: Turn) -> Iterator[Moment]:
    """Yields the moment and, if several agents must still commit, the moment before the last of them commits."""
    yield moment
    if len(turn.open) > 1:
        play = moment.route.travel(api)
        play.submit(moment.committed[0], log=False)
        later: list[Any] = []
        while len(later) < len(turn.open) - 1 and play.asked():
            later.append(play.choice())
            play.submit(later[-1], log=False)
        yield Moment(moment.route, moment.agent, moment.committed, tuple(later))


def _others(play: AECPlay, agent: Any, action: Any) -> tuple[Any, ...]:
    """Other legal actions; an evenly spaced sample if there are many."""
    space = play.env.action_space(agent)
    if hasattr(space, "n") and isinstance(action, int):
        legal = legal_actions(space, play.mask(agent))
        own = legal.index(action) if action in legal else len(legal)
        most = len(legal) - (own < len(legal))
        sample = range(0, most, max(1, most // ALTERNATIVES))[:ALTERNATIVES]
        return tuple(legal[place + (place >= own)] for place in sample)
    others = [play.legal_choice(agent) for _ in range(ALTERNATIVES)]
    return tuple(other for other in others if next(places(other, action), None))


def _compare(api: Api, more: dict[str, Any], moment: Moment, way: str) -> dict[str, str]:
    """Maps channels to descriptions of their leaks."""
    views = [_view(api, more, moment, action, way) for action in moment.committed]
    found: dict[str, str] = {}
    for other, view in zip(moment.committed[2:], views[2:], strict=True):
        new = [(place, what) for place, what in places(views[0], view, "exact") if channel_of(place) not in found]
        if not new:
            continue
        again = [views[1], *(_view(api, more, moment, moment.committed[0], way) for _ in range(REPLAYS))]
        shaky = {place for view in again for place, _ in places(views[0], view, "exact")}
        where = f"AEC, seed {moment.route.seed}, after step {len(moment.route.moves)}"
        shows = f"before all have committed, public data shows whether {moment.agent} plays"
        for place, what in new:
            if place not in shaky:
                words = f"{where}: {shows} {moment.committed[0]} or {other}: {in_words(place)}: {what}"
                found.setdefault(channel_of(place), words)
    return found


def channel_of(place: Path) -> str:
    """Where a learner would see a difference; "held" means public attributes, which learners do not receive."""
    names = place[0], place[:2]
    return next((channel for channel, known in CHANNELS.items() if any(name in known for name in names)), "open")


def _view(api: Api, more: dict[str, Any], moment: Moment, action: Any, way: str) -> dict[str, Any]:
    play = moment.route.travel(api, **more)
    with captured_output() as said:
        play.submit(action, log=False)
        for later in moment.later:
            play.submit(later, log=False)
    if way == "drawn":
        return {"render()": drawn(play.env)}
    if way == "told":  # to all other agents
        view = play.seen()
        for part in ("observations", "infos"):
            view[part].pop(moment.agent, None)
        if view["agent_selection"] == moment.agent:
            del view["last"]
        return {"told": view}
    # Invalid calls come last; another check ensures that they have no effect.
    return {**public(play.env), "printed, warned or logged": said, "error": refusals(play)}
