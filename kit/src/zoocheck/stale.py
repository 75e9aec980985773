"""Checks that observations, infos, state() and pictures are of now: none repeats what was true one turn ago."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, zip_longest
from numbers import Number
from typing import Any

import numpy as np

from zoocheck.declared import modes_of
from zoocheck.kinds import AECPlay, Turn
from zoocheck.look import drawn, state_shown
from zoocheck.play import Play, styled
from zoocheck.seeds import SHORT, steady_apis
from zoocheck.steady import steady_api
from zoocheck.subject import Subject, once
from zoocheck.verdicts import Failed, Noted

# Pairs of games, and the number of turns after which the two games of a pair may begin to differ.
PAIRS, APART = 16, 4
# The fraction of the time for them, and the number of turns that are drawn.
SHARE, DRAWN = 0.04, 8
# Least number of changes, over all games, of what an entry repeats late, and of pairs in which something is late.
LEAST_CHANGES, LEAST_PAIRS = 5, 6
# Least number of turns in which an entry must never change.
LEAST_MOMENTS = 60
# Infos whose names contain these may refer to the previous turn.
OF_THE_PAST = re.compile(r"(?:\b|_)(?:last|prev|before|past|old|histor|delay)", re.IGNORECASE)
# Infos whose names contain these may tell which agents are live.
OF_LIFE = re.compile(
    r"live|living|left|remain|surviv|active|dead|died|fallen|gone|out|elimin|terminated|truncated|done|agents|players",
    re.IGNORECASE,
)
ENTRY = re.compile(r"(.*)\[(\d+)\]")
STATE, MASK, PAID = "state()", "action_mask", "the sum of the rewards"
# Longer arrays are compared only as a whole.
MOST_ENTRIES = 64
# Decimal places that count, because float32 has no more.
PLACES = 4
# An agent's entries are compared with those of so many others.
MOST_OTHERS = 3

# Maps paths to values, as bytes that are equal if the numbers are.
Numbers = dict[str, bytes]
# The values of an entry in each turn of each game.
Column = tuple[tuple[bytes, ...], ...]


@dataclass
class Moment:
    """What is visible at the start of a turn."""

    observed: dict[Any, Numbers]
    informed: dict[Any, Numbers]  # infos and masks
    live: Numbers  # which agents are live, and how many
    paid: dict[Any, float]  # the sum of the rewards so far
    whole: dict[str, Any]  # channel -> what it shows, in a form that can be compared


Game = list[Moment]


def observations_are_of_now(subject: Subject) -> None:
    """Each agent's observation, state() and pictures show at once what a joint action has changed.

    A learner that sees only the past cannot react to the present. Something is late if in all pairs of games that are
    equal at first it begins to differ exactly one turn after rewards, infos or other observations do.

    Example: `observe` returns what was computed before the last joint action was played.
    Fix: Compute observations after the joint action.
    """
    for kind in [api.kind for api in steady_apis(subject)]:
        late = defaultdict[str, list[bool]](list)
        for one, two in pairs(subject, kind):
            for channel, turns in _delays(one, two).items():
                late[channel].append(turns == 1)
        for channel, found in late.items():
            if all(found) and len(found) >= LEAST_PAIRS:
                words = f"{channel} shows what a joint action has changed one turn later than rewards or"
                raise Failed(f"{kind}: in all {len(found)} pairs of games {words} other data")


def infos_are_of_now(subject: Subject) -> None:
    """Infos, masks and single entries of observations refer to the current turn, not to the previous one.

    An entry is stale if, in all compared games, it repeats what was true one turn before: of the agent's observation,
    of the same entry for another agent, of the sum of its rewards or of who is live, and nothing shows the present
    value. An info is stale, too, if it is the same in the first two turns and changes in every later one, and has more
    than two values, since two may show whose turn it is. Infos whose names refer to the past ("last", "previous",
    "before") are exempt. Parts of state() may be stale, but not the whole.

    Example: `step` fills `infos`, for example with the mask, before it plays the joint action.
    Fix: Fill `infos` after the joint action.
    """
    for kind in [api.kind for api in steady_apis(subject)]:
        games = [game for pair in pairs(subject, kind) for game in pair]
        for agent, own in by_agent(games).items():
            for name, sign in [*_signs(agent, own), *(_late_when_agents_leave(agent, own) if kind != "AEC" else ())]:
                if not OF_THE_PAST.search(name):
                    raise Failed(f"{kind}: {name if name.startswith(STATE) else f'{name!r} of {agent}'} {sign}")


def observations_are_informative(subject: Subject) -> None:
    """It is noted if all agents always observe the same, or if an entry of an observation never changes.

    One policy for all agents must tell from the observation which agent it plays for. A constant entry tells nothing,
    and may be one that is never filled in.

    Example: `observe(agent)` returns `self.view(self.agents[0])`.
    Fix: Return the agent's own view, or add the agent's number (`supersuit.agent_indicator_v0` does); fill in or remove
    constant entries.
    """
    notes: list[str] = []
    for kind in [api.kind for api in steady_apis(subject)]:
        games = [game for pair in pairs(subject, kind) for game in pair]
        seen = [[list(moment.observed.values()) for moment in game] for game in games]
        several = [views for game in seen for views in game[1:] if len(views) > 1 and any(views)]
        if several and all(view == views[0] for views in several for view in views):
            notes.append(f"{kind}: all agents always observe the same; a policy for all cannot tell which one it plays")
        for agent, own in by_agent(games).items():
            found = columns([[moment.observed[agent] for moment in game] for game in own])
            still = [name for name in sorted(found) if len({value for values in found[name] for value in values}) == 1]
            if still and sum(map(len, own)) > LEAST_MOMENTS:
                notes.append(f"{kind}: in the observation of {agent}, {' and '.join(still[:3])} never changes")
    if notes:
        raise Noted(f"{notes[0]}{f' ({len(notes) - 1} more)' * (len(notes) > 1)}")


def foretold_entries(subject: Subject, kind: str) -> Iterator[str]:
    """Describes each info and part of state() that is always in the next turn's observation, if chance decides it.

    It may be told in other words, each of which always stands for the same value, and be one of several entries.
    """
    games = [game for pair in pairs(subject, kind) for game in pair]
    owners = by_agent(games)
    for agent, own in owners.items():
        seen = columns([_with_news([moment.observed[agent] for moment in game]) for game in own], gaps=True)
        told = columns([_with_news([moment.informed[agent] for moment in game]) for game in own], gaps=True)
        drawn = {name: _now(column) for name, column in seen.items() if _is_drawn(column)}
        comes = {form: name for name, column in drawn.items() for form in (column, _renamed(column))}
        views = ([_with_news([moment.observed.get(other, {}) for moment in game]) for game in own] for other in owners)
        known = {_renamed(column) for view in views for column in columns(view, gaps=True).values()}  # to any agent
        for name, column in told.items():
            late = _late(column)
            target = comes.get(late) or (comes.get(_renamed(late)) if _repeats(column) else None)
            if target and MASK not in name and _renamed(column) not in known:
                yield f"{name} of {agent} is always what its observation ({target}) has in the next turn"


def _with_news(game: Sequence[Numbers]) -> Sequence[Numbers]:
    """The turns, each with the value and the place of the only new entry of each list, if only one is new."""
    found = []
    for before, now in pairwise([{}, *game]):
        new = defaultdict[str, list[tuple[bytes, bytes]]](list)
        for name, value in now.items():
            if value != before.get(name) and (entry := ENTRY.fullmatch(name)):
                new[entry[1]].append((value, entry[2].encode()))
        for path, each in new.items():
            if len(each) == 1:
                (value, place), what = each[0], f"new entry of {path}"
                now = now | {f"the {what}": value, f"the place of the {what}": place}
        found.append(now)
    return found


def _renamed(column: Column) -> Column:
    """The column with its values numbered as they first occur: equal for two that differ in names alone."""
    names: dict[bytes, bytes] = {}
    return tuple(tuple(names.setdefault(value, b"%d" % len(names)) for value in values) for values in column)


def _repeats(column: Column) -> bool:
    """Whether values return often enough, in games of unlike seeds, for it to mean something that names correspond."""
    new = [now for values in column[::2] for before, now in pairwise(values) if now != before]
    return len(new) - len(set(new)) >= LEAST_CHANGES


def _is_drawn(column: Column) -> bool:
    """Whether equal values in two turns often lead to unequal ones in the next, so that chance or others decide."""
    comes = defaultdict[tuple[bytes, ...], set[bytes]](set)
    for values in column:
        for turn in range(1, len(values)):
            comes[values[max(0, turn - 2) : turn]].add(values[turn])
    return sum(len(values) - 1 for values in comes.values()) >= LEAST_CHANGES


def by_agent(games: Sequence[Game]) -> dict[Any, list[Game]]:
    """Agent -> the turns of each game in which it takes part, if there are at least two."""
    agents = dict.fromkeys(agent for game in games for moment in game for agent in moment.observed)
    own = {agent: [[moment for moment in game if agent in moment.observed] for game in games] for agent in agents}
    return {agent: [game for game in games if len(game) > 1] for agent, games in own.items()}


@once
def pairs(subject: Subject, kind: str) -> list[tuple[Game, Game]]:
    """Pairs of games with equal seeds and, in the first turns, equal actions."""
    api, modes, found = steady_api(subject, kind), modes_of(subject), list[tuple[Game, Game]]()
    clock = subject.time(SHARE)
    for seed in range(subject.budget.fewer(PAIRS)):
        more = {"render_mode": modes[seed % len(modes)]} if modes else {}
        one, two = (api.game(seed, **more) for _ in range(2))
        one.chooser, two.chooser = styled(4 * seed + seed % 2), styled(4 * seed + 1000)
        recorded = _record(one, [])
        alike = seed % APART * (len(two.env.agents) if kind == "AEC" else 1)
        found.append((recorded, _record(two, one.played[: min(alike, len(one.played) // 2)])))
        if next(clock, None) is None and subject.games is None:
            break
    return found


def _record(play: Play, moves: Sequence[Any]) -> Game:
    """Plays a game that begins with `moves`; returns its turns."""
    game: Game = []
    paid: dict[Any, float] = defaultdict(float)
    turn: Turn | None = None
    while play.goes_on(SHORT):
        before = turn
        if isinstance(play, AECPlay):
            turn = Turn.of(play, turn) if play.asked() else None
        if play.asked() and (turn is None or turn is not before):
            game.append(_moment(play, dict(paid), len(game)))
        number = len(play.played)
        play.submit(moves[number] if number < len(moves) else play.choice(), log=False)
        for agent, reward in play.rewards().items():
            paid[agent] += float(np.sum(reward))
    return game


def _moment(play: Play, paid: dict[Any, float], turn: int) -> Moment:
    observed: dict[Any, Numbers] = {}
    informed: dict[Any, Numbers] = {}
    infos = play.infos()
    whole: dict[str, Any] = {"rewards": sorted((str(agent), reward) for agent, reward in paid.items() if reward)}
    state = dict(_numbers(state_shown(play.env), STATE))
    whole[STATE] = sorted(state.items())
    for agent, observation in play.shown():
        seen = dict(_numbers(observation, ""))
        is_mask = [name for name in seen if MASK in name]
        told = {f"info {name}": value for name, value in _numbers(infos.get(agent), "")}
        informed[agent] = {**told, **{name: seen.pop(name) for name in is_mask}, **state}
        observed[agent] = seen
        whole[f"the observation of {agent}"] = sorted(seen.items())
        whole["infos"] = [*whole.get("infos", ()), *sorted(told.items())]
    mode = getattr(play.env, "render_mode", None)
    if mode and turn < DRAWN:
        picture, printed = drawn(play.env)
        bare = picture.tobytes() if isinstance(picture, np.ndarray) else (picture, printed)
        whole[f"render() in mode {mode!r}"] = bare
    return Moment(observed, informed, _live(play), paid, whole)


def _live(play: Play) -> Numbers:
    """Which agents are live, by the flags and `agents`, in the forms in which an info may tell it."""
    live, known = play.masks(), getattr(play.env, "possible_agents", ())
    found = {"the number of live agents": len(live), "the number of agents that are out": len(known) - len(live)}
    for agent in known:
        found |= {f"whether {agent} is live": agent in live, f"whether {agent} is out": agent not in live}
    return dict(_numbers(found, ""))


def _delays(one: Game, two: Game) -> dict[str, int]:
    """Channel -> the turns that pass until it differs, after the first other channel does."""
    first: dict[str, int] = {}
    for turn, (here, there) in enumerate(zip(one, two, strict=False)):
        for channel, shown in here.whole.items():
            if channel in there.whole and channel not in first and shown != there.whole[channel]:
                first[channel] = turn
    shown = {name: turn for name, turn in first.items() if not name.startswith("render()")}
    return {
        channel: turn - min(others)
        for channel, turn in first.items()
        if channel not in ("rewards", "infos") and (others := [shown[name] for name in shown if name != channel])
    }


def _numbers(data: Any, path: str) -> Iterator[tuple[str, bytes]]:
    """All numbers and texts in nested data: arrays as a whole and entry by entry."""
    if isinstance(data, Mapping):
        for key, value in data.items():
            yield from _numbers(value, f"{path}.{key}" if path else str(key))
    elif isinstance(data, list | tuple | set | frozenset):
        if path and not isinstance(data, tuple):
            yield f"len({path})", np.float64(len(data)).tobytes()
        for place, value in enumerate(data):
            yield from _numbers(value, f"{path}[{place}]")
    elif isinstance(data, str):
        yield path, data.encode()
    elif isinstance(data, Number | np.ndarray) and (array := np.asarray(data)).dtype.kind in "biuf":
        numbers = np.round(array.astype(np.float64).ravel(), PLACES) + 0.0
        yield path, numbers.tobytes()
        if 1 < numbers.size <= MOST_ENTRIES:
            yield from ((f"{path}[{i}]", number.tobytes()) for i, number in enumerate(numbers))


def _signs(agent: Any, own: Sequence[Game]) -> Iterator[tuple[str, str]]:
    """Yields each stale entry of an agent, with what it repeats."""
    seen = columns([[moment.observed[agent] for moment in game] for game in own])
    told = columns([[moment.informed[agent] for moment in game] for game in own])
    earned = [[dict(_numbers(moment.paid.get(agent, 0.0), PAID)) for moment in game] for game in own]
    sums = columns(earned).get(PAID, ())
    flags = columns([[moment.live for moment in game] for game in own])
    by_flag = {_late(flags[name]): name for name in flags if changes(flags[name])}
    present = {*seen.values(), *flags.values()}
    late: dict[Column, str] = {_late(sums): PAID} if changes(sums) and not {sums} & {*present, *told.values()} else {}
    by_entry = {_late(seen[name]): f"the observation ({name})" for name in seen if changes(seen[name])} | late
    if any(told[name] in present for name in told if name.startswith(STATE)):
        told = {name: column for name, column in told.items() if not name.startswith(STATE)}
    for name, column in sorted(told.items()):
        of_life = by_flag.get(_now(column)) if OF_LIFE.search(name) else None
        if column not in present and (what := by_entry.get(_now(column)) or of_life):
            yield name, f"repeats {what} of the previous turn"
        elif column not in present and _repeats_once(column) and any(len({*values}) > 2 for values in column):
            yield name, "is the same in the first two turns, though it changes in every later turn"
    for name in sorted(name for name in seen if _now(seen[name]) in late):
        yield name, f"repeats {PAID} of the previous turn"
    whole = columns([[{"": b"".join(moment.observed[agent].values())} for moment in game] for game in own])
    if any(map(_repeats_once, whole.values())):
        yield "the observation", "is the same in the first two turns, though it changes in every later turn"
    yield from _behind_others(agent, own)


def _late_when_agents_leave(agent: Any, own: Sequence[Game]) -> Iterator[tuple[str, str]]:
    """Yields the observation if it always changes, but for turns in which others leave and the rest see a change."""
    kept = [0, 0]  # turns in which the observation stays the same, without and with another agent that has left
    turns = 0
    for before, now in (pair for game in own for pair in pairwise(game)):
        turns += 1
        mine = f"whether {agent} is live"
        others = [each for each in now.observed if each != agent and each in before.observed]
        moves = any(before.observed[each] != now.observed[each] for each in others)
        if before.observed[agent] == now.observed[agent] and before.live.get(mine) == now.live.get(mine):
            kept[moves and before.live != now.live] += 1
    if turns >= LEAST_MOMENTS and not kept[0] and kept[1] > 1:
        yield "the observation", "is that of the previous turn, though it changes otherwise, when another agent leaves"


def _behind_others(agent: Any, own: Sequence[Game]) -> Iterator[tuple[str, str]]:
    """Yields each entry that repeats another agent's same entry, or what for the other is always equal to it."""
    others = dict.fromkeys(other for game in own for other in game[0].observed if other != agent)
    for other in list(others)[:MOST_OTHERS]:
        both = [[moment for moment in game if other in moment.observed] for game in own]
        mine, theirs = (
            columns([[{**moment.informed[each], **moment.observed[each]} for moment in game] for game in both])
            for each in (agent, other)
        )
        before = defaultdict[Column, list[str]](list)
        for name in mine:
            if changes(mine[name]):
                before[_late(mine[name])].append(name)
        for name in sorted(mine.keys() & theirs.keys()):
            present = _now(mine[name])
            if present == _late(theirs[name]) and mine[name] != theirs[name] and changes(theirs[name]):
                yield name, f"repeats that of {other} of the previous turn"
            for same in before.get(present, ()):
                if theirs[name] == theirs.get(same) and mine[name] != mine[same]:
                    yield name, f"repeats {same!r} of the previous turn, which for {other} is the same"


def columns(games: Sequence[Sequence[Numbers]], gaps: bool = False) -> dict[str, Column]:
    """The values of each entry that all turns have; with `gaps`, of each that any has, empty where it is missing."""
    join = set.union if gaps else set.intersection
    names = join(*[set(turn) for game in games for turn in game]) if any(games) else set()
    return {name: tuple(tuple(turn.get(name, b"") for turn in game) for game in games) for name in names}


def _now(column: Column) -> Column:
    return tuple(values[1:] for values in column)


def _late(column: Column) -> Column:
    return tuple(values[:-1] for values in column)


def changes(column: Column) -> bool:
    """Whether what an entry repeats changes often enough, and not in all games alike."""
    count = sum(one != other for values in _late(column) for one, other in pairwise(values))
    return count >= LEAST_CHANGES and any(len({*values} - {None}) > 1 for values in zip_longest(*column))


def _repeats_once(column: Column) -> bool:
    later = [one != other for values in column for one, other in pairwise(values[1:])]
    return all(values[0] == values[1] for values in column) and len(later) >= LEAST_CHANGES and all(later)
