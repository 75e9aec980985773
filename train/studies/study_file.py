"""The file of a study: which runs it asks for.

    title = "..."                            # over the report
    seeds = [0, 1, 2]                        # of every group that names none; [0] if this is left out

    [defaults.ppo]                           # arguments of an algorithm wherever it runs
    steps = 500_000

    [presets.ppo_short]                      # an algorithm with arguments of its own
    algorithm = "ppo"
    label = "PPO for a short time"           # in the report; the preset's name if this is left out
    steps = 10_000

    [[runs]]                                 # a group: every game with every algorithm and every seed
    games = ["jujitsu num_cards=4", "dice_poker"]
    algorithms = ["ppo", "ppo entropy=0", "ppo_short"]
    seeds = [0]
    args = { evaluate_every = 10_000 }       # for all algorithms of the group
    page = "entropy"                         # entropy.html has these runs; report.html if this is left out

Games and algorithms are written as on the command line of `cardwar train`. Of an argument that is given
several times the nearest counts: beside the algorithm, then the group's, then the preset's, then the
defaults. A run that several groups ask for is one run.
"""

from __future__ import annotations

import dataclasses
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from cardwar_envs import Game
from train.algorithms.contract import CommonArgs
from train.algorithms.registry import ALGORITHMS, algorithm_named
from train.words import fields_from, game_in_words, game_of_words, split_words

KEYS = ("title", "seeds", "defaults", "presets", "runs")
GROUP_KEYS = ("games", "algorithms", "seeds", "args", "page")
PAGE = "report"
MAX_SEED = 2**32 - 1

Words = dict[str, str]


class _Named(NamedTuple):
    """What a file calls an algorithm, by its own name or a preset: which it is, and what is given of its arguments."""

    algorithm: str
    label: str
    given: Words


@dataclass(frozen=True)
class StudyRun:
    """A run that a study asks for.

    Attributes:
        name: Of its folder.
        game: What is learned.
        algorithm: A key of `ALGORITHMS`.
        label: How it is written in pictures.
        args: Its arguments.
        given: Those of them that the study gives, as words.
        seed: Of everything random.
    """

    name: str
    game: Game[Any]
    algorithm: str
    label: str
    args: CommonArgs
    given: Words
    seed: int

    def words(self, folder: Path) -> list[str]:
        """What stands after `cardwar train` to make it in a folder."""
        options = [f"--{name.replace('_', '-')}={value}" for name, value in self.given.items()]
        words = [*game_in_words(self.game).split(), "--algorithm", self.algorithm, *options]
        return [*words, "--seed", str(self.seed), "--out", str(folder)]

    @property
    def identity(self) -> dict[str, Any]:
        """What `RunFolder.check_same` goes by."""
        from train.words import json_parameters  # needs torch

        return {
            "game": self.game.facts.name,
            "parameters": json_parameters(self.game),
            "algorithm": self.algorithm,
            "args": dataclasses.asdict(self.args),
            "seed": self.seed,
        }


@dataclass(frozen=True)
class Study:
    """What a file asks for.

    Attributes:
        title: In words.
        runs: In the order of the file, each once.
        pages: Name of each page of the report -> its runs.
    """

    title: str
    runs: tuple[StudyRun, ...]
    pages: dict[str, tuple[StudyRun, ...]]


def read_study(path: str | Path) -> Study:
    """Reads the file of a study and checks all of it.

    Raises:
        ValueError: Naming the place, if the file is not as the head of this module says, a game, an algorithm,
            a parameter or an argument is unknown or has a value that is not allowed, or two runs that are not
            the same would have one name.
        OSError: If it cannot be read.
    """
    with _at(str(path)):
        with open(path, "rb") as file:
            try:
                content = tomllib.load(file)
            except RecursionError:
                raise ValueError("it is nested too deeply") from None
        _known(content, KEYS)
        title = content.get("title", Path(path).stem)
        if not isinstance(title, str):
            raise ValueError(f"title ({title!r}) must be a text")
        named = _named(_table(content.get("defaults", {}), "defaults"), _table(content.get("presets", {}), "presets"))
        with _at("seeds"):
            seeds = _seeds(content.get("seeds", [0]))
        groups = content.get("runs")
        if not isinstance(groups, list) or not groups:
            raise ValueError("there must be at least one [[runs]]")
        runs: dict[Any, StudyRun] = {}
        pages: dict[str, dict[str, StudyRun]] = {}
        for number, group in enumerate(groups, 1):
            with _at(f"[[runs]] number {number}"):
                page = pages.setdefault(_page(_table(group, "runs")), {})
                for run in _runs_of(group, named, seeds):
                    kept = runs.setdefault((run.game, run.algorithm, run.args, run.seed), run)
                    page[kept.name] = kept
        _check_names(list(runs.values()))
    return Study(title, tuple(runs.values()), {name: tuple(page.values()) for name, page in pages.items()})


