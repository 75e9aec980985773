"""A check that chance which is still to come is told to nobody."""

from __future__ import annotations

import copy
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

import gymnasium
import numpy as np

from cardwar_envs.conformance.look import attributes, drawn, refusal, state_of, state_shown, words_of
from cardwar_envs.conformance.play import Play
from cardwar_envs.conformance.secrecy import _modes
from cardwar_envs.conformance.seeds import steady_skins
from cardwar_envs.conformance.subject import Skin, Subject
from cardwar_envs.conformance.verdicts import Failed, NotApplicable

SHARE = 0.12
LEAST_GAMES, MOST_GAMES = 40, 400
TURNS = 6
# A guess from what is told must be right so much more often than one without it: in standard errors, and in cases.
STANDARD_ERRORS = 5.0
LEAST_CASES = 24
MOST_LEAVES = 400
# Differences below this share of the range of a bounded space are the small print of an observation.
SMALL_PRINT = 0.02
WORD = re.compile(r"-?\d+(?:\.\d+)?|[^\W\d]+")


def chance_to_come_is_hidden(subject: Subject) -> None:
    """Where all agents have seen the same, nothing that stands open foretells what chance will bring.

    The same choices are made under many seeds. Among games in which all observations and rewards were alike so far,
    the check guesses what is seen next: from what has been seen alone, and from each thing besides that is told in
    infos, state(), pictures, str(), public attributes, the spaces, the texts of errors, and the signs and last
    digits of observations. The guess is learnt in one half of the games and judged in the other.
    """
    chance = False
    for skin in steady_skins(subject):
        modes = _modes(subject)
        games = _games(subject, skin, modes)
        chance = chance or _unlike(games) > 1
        for turn in range(TURNS):
            if found := _foretold([game for game in games if len(game) > turn + 1], turn):
                raise Failed(f"{skin.kind}: after {turn} joint actions {found}")
    if not chance:
        raise NotApplicable("no chance: by the same choices all seeds led to the same observations")


Told = dict[str, Any]
Game = list[tuple[Told, str]]


def _games(subject: Subject, skin: Skin[Any], modes: list[str]) -> list[Game]:
    """Games by the same choices: for each turn what is told, and what all agents see."""
    games: list[Game] = []
    for number in subject.time(SHARE):
        mode = modes[number % len(modes)] if modes else None
        games.append(_game(skin, 1000 * subject.seed + number, mode))
        if (number >= LEAST_GAMES and _unlike(games) == 1) or number >= MOST_GAMES:
            break
    return games


def _unlike(games: list[Game]) -> int:
    """How many games differ in what was seen."""
    return len({tuple(seen for _, seen in game) for game in games})


def _game(skin: Skin[Any], seed: int, mode: str | None) -> Game:
    play = (skin.new() if mode is None else skin.new(render_mode=mode)).reset(seed)
    turns: Game = []
    while len(turns) < TURNS + 1:
        turns.append((_told(play, mode), _seen(play)))
        if not play.masks():  # nobody is left
            break
        _take_turn(play)
    turn = seed // 2 % 2
    if turn < len(turns):
        turns[turn][0]["the error of an odd action"] = _error(skin, seed, turn)
    return turns


def _error(skin: Skin[Any], seed: int, turn: int) -> str:
    """What is said to an action outside the space, in another game that is given up then."""
    play = skin.new().reset(seed)
    for _ in range(turn):
        _take_turn(play)
    choice = play.choice() if play.asked() else None
    return refusal(play, dict.fromkeys(choice, 10**6) if isinstance(choice, dict) else 10**6)


def _take_turn(play: Play) -> None:
    """One joint action, after those that are out have gone."""
    while not play.over and not play.asked():
        play.step(log=False)
    for _ in range(len(play.masks()) if play.kind == "AEC" else 1):
        if play.asked():
            play.step(log=False)


def _seen(play: Play) -> str:
    """What all agents see, without small print, as a key."""
    parts = [str(sorted(map(str, play.env.agents)))]
    for agent, observation in play.shown():
        space = play.env.observation_space(agent)
        parts.append(f"{agent}: {_coarse(space, observation)}")
    return " ".join([*parts, str({str(agent): round(float(r), 6) + 0.0 for agent, r in play.part("rewards").items()})])


def _coarse(space: Any, data: Any) -> str:
    if isinstance(space, gymnasium.spaces.Dict) and isinstance(data, Mapping):
        return str({key: _coarse(part, data[key]) for key, part in space.spaces.items() if key in data})
    if isinstance(space, gymnasium.spaces.Box) and np.issubdtype(space.dtype, np.floating):
        array = np.asarray(data, np.float64)
        width = np.asarray(space.high, np.float64) - np.asarray(space.low, np.float64)
        step = np.where(np.isfinite(width) & (width > 0), width * SMALL_PRINT, 1e-6)
        return str((np.round(array / step) + 0.0).tolist())
    return repr(data)


