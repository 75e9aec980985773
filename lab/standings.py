"""Writes the standings from finished runs, and then the pages that show them.

    cardwar study studies/standings_tuning.toml --out runs/standings_tuning
    cardwar study studies/standings.toml --out runs/standings
    python -m lab.standings runs/standings --tuning runs/standings_tuning

An entry replaces that of the same name. Learners with a run that is not finished are left out, and named.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from cardwar_cli.console import say
from cardwar_cli.standings import STANDINGS, enter, made_in
from lab.pages.__main__ import main as write_pages
from lab.pages.tuning import configuration_of, keep_tuning
from train.runs.loop import reproducible
from train.studies.runner import State, StudyTask
from train.studies.study_file import read_study
from train.text.game_names import game_in_words

STUDY = Path("studies/standings.toml")


def keep_runs(folder: Path, study: Path = STUDY, root: Path = STANDINGS) -> None:
    """Enters each learner of the study in each game, if all its runs are finished."""
    learners = defaultdict(list)
    for run in read_study(study).runs:
        learners[run.game, configuration_of(run).replace(" ", "-")].append(StudyTask(run, folder))
    for (game, name), tasks in learners.items():
        missing = [task.run.name for task in tasks if task.state is not State.FINISHED]
        if missing:
            say(f"Left out: {name} on {game_in_words(game)}, {missing[0]} is not finished")
            continue
        made, stated = (
            [made_in(str(task.folder), game) for task in tasks],
            {"by": "cardwar-envs", "learner": tasks[0].run.label},
        )
        say(f"Entered {enter(root, name, game, made, replace=True, large=True, **stated).path}")


def main(words: Sequence[str] | None = None) -> None:
    """Writes entries, the tuning if it is given, and pages."""
    parser = argparse.ArgumentParser(prog="python -m lab.standings", description="Write the standings from runs.")
    parser.add_argument("runs", type=Path, help="output folder of studies/standings.toml")
    parser.add_argument("--tuning", type=Path, help="output folder of studies/standings_tuning.toml")
    given = parser.parse_args(words)
    if given.tuning:
        keep_tuning(given.tuning)
    with reproducible(0):
        keep_runs(given.runs)
    write_pages()


if __name__ == "__main__":
    main()
