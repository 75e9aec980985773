"""Generates the shortest commands that repeat runs."""

from __future__ import annotations

import dataclasses
import shlex
from collections.abc import Mapping
from typing import Any

from train.algorithms.registry import ALGORITHMS, often_enough
from train.learner.contract import WITH_MANY_ACTIONS
from train.reports.groups import Run
from train.runs.identity import train_words
from train.text.game_names import stored_game


def command_of(run: Run) -> str:
    """Returns the command that repeats a run, without options at their defaults; for a log, returns a comment."""
    config = run.config
    if run.is_log:
        return f"# {config['label']}, seed {run.seed}: recorded in {run.folder} by ExploitabilityLog"
    usual = _defaults(config)
    given = {name: value for name, value in config["args"].items() if name not in usual or usual[name] != value}
    words = train_words(config["title"], {**config, "args": given}, run.folder)
    return shlex.join(["cardwar", *(word for word in words if word != "--seed=0")])


def _defaults(config: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the defaults of a run's options; if the game is not in the suite, without those that depend on it."""
    game = stored_game(config["title"])
    try:
        entry = ALGORITHMS[config["algorithm"]]
        fields = dataclasses.fields(entry.args_type())
    except (ImportError, KeyError):  # the extra `train` is missing, or the run is from another version
        return {}
    known = [field.name for field in fields if game is not None or field.metadata.get(WITH_MANY_ACTIONS) is None]
    usual = {name: default for name, default in entry.defaults(game).items() if name in known}
    return {**usual, "evaluate_every": often_enough(usual["evaluate_every"], config["args"]["steps"])}
