"""Reads study files, which list the runs of a study.

    title = "..."                            # of the report; default: the file's name
    seeds = [0, 1, 2]                        # default of groups without seeds; [0] if omitted

    [defaults.ppo]                           # arguments of an algorithm in all runs
    steps = 500_000

    [presets.ppo_short]                      # an algorithm with its own arguments
    algorithm = "ppo"
    label = "PPO for a short time"           # in the report; default: the preset's name
    steps = 10_000

    [[runs]]                                 # a group: every game with every algorithm and every seed
    games = ["jujitsu num_cards=4", "dice_poker"]
    algorithms = ["ppo", "ppo entropy=0", "ppo_short"]
    seeds = [0]
    args = { evaluate_every = 10_000 }       # for all algorithms of the group
    page = "entropy"                         # page of these runs: entropy.html; default: report.html

Games and algorithms are written as on the command line of `cardwar train`. Arguments beside the algorithm take
precedence over the group's, then the preset's, then the defaults. A run that is in several groups is executed once.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from pydantic import BeforeValidator, Field, StringConstraints

from baselines.system.files import read_plain
from cardwar_envs import Game
from cardwar_envs.core.parameters import did_you_mean
from cardwar_envs.games.by_name import opens_files
from train.algorithms.registry import ALGORITHMS, algorithm_named
from train.learner.contract import CommonArgs
from train.runs.identity import run_identity, train_words
from train.storage.formats import Seed
from train.storage.run_folder import MOST_SETTINGS
from train.text.game_names import game_from_words, game_in_words
from train.text.parsing import MODULE_AND_CLASS, split_words
from train.text.validation import Strict, one_line


def _word(value: object) -> object:
    """Converts a number to the string that would be typed on the command line."""
    return str(value) if isinstance(value, (int, float)) else value


Words = dict[str, Annotated[str, BeforeValidator(_word)]]
Seeds = Annotated[list[Seed], Field(min_length=1)]
Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
Texts = Annotated[list[Text], Field(min_length=1)]


class _Group(Strict):
    """A table `[[runs]]` of the file."""

    games: Texts
    algorithms: Texts
    seeds: Seeds | None = None
    args: Words = Field({})
    page: Annotated[str, Field(pattern=r"^[\w-]+$")] = "report"


class _File(Strict):
    """The whole content of a file."""

    title: str | None = None
    seeds: Seeds = Field([0])
    defaults: dict[str, Words] = Field({})
    presets: dict[str, Words] = Field({})
    runs: Annotated[list[_Group], Field(min_length=1)]


class _Named(NamedTuple):
    """An algorithm or a preset, with the arguments that the file gives."""

    algorithm: str
    label: str
    given: Words


@dataclass(frozen=True)
class StudyRun:
    """A run of a study."""

    name: str  # name of the run's folder
    game: Game[Any]
    algorithm: str  # a key of `ALGORITHMS`, or `module:Class`
    label: str  # name of the algorithm in pictures
    args: CommonArgs
    seed: int

    def words(self, folder: Path) -> list[str]:
        """Returns the arguments of `cardwar` that execute this run, with output in `folder`."""
        return train_words(game_in_words(self.game), self.identity, folder)

    @property
    def identity(self) -> dict[str, Any]:
        """The identity of the run, for `RunFolder.check_same`."""
        return run_identity(self.game, self.algorithm, self.args, self.seed)


@dataclass(frozen=True)
class Study:
    """The content of a study file."""

    title: str  # title of the report
    runs: tuple[StudyRun, ...]  # in the order of the file, without duplicates
    pages: dict[str, tuple[StudyRun, ...]]  # name of a page of the report -> its runs


def read_study(path: str | Path) -> Study:
    """Reads and checks a study file.

    Raises:
        ValueError: If the file does not follow the format above; a game, an algorithm, a parameter or an argument is
            unknown or invalid; or two different runs would have the same name. The error names the location.
        OSError: If it cannot be read.
    """
    with _at(str(path)):
        file = _read(path)
        named = _named(file)
        runs: dict[Any, StudyRun] = {}
        pages: dict[str, dict[str, StudyRun]] = {}
        for number, group in enumerate(file.runs):
            page = pages.setdefault(group.page, {})
            for run in _runs_of(group, f"runs[{number}]", named, file.seeds):
                kept = runs.setdefault((run.game, run.algorithm, run.args, run.seed), run)
                page[kept.name] = kept
        _check_names(list(runs.values()))
    title = Path(path).stem if file.title is None else file.title
    return Study(title, tuple(runs.values()), {name: tuple(page.values()) for name, page in pages.items()})


def _read(path: str | Path) -> _File:
    text = read_plain(Path(path), most=MOST_SETTINGS).decode("utf-8-sig")
    try:
        content = tomllib.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    with one_line():
        return _File.model_validate(content)


def _named(file: _File) -> dict[str, _Named]:
    """Returns every algorithm with its defaults, and every preset."""
    named = {name: _Named(name, entry.label, {}) for name, entry in ALGORITHMS.items()}
    for name, given in file.defaults.items():
        with _at(f"[defaults.{name}]"):
            algorithm_named(name).args_from(given)
            named[name] = _found(name, named)._replace(given=given)
    for name, given in file.presets.items():
        with _at(f"[presets.{name}]"):
            if name in ALGORITHMS:
                raise ValueError("this is the name of an algorithm; choose another")
            own = {key: word for key, word in given.items() if key not in ("algorithm", "label")}
            entry = algorithm_named(given.get("algorithm", ""))
            named[name] = _Named(entry.name, given.get("label", name), {**_found(entry.name, named).given, **own})
            entry.args_from(named[name].given)
    return named


def _runs_of(group: _Group, place: str, named: Mapping[str, _Named], seeds: Sequence[int]) -> Iterator[StudyRun]:
    with _at(f"{place}.games"):
        for text in filter(opens_files, group.games):
            raise ValueError(f"{text!r} names a file, which would be opened: use such a game on the command line")
        games = [game_from_words(name, words) for name, *words in map(str.split, group.games)]
    with _at(f"{place}.algorithms"):
        chosen = [(text, _algorithm(text, named, group.args)) for text in group.algorithms]
        made = [
            (game, text, each, algorithm_named(each.algorithm).args_from(each.given, game))
            for game in games
            for text, each in chosen
        ]
    for game, text, each, args in made:
        for seed in group.seeds or seeds:
            words = f"{game_in_words(game)} {text} seed={seed}".split()
            folder = re.sub(r"[^\w.,=+-]", "_", "-".join(words))
            yield StudyRun(folder, game, each.algorithm, each.label, args, seed)


def _algorithm(text: str, named: Mapping[str, _Named], common: Words) -> _Named:
    own, options, names = split_words(text.split())
    if options or len(names) != 1:
        raise ValueError(f"{text!r} must read NAME KEY=VALUE ..., an algorithm or preset and arguments of it")
    algorithm, label, given = _found(names[0], named)
    return _Named(algorithm, label, {**given, **common, **own})


def _found(name: str, named: Mapping[str, _Named]) -> _Named:
    """Returns an entry of `named`, or one for a learner of the user's, whose module is imported."""
    if name in named:
        return named[name]
    if MODULE_AND_CLASS.fullmatch(name):
        return _Named(name, algorithm_named(name).label, {})
    raise ValueError(f"unknown algorithm {name!r}{did_you_mean(name, named)}; expected one of {', '.join(named)}")


def _check_names(runs: Sequence[StudyRun]) -> None:
    for name, count in Counter(run.name for run in runs).items():
        if count > 1:
            raise ValueError(
                f"two different runs would be called {name}: "
                "write their differences beside the algorithm, as in 'ppo entropy=0'"
            )


@contextmanager
def _at(place: str) -> Iterator[None]:
    """Prefixes the message of a ValueError with the location in the file."""
    try:
        yield
    except ValueError as error:
        raise ValueError(f"{place}: {error}") from None
