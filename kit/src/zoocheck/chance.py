"""A check that future chance outcomes stay hidden: visible data must not predict them better than a control."""

import copy
import re
from collections import defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from zoocheck.declared import modes_of
from zoocheck.look import attributes, drawn, generators_on, refusal, state_of, state_shown, words_of
from zoocheck.play import Play, leaves
from zoocheck.seeds import steady_apis
from zoocheck.stale import foretold_entries
from zoocheck.subject import Api, Subject
from zoocheck.verdicts import Failed, NotApplicable, Noted

# Least advantage over the control, in standard errors, and least number of games in which only one of the two is right.
STANDARD_ERRORS = 5.0
LEAST_CASES = 24
MOST_TARGETS = 48  # to predict

Codes = NDArray[np.int64]


# The games of each half, and for each of these games another of its half that looked the same so far, or itself.
Halves = tuple[list[Codes], list[Codes]]
SHARE = 0.12
LEAST_GAMES, MOST_GAMES = 40, 400
TURNS = 6
MOST_LEAVES = 400
# Arrays with at most this many entries are predicted entry by entry.
MOST_ENTRIES = 16
# Differences below this fraction of a bounded space's range are the "small print" of an observation.
SMALL_PRINT = 0.02
# Limit on such differences, so that counts are never small print, however wide the space.
MOST_SMALL_PRINT = 0.2
DECLARED = ("observation_spaces", "action_spaces", "state_space", "metadata", "possible_agents")
ORDER = "the order of keys in "
WORD = re.compile(r"-?\d+(?:\.\d+)?|[^\W\d]+")
Told = dict[str, Any]
# Name -> what all agents observe, without small print.
Seen = dict[str, str]
Game = list[tuple[Told, Seen]]


def halves_of(alike: Sequence[Hashable], known: NDArray[np.bool_]) -> Halves:
    """Splits the games that are `known`: predictors are fitted on one half and tested on the other.

    Games with equal keys in `alike` looked the same so far.
    """
    groups: dict[Hashable, list[int]] = defaultdict(list)
    for game, key in enumerate(alike):
        if known[game]:
            groups[key].append(game)
    parts = [[group[half::2] for group in groups.values()] for half in (0, 1)]
    members, others = (
        [np.array([game for part in half for game in part[shift:] + part[:shift]], np.int64) for half in parts]
        for shift in (0, 1)
    )
    return members, others


def coded(values: Sequence[Hashable]) -> Codes:
    """Codes the values as integers, `[games]`: equal for equal values, -1 for None."""
    codes: dict[Hashable, int] = {}
    return np.array([-1 if value is None else codes.setdefault(value, len(codes)) for value in values], np.int64)


def foretells(told: Codes, comes: Codes, halves: Halves) -> bool:
    """Whether data visible in a game predicts its future better than the data of another game that looked the same.

    Under the null hypothesis both are right equally often, because the two games are exchangeable.
    """
    right = wrong = 0
    for learnt, judged, other in zip(halves[0][::-1], *halves, strict=True):
        table = np.zeros((int(told.max()) + 1, int(comes.max()) + 1), np.int64)
        np.add.at(table, (told[learnt], comes[learnt]), 1)
        guess = np.where(table.any(axis=1), table.argmax(axis=1), -1)
        own, foreign = guess[told[judged]] == comes[judged], guess[told[other]] == comes[judged]
        right += int((own & ~foreign).sum())
        wrong += int((foreign & ~own).sum())
    return right + wrong >= LEAST_CASES and right - wrong > STANDARD_ERRORS * (right + wrong) ** 0.5


def telling(
    leaves: Mapping[str, Sequence[Hashable]], comes: Sequence[Mapping[str, str]], alike: Sequence[Hashable]
) -> Iterator[tuple[str, str]]:
    """Yields the name of each visible item that predicts a future item, with the name of the future item.

    `leaves` has the value of each item in each game (None if absent), `comes` the future values of each game, and
    `alike` a key for each game; games with equal keys looked the same so far.
    """
    targets = dict(_targets(comes, alike))
    halves: dict[bytes, Halves] = {}
    seen: set[bytes] = set()
    for name in sorted(leaves):
        told = coded(leaves[name])
        if told.tobytes() in seen:
            continue
        seen.add(told.tobytes())
        known = told >= 0
        split = halves.setdefault(known.tobytes(), halves_of(alike, known))
        for target, codes in targets.items():
            if foretells(told, codes, split):
                yield name, target


def _targets(comes: Sequence[Mapping[str, str]], alike: Sequence[Hashable]) -> Iterator[tuple[str, Codes]]:
    """Yields the future items that differ among games that looked the same."""
    known: set[bytes] = set()
    for name in dict.fromkeys(name for each in comes for name in each):
        values: list[Any] = [each.get(name, "") for each in comes]
        codes = coded(values)
        if codes.tobytes() not in known and len(known) < MOST_TARGETS and _vary(values, alike):
            known.add(codes.tobytes())
            yield name, codes