def _told(play: Play, mode: str | None) -> Told:
    """Place -> what is told there, of all that stands open."""
    env = play.env
    told: Told = {f"info of {agent}": copy.deepcopy(info) for agent, info in play.infos().items()}
    for agent, observation in play.shown():
        told[f"small print of the observation of {agent}"] = copy.deepcopy(observation)
    agents = getattr(env, "possible_agents", env.agents)
    told["generators of the action spaces"] = [
        state_of(getattr(env.action_space(agent), "_np_random", None)) for agent in agents
    ]
    told |= {"state()": state_shown(env), "attributes": _without_spaces(env)} | words_of(env)
    if mode is not None:
        picture, printed = drawn(env)
        told[f"render() in mode {mode}"] = printed if picture is None else picture
    return told


def _without_spaces(env: Any) -> dict[str, Any]:
    hidden = ("observation_spaces", "action_spaces", "state_space", "metadata", "possible_agents")
    return {name: value for name, value in attributes(env).items() if name not in hidden}


def _each_leaf(path: str, data: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(data, Mapping):
        if "state" in data and "bit_generator" in data:  # of a generator: one thing
            yield path, repr(data)
            return
        yield f"the order of keys in {path}", repr(list(data))
        for key, value in list(data.items())[:MOST_LEAVES]:
            yield from _each_leaf(f"{path}.{key}", value)
    elif isinstance(data, np.ndarray):
        yield path, data.tobytes()
        if 1 < data.size <= MOST_LEAVES:
            yield from ((f"{path}[{i}]", number.tobytes()) for i, number in enumerate(data.ravel()))
    elif isinstance(data, list | tuple):
        yield path, repr(data)
        for i, value in enumerate(data[:MOST_LEAVES]):
            yield from _each_leaf(f"{path}[{i}]", value)
    else:
        yield path, repr(data)
        if isinstance(data, str):
            yield from ((f"{path} word {i}", word) for i, word in enumerate(WORD.findall(data)[:MOST_LEAVES]))


def _foretold(games: list[Game], turn: int) -> str | None:
    """The first place that foretells something of the next turn or the last, in words."""
    groups: dict[str, list[Game]] = defaultdict(list)
    for game in games:
        groups["|".join(seen for _, seen in game[: turn + 1])].append(game)
    unlike = [group for group in groups.values() if len(group) >= 4 and _varies(group, turn)]
    leaves = [(group, _leaves_that_vary(group, turn)) for group in unlike]
    for name in sorted({name for _, told in leaves for name in told}):
        for ahead, when in ((turn + 1, "comes next"), (-1, "comes later")):
            right, wrong = _guesses(leaves, name, ahead)
            if right + wrong >= LEAST_CASES and right - wrong > STANDARD_ERRORS * (right + wrong) ** 0.5:
                return f"what {when} can be told from {name}, though all agents have seen the same"
    return None


def _varies(group: list[Game], turn: int) -> bool:
    return len({tuple(seen for _, seen in game[turn + 1 :]) for game in group}) > 1


def _leaves_that_vary(group: list[Game], turn: int) -> dict[str, list[Any]]:
    """Name of a leaf -> its value in each game, where values differ, and some of them come more than once."""
    found: dict[str, list[Any]] = {}
    for place in {name for game in group for name in game[turn][0]}:
        raw = [game[turn][0].get(place) for game in group]
        if len(set(map(repr, raw))) < 2 and not any(isinstance(data, np.ndarray) for data in raw):
            continue
        leaves = [dict(_each_leaf(place, data)) if data is not None else {} for data in raw]
        for name in {name for leaf in leaves for name in leaf}:
            values = [leaf.get(name) for leaf in leaves]
            known = [value for value in values if value is not None]
            if 1 < len(set(known)) <= max(2, 2 * len(known) // 3):
                found[name] = values
    return found


def _guesses(leaves: list[tuple[list[Game], dict[str, list[Any]]]], name: str, ahead: int) -> tuple[int, int]:
    """How often a guess from the leaf is right where one without it is wrong, and the other way round."""
    right = wrong = 0
    for group, told in leaves:
        pairs = [
            (value, game[ahead][1]) for value, game in zip(told.get(name, ()), group, strict=False) if value is not None
        ]
        for half in (0, 1):
            learnt, judged = pairs[half::2], pairs[1 - half :: 2]
            plain = Counter(seen for _, seen in learnt)
            by: dict[Any, Counter[str]] = defaultdict(Counter)
            for value, seen in learnt:
                by[value][seen] += 1
            for value, seen in judged:
                if value in by:
                    informed = by[value].most_common(1)[0][0] == seen
                    blind = plain.most_common(1)[0][0] == seen
                    right += informed and not blind
                    wrong += blind and not informed
    return right, wrong
