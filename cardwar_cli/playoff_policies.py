"""Finds the policies given on the command line: names, files, runs, and folders of runs."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from cardwar_cli.console import say_aside
from cardwar_envs import Game, Policy
from cardwar_envs.core.policy_names import names_a_policy, needs_others
from train.policies.by_word import policy_from
from train.policies.learned_policy import labelled
from train.reports.groups import run_folders, run_names, unmeasured
from train.storage.run_folder import CONFIG_FILE, RunFolder
from train.text.game_names import game_in_words, json_parameters
from train.text.printing import printable


def policies_of_words(words: Sequence[str], game: Game[Any]) -> dict[str, Policy]:
    """Maps names to policies; runs are named after their differences, files by their base name if that is unique."""
    for place, word in enumerate(words):
        if word in words[:place]:
            raise ValueError(f"{word} is given twice")
        if needs_others(word):
            raise ValueError(f"{word} needs to know its opponent, so it cannot take part in play-offs")
    given = list(dict.fromkeys(each for word in words for each in _runs_or_word(word, game)))
    runs = [word for word in given if not names_a_policy(word) and os.path.lexists(Path(word) / CONFIG_FILE)]
    names = dict(zip(runs, run_names([unmeasured(run) for run in runs]), strict=True)) if runs else {}
    short = [names.get(word) or (Path(word).name if os.path.exists(word) else word) for word in given]
    policies: dict[str, Policy] = {}
    for word, name in zip(given, short, strict=True):
        taken = short.count(name) > 1 or (names_a_policy(name) and name != word)
        policy = policy_from(word, game)
        policies[printable(labelled(word if taken else name, policy))] = policy
    return policies


def _runs_or_word(word: str, game: Game[Any]) -> list[str]:
    """The runs on this game in a folder of runs, if `word` is such a folder; else `word` itself."""
    folder = Path(word)
    if names_a_policy(word) or not folder.is_dir() or os.path.lexists(folder / CONFIG_FILE):
        return [word]
    from train.policies.files import POLICY_FILE  # needs torch, which named policies do not need

    if os.path.lexists(folder / POLICY_FILE):
        return [word]
    found = []
    for path in run_folders(folder):
        config = RunFolder(path).config()
        if (config["game"], config["parameters"]) != (game.facts.name, json_parameters(game)):
            say_aside(f"Left out: {path}, a run on {config['title']}")
        elif not os.path.lexists(path / POLICY_FILE):
            say_aside(f"Left out: {path}, which has no policy yet")
        else:
            found.append(str(path))
    if not found:
        raise ValueError(f"{word} contains no policy for {game_in_words(game)}")
    return found