def chance_to_come_is_hidden(subject: Subject) -> None:
    """Nothing public predicts future chance outcomes, given equal observations so far.

    A learner that knows the next card solves a different game. Under many seeds, the check takes the same actions.
    Among games with equal observations and rewards so far, it predicts later ones from all other visible data: infos,
    state(), pictures, str(), spaces, error messages, and the signs and last digits of observations. The predictor is
    fitted on one half of the games and tested on the other; as a control, it gets the data of another game that looked
    the same. No info may contain the generator that draws chance outcomes, or show, in any words, an entry of the next
    observation that neither actions nor its past determine. Public attributes that predict chance are noted.

    Example: `infos[agent] = {"deck": self.deck}`, with the order of the cards to come.
    Fix: Show only what has happened; draw later, or keep the order private.
    """
    chance, noted = False, ""
    for api in steady_apis(subject):
        modes = modes_of(subject)
        games = _games(subject, api, modes)
        chance = chance or _unlike(games) > 1
        if _unlike(games) > 1:
            _require_own_generators(api)
        for turn in range(TURNS):
            for name, words in _foretold([game for game in games if len(game) > turn + 1], turn):
                reason = f"{api.kind}: after {turn} joint actions {words}"
                if not name.removeprefix(ORDER).startswith("attributes"):
                    raise Failed(reason)
                noted = noted or reason
        for words in foretold_entries(subject, api.kind):
            raise Failed(f"{api.kind}: {words}")
    if noted:
        raise Noted(noted)
    if not chance:
        raise NotApplicable("no chance: with the same choices, all seeds gave the same observations")


def _games(subject: Subject, api: Api, modes: list[str]) -> list[Game]:
    """Plays games with the same actions; returns the visible data and all observations of each turn."""
    games: list[Game] = []
    for number in subject.time(SHARE):
        mode = modes[number % len(modes)] if modes else None
        games.append(_game(api, 1000 * subject.seed + number, mode))
        if (number >= LEAST_GAMES and _unlike(games) == 1) or number >= MOST_GAMES:
            break
    return games


def _unlike(games: list[Game]) -> int:
    """The number of distinct observations among the games."""
    return len({str([seen for _, seen in game]) for game in games})


def _game(api: Api, seed: int, mode: str | None) -> Game:
    play = (api.new() if mode is None else api.new(render_mode=mode)).reset(seed)
    turns: Game = [(_told(play, mode), _seen(play))]
    while len(turns) < TURNS + 1 and play.masks():  # an agent is left
        _take_turn(play)
        turns.append((_told(play, mode), _seen(play)))
    turn = seed // 2 % 2
    if turn < len(turns):  # an action outside the space, in a separate game
        play = api.new().reset(seed)
        for _ in range(turn):
            _take_turn(play)
        choice = play.choice() if play.asked() else None
        odd = dict.fromkeys(choice, 10**6) if isinstance(choice, dict) else 10**6
        turns[turn][0]["the error of an odd action"] = refusal(play, odd)
    return turns


def _take_turn(play: Play) -> None:
    """Plays one joint action, after the last steps of agents that are out."""
    while not play.over and not play.asked():
        play.step(log=False)
    for _ in range(len(play.masks()) if play.kind == "AEC" else 1):
        if play.asked():
            play.step(log=False)


def _seen(play: Play) -> Seen:
    """What all agents observe, without small print, item by item."""
    seen = {"agents": str(sorted(map(str, play.env.agents)))}
    for agent, observation in play.shown():
        for path, space, data in leaves(play.env.observation_space(agent), observation, f"the observation of {agent}"):
            seen |= _coarse(space, data, path)
    for agent, reward in play.part("rewards").items():
        seen[f"the reward of {agent}"] = str(np.round(reward, 6) + 0.0)
    return seen


def _coarse(space: Any, data: Any, path: str) -> Seen:
    if isinstance(space, gymnasium.spaces.Box) and np.issubdtype(space.dtype, np.floating):
        array = np.asarray(data, np.float64)
        width = np.asarray(space.high, np.float64) - np.asarray(space.low, np.float64)
        step = np.where(np.isfinite(width) & (width > 0), np.minimum(width * SMALL_PRINT, MOST_SMALL_PRINT), 1e-6)
        data = np.round(array / step) + 0.0
    if isinstance(data, np.ndarray) and data.ndim == 1 and data.size <= MOST_ENTRIES:
        return {f"{path}[{place}]": str(entry) for place, entry in enumerate(data)}
    if isinstance(data, np.ndarray):
        return {path: str(data.tolist())}
    return {path: repr(data)}


