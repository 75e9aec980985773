"""Plays many games, steered towards rare features, and passes every step to all watchers."""

import hashlib
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zoocheck import verdicts
from zoocheck.declared import modes_of
from zoocheck.look import arrays_in
from zoocheck.play import STYLES, Chooser, Play, styled
from zoocheck.subject import Api, Finding, Subject, once
from zoocheck.verdicts import STEPS, Failed, Inconclusive, NotApplicable, OutOfTime, failing, in_a_line

# The most stored routes to situations without a new value, and the most features of an observation and of a mask.
MOST_SITUATIONS, MOST_NUMBERS, MOST_ACTIONS = 2000, 48, 500
# The fraction of the time spent on each kind of environment, and on a game of up to `LONG` steps: game 1, and one in
# `LONG_ONE_IN` after a new seed and in different styles.
SHARE, LONG_SHARE, LONG, LONG_ONE_IN = 0.08, 0.02, 1000, 16
# Exploration ends when this many games in a row, and a third of all, showed no new value and few new situations.
PATIENCE, FEW = 120, 6
# Modes in which one game in three is rendered.
DRAWN, DRAWN_ONE_IN = ("ansi", "rgb_array"), 3
# If the time limit ends exploration before this number of games or moves, too little was seen for a verdict.
FEW_GAMES, FEW_MOVES = 4, 400
# One environment in this many plays a second game, of at most this many steps.
SECOND_GAME_ONE_IN, SHORT = 8, 40
LEGAL_PLAY = "legal_play_goes_on"
UNPLAYABLE = f"not all games could be played to their end, see {LEGAL_PLAY}"


@dataclass(frozen=True)
class Route:
    """A route to a situation: the seed of a game, and the arguments of step() that lead there."""

    seed: int
    moves: tuple[Any, ...]

    def travel(self, api: Api, **parameters: Any) -> Any:
        """Replays the route in a fresh environment; returns its driver."""
        return api.game(self.seed, **parameters).replay(self.moves)


class Archive:
    """Counts the occurrences of each feature and action, and stores a route to each feature."""

    def __init__(self, seed: int) -> None:
        self.counts = Counter[Any]()
        self.routes: dict[Any, Route] = {}
        self.situations: set[bytes] = set()
        self.others: list[Route] = []  # routes to new situations without a new value
        self.played = Counter[Any]()  # (agent, action) -> how often it was played
        self._rng = np.random.default_rng(seed)

    def note(self, play: Play, seed: int) -> tuple[bool, bool]:
        """Counts the current features; returns whether a feature is new, and whether the situation is new."""
        new, digest = False, hashlib.blake2b(str(len(play.played)).encode(), digest_size=12)
        route = Route(seed, tuple(play.played))
        for feature in _features(play, digest):
            self.counts[feature] += 1
            if self.counts[feature] == 1:
                new, self.routes[feature] = True, route
        known = digest.digest() in self.situations
        self.situations.add(digest.digest())
        if not (new or known) and len(self.others) < MOST_SITUATIONS:
            self.others.append(route)
        return new, not known

    def rare(self) -> Route | None:
        """A route to one of the rarest features."""
        if not self.counts:
            return None
        least = min(self.counts.values())
        rare = [feature for feature, count in self.counts.items() if count <= 2 * least]
        feature = rare[int(self._rng.integers(len(rare)))]
        self.counts[feature] += 1
        return self.routes[feature]


def _features(play: Play, digest: Any) -> Iterator[Any]:
    yield "depth", len(play.played)
    yield "agents", tuple(map(str, play.env.agents))
    yield from _events(play)
    for agent, info in play.part("infos").items():
        if isinstance(info, Mapping) and isinstance(info.get("action_mask"), np.ndarray):
            yield from _numbers(agent, "mask", info["action_mask"], MOST_ACTIONS)
    for agent, observation in play.shown():
        for path, array in arrays_in(observation):
            digest.update(array.tobytes())
            yield from _numbers(agent, path, array, MOST_ACTIONS if path == "action_mask" else MOST_NUMBERS)
        if not isinstance(observation, np.ndarray | dict):
            digest.update(repr(observation).encode())
            yield str(agent), repr(observation)[:80]