def _named(defaults: Mapping[str, Any], presets: Mapping[str, Any]) -> dict[str, _Named]:
    """Every algorithm with its defaults, and every preset."""
    named = {name: _Named(name, entry.label, {}) for name, entry in ALGORITHMS.items()}
    for name, table in defaults.items():
        with _at(f"[defaults.{name}]"):
            given = _words(table)
            _args(name, given)
            named[name] = _Named(name, named[name].label, given)
    for name, table in presets.items():
        with _at(f"[presets.{name}]"):
            if name in ALGORITHMS:
                raise ValueError("an algorithm has this name")
            given = _words(table)
            algorithm, label = algorithm_named(given.pop("algorithm", "")).name, given.pop("label", name)
            named[name] = _Named(algorithm, label, {**named[algorithm].given, **given})
            _args(algorithm, named[name].given)
    return named


def _page(group: Mapping[str, Any]) -> str:
    page = group.get("page", PAGE)
    if not isinstance(page, str) or not re.fullmatch(r"[\w-]+", page):
        raise ValueError(f"page ({page!r}) must be a name of letters, digits, - and _")
    return page


def _runs_of(group: Mapping[str, Any], named: Mapping[str, _Named], seeds: Sequence[int]) -> Iterator[StudyRun]:
    _known(group, GROUP_KEYS)
    with _at("seeds"):
        seeds = _seeds(group.get("seeds", seeds))
    with _at("args"):
        common = _words(group.get("args", {}))
    with _at("games"):
        games = [_game(text) for text in _texts(group.get("games"))]
    with _at("algorithms"):
        algorithms = [(text, _algorithm(text, named, common)) for text in _texts(group.get("algorithms"))]
    for game in games:
        for text, (algorithm, label, given) in algorithms:
            for seed in seeds:
                folder = _folder_name(f"{game_in_words(game)} {text} seed={seed}")
                yield StudyRun(folder, game, algorithm, label, _args(algorithm, given), given, seed)


def _game(text: str) -> Game[Any]:
    name, *words = text.split()
    return game_of_words(name, words)


def _algorithm(text: str, named: Mapping[str, _Named], common: Words) -> _Named:
    own, options, names = split_words(text.split())
    if options or len(names) != 1:
        raise ValueError(f"{text!r} must read NAME KEY=VALUE ..., an algorithm or preset and arguments of it")
    if names[0] not in named:
        raise ValueError(f"unknown algorithm {names[0]!r}; known are {', '.join(named)}")
    algorithm, label, given = named[names[0]]
    chosen = _Named(algorithm, label, {**given, **common, **own})
    _args(algorithm, chosen.given)
    return chosen


def _args(name: str, words: Words) -> CommonArgs:
    entry = algorithm_named(name)
    return entry.args(**fields_from(entry.args_type(), words, name))


def _folder_name(text: str) -> str:
    return re.sub(r"[^\w.,=+-]", "_", "-".join(text.split()))


def _check_names(runs: Sequence[StudyRun]) -> None:
    names = [run.name for run in runs]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(
                f"two runs that are not the same would be called {name}: "
                "write what they differ in beside the algorithm, as in 'ppo entropy=0'"
            )


def _seeds(seeds: Any) -> list[int]:
    if not isinstance(seeds, list) or not seeds:
        raise ValueError(f"{seeds!r} must be a list of at least one seed")
    for seed in seeds:
        if isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed <= MAX_SEED:
            raise ValueError(f"{seed!r} must be an integer in 0..{MAX_SEED}")
    return seeds


def _texts(texts: Any) -> list[str]:
    if not isinstance(texts, list) or not texts or not all(isinstance(text, str) and text.split() for text in texts):
        raise ValueError(f"{texts!r} must be a list of at least one text")
    return texts


def _words(table: Any) -> Words:
    """The arguments of a table as they would stand on the command line."""
    return {name: _word(value) for name, value in _table(table, "arguments").items()}


def _word(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (int, float, str)):
        return str(value)
    raise ValueError(f"{value!r} must be a number, a text, true or false")


def _table(content: Any, what: str) -> dict[str, Any]:
    if not isinstance(content, dict):
        raise ValueError(f"{what} ({content!r}) must be a table")
    return content


def _known(table: Mapping[str, Any], keys: Sequence[str]) -> None:
    for key in table:
        if key not in keys:
            raise ValueError(f"unknown key {key!r}; known are {', '.join(keys)}")


@contextmanager
def _at(place: str) -> Iterator[None]:
    """Puts the place before what is wrong there."""
    try:
        yield
    except ValueError as error:
        raise ValueError(f"{place}: {error}") from None
