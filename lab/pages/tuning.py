"""The tuning of the learners: a few configurations of each, tried on small games with the same CPU seconds.

Its rule: the standings have the configuration with the lowest exploitability as a share of uniform play's, averaged
over the games.
"""

from __future__ import annotations

import csv
import re
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from statistics import mean
from typing import NamedTuple

from baselines.system.files import csv_bytes, write_atomically
from train.reports.groups import read_run
from train.standings.entries import folder_name
from train.studies.study_file import StudyRun, read_study
from train.text.game_names import game_in_words

STUDY = Path("studies/standings_tuning.toml")
FILE = Path("standings/tuning.csv")


class Tried(NamedTuple):
    """A configuration that was tried on a game; exploitability is in payoff points."""

    configuration: str
    game: str
    exploitability: float
    uniform_exploitability: float


def read_tuning(path: Path = FILE) -> list[Tried]:
    """Returns the rows of the tuning; there are none before it is run."""
    if not path.exists():
        return []
    with path.open(newline="", encoding="utf-8") as file:
        return [Tried(row[0], row[1], float(row[2]), float(row[3])) for row in list(csv.reader(file))[1:]]


def shares(tried: Sequence[Tried]) -> dict[str, float]:
    """Returns each configuration's mean share of uniform play's exploitability, over the games."""
    found = defaultdict(list)
    for each in tried:
        found[each.configuration].append(each.exploitability / each.uniform_exploitability)
    return {configuration: mean(each) for configuration, each in found.items()}


def chosen(tried: Sequence[Tried]) -> list[str]:
    """Returns the configuration of each learner with the lowest mean share; the first of equal ones."""
    mean_of = shares(tried)
    learners = dict.fromkeys(each.configuration.split()[0] for each in tried)
    return [min((each for each in mean_of if each.split()[0] == name), key=mean_of.__getitem__) for name in learners]


def configuration_of(run: StudyRun) -> str:
    """Returns the algorithm and its arguments, as the study names them."""
    words = run.name.removeprefix(f"{folder_name(game_in_words(run.game))}-").removesuffix(f"-seed={run.seed}")
    return re.sub(r"-(?=\w+=)", " ", words)


def keep_tuning(folder: Path, study: Path = STUDY, path: Path = FILE) -> None:
    """Writes what the runs of the tuning measured; raises ValueError if one is not finished."""
    rows = []
    for planned in read_study(study).runs:
        run = read_run(folder / planned.name)
        if not run.finished:
            raise ValueError(f"{run.folder} is not finished")
        uniform = run.config["reference"]["uniform_exploitability"]
        rows.append(Tried(configuration_of(planned), run.config["title"], run.rows[-1]["exploitability"], uniform))
    write_atomically(path, csv_bytes([Tried._fields, *rows]))