def _told(play: Play, mode: str | None) -> Told:
    """Name -> value of all visible data."""
    env = play.env
    told: Told = {f"info of {agent}": copy.deepcopy(info) for agent, info in play.infos().items()}
    for agent, observation in play.shown():
        told[f"small print of the observation of {agent}"] = copy.deepcopy(observation)
    own = [env.action_space(agent) for agent in getattr(env, "possible_agents", env.agents)]
    told["generators of the action spaces"] = [state_of(getattr(space, "_np_random", None)) for space in own]
    held = {name: value for name, value in attributes(env).items() if name not in DECLARED}
    told |= {"state()": state_shown(env), "attributes": held} | words_of(env)
    if mode is not None:
        picture, printed = drawn(env)
        told[f"render() in mode {mode}"] = printed if picture is None else picture
    return told


def _each_leaf(path: str, data: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(data, Mapping):
        if "state" in data and "bit_generator" in data:  # a generator's state: one item
            yield path, repr(data)
            return
        yield f"{ORDER}{path}", repr(list(data))
        for key, value in list(data.items())[:MOST_LEAVES]:
            yield from _each_leaf(f"{path}.{key}", value)
    elif isinstance(data, np.ndarray):
        yield path, data.tobytes()
        if 1 < data.size <= MOST_LEAVES:
            yield from ((f"{path}[{i}]", number.tobytes()) for i, number in enumerate(data.ravel()))
            yield from _places(path, data.ravel().tolist())
    elif isinstance(data, list | tuple):
        yield path, repr(data)
        for i, value in enumerate(data[:MOST_LEAVES]):
            yield from _each_leaf(f"{path}[{i}]", value)
        yield from _places(path, data)
    else:
        yield path, repr(data)
        if isinstance(data, str):
            yield from ((f"{path} word {i}", word) for i, word in enumerate(WORD.findall(data)[:MOST_LEAVES]))


def _places(path: str, data: Sequence[Any]) -> Iterator[tuple[str, Any]]:
    """Where the lowest number is, the next, and so on: the cards of a deck, if each card's place in it is told."""
    if 2 < len(data) <= MOST_LEAVES and all(isinstance(each, int | float) for each in data):
        order = sorted(range(len(data)), key=data.__getitem__)
        yield from ((f"{path}, the place of number {rank},", place) for rank, place in enumerate(order))


def _require_own_generators(api: Api) -> None:
    """Raises Failed if an info contains one of the environment's generators."""
    play = api.game(1)
    for _ in range(3):
        own = {id(generator) for _, generator in generators_on(play.env)}
        for agent, info in play.infos().items():
            for path, generator in generators_on(info):
                if id(generator) in own:
                    what = f"{path.partition('.')[2]!r} contains a random generator of the environment"
                    raise Failed(f"{play.at}: the info of {agent}: {what}, which predicts all chance outcomes")
        if play.over:
            return
        play.step(log=False)


def _foretold(games: list[Game], turn: int) -> Iterator[tuple[str, str]]:
    """Yields the name of each visible item that predicts the next or the final turn, with a description."""
    alike = ["|".join(map(str, (seen for _, seen in game[: turn + 1]))) for game in games]
    leaves = _leaves_that_vary(games, alike, turn)
    ahead = {turn + 1: "in the next turn", -1: "at the end"}
    if not turn:  # later, fewer games have looked the same so far
        ahead |= {later: f"in {later} turns" for later in range(2, min(map(len, games)))}
    for later, when in ahead.items():
        for name, target in telling(leaves, [game[later][1] for game in games], alike):
            yield name, f"{name} predicts {target} {when}, although all agents have observed the same so far"


def _leaves_that_vary(games: list[Game], alike: list[str], turn: int) -> dict[str, list[Any]]:
    """Name of a leaf -> its value in each game, if values repeat but differ among games that look alike."""
    found: dict[str, list[Any]] = {}
    for place in {name for game in games for name in game[turn][0]}:
        raw = [game[turn][0].get(place) for game in games]
        if not _vary([data.tobytes() if isinstance(data, np.ndarray) else repr(data) for data in raw], alike):
            continue
        leaves = [dict(_each_leaf(place, data)) if data is not None else {} for data in raw]
        for name in {name for leaf in leaves for name in leaf}:
            values = [leaf.get(name) for leaf in leaves]
            known = [value for value in values if value is not None]
            if 1 < len(set(known)) <= max(2, 2 * len(known) // 3) and _vary(values, alike):
                found[name] = values
    return found


def _vary(values: list[Any], alike: Sequence[Hashable]) -> bool:
    """Whether values differ among games that look alike."""
    pairs = {pair for pair in zip(alike, values, strict=True) if pair[1] is not None}
    return len(pairs) > len({key for key, _ in pairs})