def _events(play: Play) -> Iterator[Any]:
    """The rewards of a step, each and together, and whether all agents did the same."""
    paid = play.part("rewards")
    for agent, reward in paid.items():
        yield "reward", str(agent), _rounded(reward) if isinstance(reward, int | float) else str(reward)
    yield "paid", tuple(str(np.sign(reward)) for reward in paid.values() if isinstance(reward, int | float))
    last = play.played[-1] if play.played else None
    actions = list(last.values()) if isinstance(last, dict) else play.played[-len(play.env.agents) :]
    if len(actions) > 1 and all(isinstance(action, int) and action == actions[0] for action in actions):
        yield "all play", int(actions[0])


def _numbers(agent: Any, path: str, array: NDArray[Any], most: int) -> Iterator[Any]:
    """Some entries of an array, at most about `most`."""
    for place, number in enumerate(array.ravel()[:: 1 + array.size // most].tolist()):
        yield str(agent), path, place, _rounded(number)


def _rounded(number: Any) -> Any:
    return f"{number:.1f}" if isinstance(number, float) else number


class Unrepeatable(Exception):  # noqa: N818  # caught in this module
    """A game cannot be replayed with the same seed and choices."""


# Follows one game: is started after the reset, receives each action before the step, is resumed after the step.
Watch = Generator[None, Any, Any]
Check = Callable[[Subject], None]
# Name of the check, the kinds of environment that it watches, and the generator function that follows a game.
WATCHERS: list[tuple[str, tuple[str, ...], Callable[[Any, Subject], Watch]]] = []


def step() -> Watch:
    """Waits until a step has been made; returns its action."""
    choice = yield
    yield
    return choice


def watcher(
    *kinds: str, first: Callable[[Subject], Any] | None = None, then: Check | None = None
) -> Callable[[Callable[[Any, Subject], Watch]], Check]:
    """Turns a generator function, which raises Failed in a faulty game, into a check of all explored games.

    It follows environments of these `kinds`. The check calls `first` before it, and `then` if nothing failed.
    """

    def register(follow: Callable[[Any, Subject], Watch]) -> Check:
        def check(subject: Subject) -> None:
            if len(kinds) == 1:
                subject.api(kinds[0])
            if first is not None:
                first(subject)
            _report(follow.__name__, subject)
            if then is not None:
                then(subject)

        for name in ("__module__", "__name__", "__qualname__", "__doc__"):  # not the signature
            setattr(check, name, getattr(follow, name))
        WATCHERS.append((follow.__name__, kinds, follow))
        return check

    return register


@dataclass
class Explored:
    """The results of exploring one kind of environment."""

    archive: Archive
    games: int = 0  # started
    moves: int = 0  # steps in them
    failures: dict[str, Finding] = field(default_factory=dict)  # of each check that failed
    routes: list[Route] = field(default_factory=list)  # routes to a new value first, the shortest first
    ends: list[tuple[int, bool]] = field(default_factory=list)  # of each finished game, its actions and any truncation
    current: Any = None  # the current game, with its parameters
    cut: bool = False  # whether the time ran out while games still showed something new
    unrepeatable: Finding | None = None  # why a game cannot be replayed, if so
    last_new: int = 0  # the number of the last game that showed a new value
    unlike_before: deque[bool] = field(default_factory=partial(deque, maxlen=PATIENCE))  # which showed a new situation

    def is_done(self) -> bool:
        """Whether the latest games, and a third of all, showed no new value and few new situations."""
        return self.games - self.last_new > max(PATIENCE, self.games // 3) and sum(self.unlike_before) < FEW


@once
def explored(subject: Subject, kind: str) -> Explored:
    """The results for a kind, which must exist; its games are played once and shared by all checks."""
    found = Explored(Archive(subject.seed))
    explore(subject, kind, found, SHARE)
    return found


def explore(subject: Subject, kind: str, found: Explored, share: float) -> None:
    """Plays more games, and replaces `found.routes` by routes to what they show for the first time."""
    api, archive = subject.api(kind), found.archive
    modes = [mode for mode in DRAWN if mode in modes_of(subject)]
    known, old = set(archive.routes), len(archive.others)
    for _ in subject.time(share):
        number = found.games
        route = archive.rare() if number % 2 and number > 8 else None
        play = _made(api, number, modes)
        found.current, found.cut = api.recent[-1], False
        try:
            new_value, new_situation = _follow(play, subject, found, route or Route(1000 * subject.seed + number, ()))
            found.last_new = number if new_value else found.last_new
            found.unlike_before.append(new_situation)
            if number % SECOND_GAME_ONE_IN == 0:
                _play_again(play)
        except OutOfTime:
            found.cut = True
        except Unrepeatable as error:
            found.unrepeatable = found.unrepeatable or Finding(str(error), [found.current])
        except Exception as error:
            reason = f"{play.at}: {error if isinstance(error, Failed) else in_a_line(error)}"
            found.failures.setdefault(LEGAL_PLAY, Finding(reason, [found.current]))
        found.games += 1
        found.moves += len(play.played)
        if found.cut:
            subject.cut.append(found.games)
        if found.cut or found.is_done():
            break
    found.cut = found.games in subject.cut
    new = (route for feature, route in archive.routes.items() if feature not in known)
    unlike = {(route.seed, len(route.moves), str(route.moves)): route for route in new}
    found.routes = sorted(unlike.values(), key=lambda route: len(route.moves)) + archive.others[old:]


def _made(api: Api, number: int, modes: list[str]) -> Any:
    """A fresh environment, sometimes with a render mode."""
    if modes and number % DRAWN_ONE_IN == 0:
        try:
            return api.new(choices=number, render_mode=modes[number // DRAWN_ONE_IN % len(modes)])
        except Exception:
            modes.clear()  # reported by `render_modes_are_kept`
    return api.new(choices=number)


def _follow(play: Play, subject: Subject, found: Explored, route: Route) -> tuple[bool, bool]:
    """Plays one game, starting along a route; returns whether it had a new value, and a new situation."""
    archive, number, until = found.archive, found.games, verdicts.processor_seconds() + LONG_SHARE * subject.seconds
    play.reset(route.seed)
    new, truncated = [archive.note(play, route.seed)], False
    play.chooser = Chooser(number, number // 2 % STYLES, archive.played)
    due = [each for each in WATCHERS if play.kind in each[1] and each[0] not in found.failures]
    watching = _resume([(check, follow(play, subject)) for check, _, follow in due], found)
    most = LONG if number == 1 or number % LONG_ONE_IN == 10 else STEPS
    while not play.over and (step := len(play.played)) < most:
        if step >= STEPS and subject.games is None and verdicts.processor_seconds() > until:
            break
        choice = route.moves[step] if step < len(route.moves) else play.choice()
        watching = _resume(watching, found, choice)
        _submit(play, choice, again=step < len(route.moves))
        if step < STEPS:  # the routes of other checks are no longer
            new.append(archive.note(play, route.seed))
        truncated = truncated or any(play.part("truncations").values())
        watching = _resume(watching, found)
    if play.over:
        found.ends.append((sum(choice is not None for choice in play.played), truncated))
    return any(value for value, _ in new), any(situation for _, situation in new)


def _resume(watching: list[tuple[str, Watch]], found: Explored, choice: Any = None) -> list[tuple[str, Watch]]:
    """Resumes all watchers; returns those that continue."""
    going = []
    for check, watch in watching:
        try:
            watch.send(choice)
            going.append((check, watch))
        except StopIteration:
            pass
        except Exception as error:
            reason = str(error) if isinstance(error, Failed) else in_a_line(error)
            found.failures.setdefault(check, Finding(reason, [found.current]))
    return going


def _submit(play: Play, choice: Any, again: bool) -> None:
    """Steps once; `again` means that the action was legal in an earlier game with this seed, so it must not raise."""
    try:
        play.submit(choice, log=False)
    except Exception as error:
        if not again:
            raise
        raise Unrepeatable(f"{play.at}: {choice} was legal there before, and raises now: {in_a_line(error)}") from error


def _play_again(play: Play) -> None:
    """Plays a second and, after a reset without a seed, a third game in the same environment."""
    seed = play.calls[0][1]["seed"]
    for again in (seed, None):
        later = play.again(seed)
        try:
            with failing(f"in a later game of the same environment, after reset(seed={again}):"):
                later.reset(again).run(SHORT)
        except Failed:
            play.calls += later.calls  # for the script
            raise


def _report(check: str, subject: Subject) -> None:
    """Raises Failed if that check failed in an explored game."""
    found = {}
    for api in subject.apis():
        seen = found[api.kind] = explored(subject, api.kind)
        if check in seen.failures:
            subject.fail(seen.failures[check])
    if any(LEGAL_PLAY in seen.failures for seen in found.values()):
        raise NotApplicable(UNPLAYABLE)
    for kind, seen in found.items():
        if seen.cut and (seen.games < FEW_GAMES or seen.moves < FEW_MOVES):
            few = f"only {seen.games} {kind} games with {seen.moves} moves"
            raise Inconclusive(f"{few} before the time ran out; see --seconds and --games")


def is_explained(error: Exception, subject: Subject) -> bool:
    """Whether an error in the environment needs no failure of its own, because legal play raises errors as well.

    A `Failed` is explained only if it was raised from the very error that legal play raises.
    """
    cause: BaseException = error
    while cause.__cause__ is not None:
        cause = cause.__cause__
    words = in_a_line(cause) if isinstance(error, Failed) else ""
    known = (explored(subject, api.kind).failures.get(LEGAL_PLAY) for api in subject.apis())
    return not isinstance(cause, Failed) and any(found is not None and words in found.reason for found in known)


def legal_play_goes_on(subject: Subject) -> None:
    """In the games played, no legal action and no reset raises an error, and everything returned can be copied.

    A crash in a rare situation can end a training run after hours.

    Example: `step` looks up `self.deck[0]` when the deck may be empty.
    Fix: Run the script of `--reproduce`, and handle that situation.
    """
    for api in subject.apis():
        if found := explored(subject, api.kind).failures.get(LEGAL_PLAY):
            subject.fail(found)


def routes(subject: Subject, kind: str, most: int) -> Iterator[Route]:
    """Routes to distinct situations of all depths: first one of each depth, then the others."""
    before, ranked = Counter[int](), []
    for route in explored(subject, kind).routes:
        ranked.append((before[len(route.moves)], len(route.moves), route))
        before[len(route.moves)] += 1
    return (route for *_, route in sorted(ranked, key=itemgetter(0, 1))[:most])


def games_by_chance(api: Api, most: int) -> Iterator[Route]:
    """Routes through complete games, in all styles of `Chooser`.

    Hidden state has no features that exploration could return to, so only many games reach leaks that depend on it.
    """
    for number in range(most):
        play = api.game(number)
        play.chooser = styled(number)
        play.play_on(min(SHORT, api.budget.longest))
        yield Route(number, tuple(play.played))


def coverage(subject: Subject) -> dict[str, dict[str, int]]:
    """Kind, if it has been explored -> the numbers of games and moves that the watchers saw, and of situations."""
    found = {api.kind: seen for api in subject.apis() if (seen := subject.found((explored, api.kind)))}
    return {
        kind: {"games": seen.games, "moves": seen.moves, "distinct situations": len(seen.archive.situations)}
        for kind, seen in found.items()
    }
