"""Resolves what a run of `cardwar train` is to do: its game, algorithm, arguments, seed and folder."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NamedTuple

from cardwar_envs.core.game import Game
from cardwar_envs.games.by_name import GAMES
from train.algorithms.registry import ALGORITHMS, DEFAULTS, Algorithm, algorithm_named, default_algorithm, often_enough
from train.learner.contract import CommonArgs
from train.storage.run_folder import CONFIG_FILE, RunFolder
from train.text.game_names import game_from, game_in_words, json_parameters, stored_game, title_words
from train.text.parsing import MODULE_AND_CLASS, fields_from, only_parameters

# Options of the command, which are parsed as options of the algorithm if they are misspelt.
COMMAND_OPTIONS = ("algorithm", "out", "seed", "resume", "list_options", "json")


@dataclass(frozen=True)
class Request:
    """What the command line says; None, or a missing key, is what it does not say.

    Attributes:
        game: Name of the game; with `resume`, it may be the folder of a run instead.
        parameters: Parameters of the game as text.
        options: Options of the algorithm as text.
        algorithm: A key of `ALGORITHMS`, or `module:Class`, a learner of the user's.
        seed: Random seed.
        folder: Run folder.
        resume: Whether to resume the run in the folder, which then supplies everything that is not given.
    """

    game: str | None = None
    parameters: Mapping[str, str] = field(default_factory=dict)
    options: Mapping[str, str] = field(default_factory=dict)
    algorithm: str | None = None
    seed: int | None = None
    folder: Path | None = None
    resume: bool = False


class Subject(NamedTuple):
    """The game and the algorithm of a request, its folder, and the configuration of the run to resume or {}."""

    game: Game[Any]
    algorithm: Algorithm
    folder: Path | None
    held: Mapping[str, Any]


@dataclass(frozen=True)
class Configuration:
    """A run, completely specified; `notes` are sentences about defaults and batches that the user may not expect."""

    game: Game[Any]
    algorithm: Algorithm
    args: CommonArgs
    seed: int
    folder: Path
    resume: bool
    notes: tuple[str, ...]


def resolve(request: Request) -> Configuration:
    """Completes a request from the run to resume, else from defaults; computes and writes nothing.

    Raises:
        ValueError: If a name or a value is invalid, the algorithm does not support the game, or there is no such run
            to resume.
    """
    game, algorithm, folder, held = resolve_subject(request)
    seed = held["seed"] if held and request.seed is None else request.seed or 0
    if folder is None:
        given = "".join(f"-{key}={text}" for key, text in request.parameters.items())
        folder = Path("runs") / f"{game.facts.name}{given}-{algorithm.name.replace(':', '.')}-seed={seed}"
        held = _stored(folder, request.algorithm) if request.resume else {}
    kept = held["args"] if held and held["algorithm"] == algorithm.name else {}
    args = _arguments(algorithm, request.options, game, kept)
    notes = (_other_defaults(algorithm, game, {**kept, **request.options}), _large_batches(algorithm, game, args))
    return Configuration(game, algorithm, args, seed, folder, request.resume, tuple(filter(None, notes)))


def resolve_subject(request: Request) -> Subject:
    """The first half of `resolve`, which needs no valid arguments of the algorithm; raises ValueError as well."""
    name, folder, held = _run_to_resume(request) if request.resume else (request.game, request.folder, {})
    if name is None:
        raise ValueError("name a game, as in cardwar train jujitsu")
    title, *words = title_words(held["title"]) if held else [""]
    game = game_from(name, {**(only_parameters(words) if title == name else {}), **request.parameters})
    if held and (game.facts.name, json_parameters(game)) != (held["game"], held["parameters"]):
        raise ValueError(f"{folder} contains a run of {held['title']}, not of {game_in_words(game)}")
    algorithm = request.algorithm or held.get("algorithm")
    return Subject(game, algorithm_named(algorithm) if algorithm else _default(game, request.options), folder, held)


def _run_to_resume(request: Request) -> tuple[str | None, Path | None, Mapping[str, Any]]:
    """Returns the game's name, the run folder, and the run's configuration."""
    name, folder = request.game, request.folder
    if folder is None and name is None:
        raise ValueError("name the folder of the run to resume, as in cardwar train runs/NAME --resume")
    if (
        folder is None
        and name is not None
        and name not in GAMES
        and (os.sep in name or _stored(Path(name), request.algorithm))
    ):
        folder, name = Path(name), None
    held = {} if folder is None else _stored(folder, request.algorithm)
    if name is not None:
        return name, folder, held
    if not held:
        raise ValueError(f"{folder} contains no run to resume")
    if stored_game(held["title"]) is None:  # names in files are not imported
        raise ValueError(
            f"{folder} contains a run of {held['title']}, which is not in the suite; name this game as well"
        )
    return title_words(held["title"])[0], folder, held


def _stored(folder: Path, typed: str | None) -> dict[str, Any]:
    """The configuration of the run in a folder; empty if there is no run of an algorithm in it.

    Raises ValueError if it is a run of a user's learner that is not `typed`: names in files are not imported.
    """
    config = RunFolder(folder).config() if (folder / CONFIG_FILE).exists() else {}
    name = config.get("algorithm", "")
    if MODULE_AND_CLASS.fullmatch(name) and name != typed:
        raise ValueError(
            f"{folder} contains a run of {name}, which is not in the suite; give --algorithm {name} as well"
        )
    return config if name in (*ALGORITHMS, typed) else {}


def _default(game: Game[Any], options: Mapping[str, str]) -> Algorithm:
    """The default algorithm; first refuses options that no default algorithm accepts, as choosing takes a second."""
    refused = set()
    for name in DEFAULTS:
        try:
            _arguments(ALGORITHMS[name], options, game, {})
            refused.add("")
        except ValueError as error:
            refused.add(str(error))
    if len(refused) == 1 and refused != {""}:
        raise ValueError(refused.pop())
    return default_algorithm(game)


def _arguments(
    algorithm: Algorithm, options: Mapping[str, str], game: Game[Any], kept: Mapping[str, Any]
) -> CommonArgs:
    """Arguments from the options, else from those `kept` by the run to resume, else defaults."""
    kind = algorithm.args_type()
    known = [argument.name for argument in dataclasses.fields(kind)]
    for name in options:
        near = [own for own in COMMAND_OPTIONS if own.startswith(name)]
        near = near or get_close_matches(name, [*known, *COMMAND_OPTIONS], 1, 0.7)
        if name not in known and near and near[0] in COMMAND_OPTIONS:
            raise ValueError(f"no such option: {as_option(name)} (did you mean {as_option(near[0])}?)")
    args = algorithm.args(game, **{**kept, **fields_from(kind, options, algorithm.name)})
    algorithm.require(game)
    if kept or "evaluate_every" in options:
        return args
    return dataclasses.replace(args, evaluate_every=often_enough(args.evaluate_every, args.steps))


def _other_defaults(algorithm: Algorithm, game: Game[Any], given: Mapping[str, Any]) -> str:
    """Names the defaults that differ from the usual ones for this game."""
    usual, own = algorithm.defaults(), algorithm.defaults(game)
    others = [f"{as_option(name)} {own[name]}" for name in own if own[name] != usual[name] and name not in given]
    return f"This game has many actions; defaults used: {' '.join(others)}" if others else ""


def _large_batches(algorithm: Algorithm, game: Game[Any], args: CommonArgs) -> str:
    """Says that the run may take many more steps than requested, if a batch is that large."""
    batch = args.batch(game.facts)
    if batch <= max(1, args.steps / 10):
        return ""
    return (
        f"{algorithm.label} trains in batches of up to {batch:,} steps, and stops or is evaluated only after a "
        f"complete batch; so it may take more than {args.steps:,} steps."
    )


def as_option(argument: str) -> str:
    """The spelling of an argument on the command line, e.g. `--evaluate-every`."""
    return f"--{argument.replace('_', '-')}"
