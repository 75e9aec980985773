"""Plays many games, driven towards what has been seen least, and shows every step to all watchers."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from cardwar_envs.conformance.archive import Archive, Route
from cardwar_envs.conformance.choices import Driver
from cardwar_envs.conformance.modes import modes_of
from cardwar_envs.conformance.play import STEPS, Play
from cardwar_envs.conformance.subject import Skin, Subject
from cardwar_envs.conformance.verdicts import Failed, LittleSeen, NotApplicable, in_a_line

# The share of the seconds that goes into each kind.
SHARE = 0.12
# Games end when so many in a row, and a third of all, have shown no new value, and few of them a new situation.
PATIENCE = 120
FEW = 6
# Modes in which one game in three is drawn.
DRAWN, DRAWN_ONE_IN = ("ansi", "rgb_array"), 3
# Games that the time has ended, if they were fewer, or had fewer moves in all, are little to go by.
FEW_GAMES, FEW_MOVES = 10, 200
# One environment in so many plays a second game, of so many steps at most.
SECOND_GAME_ONE_IN, SHORT = 8, 40
LEGAL_PLAY = "legal_play_goes_on"


class Unrepeatable(Exception):  # noqa: N818  # it is caught here
    """A game cannot be played again by the same seed and choices."""


class Watcher:
    """Looks at every step of a game, and raises Failed if something is wrong. A watcher is made for each game."""

    check = ""
    kinds: tuple[str, ...] = ("AEC", "Parallel")

    def __init__(self, play: Play, subject: Subject) -> None:
        """The game has just been reset."""

    def before(self, play: Play, choice: Any) -> None:
        """The choice is about to be made."""

    def after(self, play: Play) -> None:
        """A choice has been made."""

    def end(self, play: Play) -> None:
        """The game is over."""


@dataclass
class Explored:
    """What was seen of one kind of environment.

    Attributes:
        games: How many games were begun.
        moves: How many steps were taken in them.
        situations: How many differ in what the agents see.
        failures: Check -> reason and the games that were driven last.
        routes: Ways to situations: first those that have a value of their own, shortest first.
        current: The game that is being played, with its parameters.
        cut: Whether the time was over before the games showed nothing new.
        unrepeatable: What shows that a game does not go the same way again, in words; empty if nothing does.
    """

    games: int = 0
    moves: int = 0
    situations: int = 0
    failures: dict[str, tuple[str, list[Any]]] = field(default_factory=dict)
    routes: list[Route] = field(default_factory=list)
    current: Any = None
    cut: bool = False
    unrepeatable: str = ""


def explored(subject: Subject, kind: str) -> Explored:
    """What games of that kind have shown, played once for all checks.

    Raises:
        NotApplicable: If there is no such kind.
    """
    skin = subject.skin(kind)
    found: Explored = subject.once(("explored", kind), lambda: _explore(subject, skin))
    return found


def _explore(subject: Subject, skin: Skin[Any]) -> Explored:
    found, archive, last_new = Explored(), Archive(subject.seed), 0
    unlike_before: deque[bool] = deque(maxlen=PATIENCE)  # whether a game has shown a new situation
    modes = [mode for mode in DRAWN if mode in modes_of(subject)]
    for number in subject.time(SHARE):
        seed = 1000 * subject.seed + number
        route = archive.rare() if number % 2 and number > 8 else None
        play = _made(skin, number, modes)
        found.current = skin.recent[-1]
        try:
            new_value, new_situation = _follow(play, subject, found, archive, route or Route(seed, ()))
            last_new = number if new_value else last_new
            unlike_before.append(new_situation)
            if number % SECOND_GAME_ONE_IN == 0:
                _play_again(play)
        except Unrepeatable as error:
            found.unrepeatable = found.unrepeatable or str(error)
        except Exception as error:
            reason = f"{play.at}: {error if isinstance(error, Failed) else in_a_line(error)}"
            found.failures.setdefault(LEGAL_PLAY, (reason, [found.current]))
        found.games += 1
        found.moves += len(play.played)
        if number - last_new > max(PATIENCE, number // 3) and sum(unlike_before) < FEW:
            break
    found.cut = found.games in subject.cut
    found.situations = len(archive.situations)
    unlike = {(route.seed, len(route.moves), str(route.moves)): route for route in archive.routes.values()}
    found.routes = sorted(unlike.values(), key=lambda route: len(route.moves)) + archive.others
    return found


def _made(skin: Skin[Any], number: int, modes: list[str]) -> Play:
    """A fresh environment; one in so many is made to be drawn."""
    if modes and number % DRAWN_ONE_IN == 0:
        try:
            mode = modes[number // DRAWN_ONE_IN % len(modes)]
            play: Play = skin.new(choices=number, render_mode=mode)
            return play
        except Exception:
            modes.clear()  # `render_modes_are_kept` says so
    drawn: Play = skin.new(choices=number)
    return drawn


def _follow(play: Play, subject: Subject, found: Explored, archive: Archive, route: Route) -> tuple[bool, bool]:
    """Plays one game, along a route first; whether it shows a new value, and a new situation."""
    play.reset(route.seed)
    watchers: list[Watcher] = []
    for each in WATCHERS:
        if play.kind in each.kinds and each.check not in found.failures:
            _tell(found, each.check, subject, lambda each=each: watchers.append(each(play, subject)))  # type: ignore[misc]
    new = [archive.note(play, route.seed)]
    play.chooser = Driver(play.chooser.seed)
    while not play.over and len(play.played) < STEPS:
        step = len(play.played)
        choice = route.moves[step] if step < len(route.moves) else play.choice()
        watchers = _ask(watchers, found, subject, lambda each, choice=choice: each.before(play, choice))  # type: ignore[misc]
        _submit(play, choice, again=step < len(route.moves))
        new.append(archive.note(play, route.seed))
        watchers = _ask(watchers, found, subject, lambda each: each.after(play))
    if play.over:
        _ask(watchers, found, subject, lambda each: each.end(play))
    return any(value for value, _ in new), any(situation for _, situation in new)


def _submit(play: Play, choice: Any, again: bool) -> None:
    """Steps once; `again` says that the choice was made, and was legal, in an earlier game of this seed.

    Raises:
        Unrepeatable: If it raises now.
    """
    try:
        play.submit(choice, log=False)
    except Exception as error:
        if not again:
            raise
        raise Unrepeatable(f"{play.at}: {choice} was legal there before, and raises now: {in_a_line(error)}") from error


def _play_again(play: Play) -> None:
    """Begins and plays a second game in the same environment."""
    seed = play.calls[0][1]["seed"]
    try:
        play.again(seed).reset(seed).run(SHORT)
    except Exception as error:
        raise Failed(f"in a second game of the same environment: {in_a_line(error)}") from error


def _ask(watchers: list[Watcher], found: Explored, subject: Subject, what: Callable[[Watcher], None]) -> list[Watcher]:
    """Shows something to all watchers; those that have nothing to complain about go on."""
    return [each for each in watchers if _tell(found, each.check, subject, lambda each=each: what(each))]  # type: ignore[misc]


def _tell(found: Explored, check: str, subject: Subject, what: Callable[[], None]) -> bool:
    try:
        what()
    except Exception as error:
        reason = str(error) if isinstance(error, Failed) else in_a_line(error)
        found.failures.setdefault(check, (reason, [found.current]))
        return False
    return True


WATCHERS: list[type[Watcher]] = []


def watcher(each: type[Watcher]) -> type[Watcher]:
    """Enters a watcher into the list of those that see every game."""
    WATCHERS.append(each)
    return each


def watched(check: str, subject: Subject) -> None:
    """Raises what the watchers of that check have found.

    Raises:
        Failed: If they have found something.
    """
    for skin in subject.skins():
        failures = explored(subject, skin.kind).failures
        if check in failures:
            reason, games = failures[check]
            subject.recent.clear()
            subject.recent.extend(games)
            raise Failed(reason)
    if any(LEGAL_PLAY in explored(subject, skin.kind).failures for skin in subject.skins()):
        raise NotApplicable(f"not all games could be played to their end, see {LEGAL_PLAY}")
    for skin in subject.skins():
        seen = explored(subject, skin.kind)
        if seen.cut and (seen.games < FEW_GAMES or seen.moves < FEW_MOVES):
            few = f"{seen.games} games of the {skin.kind} kind with {seen.moves} moves"
            raise LittleSeen(f"{few}, when the time was over; see --seconds and --games")


def routes(subject: Subject, kind: str, most: int) -> Iterator[Route]:
    """Ways to situations of all depths that differ in something: first one of each depth, then the others."""
    known = explored(subject, kind).routes
    by_depth: dict[int, list[Route]] = {}
    for route in known:
        by_depth.setdefault(len(route.moves), []).append(route)
    given = 0
    for rank in range(max(map(len, by_depth.values()), default=0)):
        for depth in sorted(by_depth):
            if rank < len(by_depth[depth]):
                if given >= most:
                    return
                given += 1
                yield by_depth[depth][rank]


def games_by_chance(skin: Skin[Any], most: int) -> Iterator[Route]:
    """Ways through whole games, in all styles of choosing.

    What nobody is shown has no value to go back to: only many games come to what hangs on it.
    """
    for number in range(most):
        play = skin.new(choices=number).reset(number)
        play.chooser = Driver(number)
        while not play.over and len(play.played) < SHORT:
            play.step(log=False)
        yield Route(number, tuple(play.played))


def coverage(subject: Subject) -> dict[str, dict[str, int]]:
    """Kind -> how many games were played for the watchers, how many moves, and how many situations differed."""
    found = {skin.kind: explored(subject, skin.kind) for skin in subject.skins()}
    return {
        kind: {"games": seen.games, "moves": seen.moves, "distinct situations": seen.situations}
        for kind, seen in found.items()
    }
