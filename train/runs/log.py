"""A log for your own learner: measures its policies, and writes a run folder like those of this package's learners.

`cardwar report`, `cardwar playoffs` and `plot_runs` read this folder like any other.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

from cardwar_envs.core.game import Game, require_game
from cardwar_envs.core.parameters import whole_number
from cardwar_envs.core.policy import Policy
from cardwar_envs.core.policy_names import as_policy
from cardwar_envs.core.process import Stopwatch
from train.learner.contract import WAYS, CommonArgs
from train.measures.choice import measure_for
from train.measures.measure import Measure, described, resume_measure
from train.policies.by_word import policy_from
from train.policies.files import POLICY_FILE, POLICY_KINDS, save_policy
from train.policies.learned_policy import LearnedPolicy
from train.policies.table import Recorder
from train.runs.identity import run_identity
from train.runs.sinks import Sink
from train.storage.alone import alone_in
from train.storage.formats import MAX_SEED, OWN
from train.storage.run_folder import CONFIG_FILE, MetricsRow, RunFolder, require_storable
from train.text.game_names import game_in_words
from train.text.validation import MAX_INT


class ExploitabilityLog:
    """Measures the policies of your learner, and stores the figures in a run folder.

    An existing log in the folder is continued, so a killed script can be restarted. After each `record` the folder is
    complete. The newest policy is also stored, as a table for play-offs, if an exact measurement takes at most 200,000
    queries.

    Attributes:
        folder: The folder.
        measured: The kind of figures: "exact", "lower bound" or "matches".
        rows: One dict per call of `record`, in order.
    """

    def __init__(
        self,
        game: Game[Any],
        folder: str | Path,
        *,
        label: str,
        seed: int = 0,
        step: str = "training steps",
        measure: str = "exact",
        against: str = "uniform",
        sinks: Sequence[Sink] = (),
    ) -> None:
        """Creates a log in a new folder, or opens an existing log.

        Args:
            game: The game that the learner plays.
            folder: A new or empty folder, or the folder of the same log.
            label: Name of the learner in reports; they group logs that have the same label and different seeds.
            seed: Seed for the learner, 0 to 2**32 - 1; it is also the seed of sampled measurements.
            step: The unit of steps, for axes and tables.
            measure: "exact"; "cce_gap", of the average of all policies recorded; or, where that is infeasible,
                "matches" (1,000 games, with 99 % intervals) or "bound" (trains an exploiter from scratch for each row,
                which takes long).
            against: The opponents in matches, separated by commas.
            sinks: Functions that are called with every row after it is written, e.g. `wandb_sink(run)`.

        Raises:
            ValueError: If the folder contains anything but this log, the game cannot be measured exactly, or an
                argument is invalid.
        """
        require_game(game)
        seed = whole_number("seed", seed, range(MAX_SEED + 1))
        if not isinstance(label, str) or not label.strip():
            raise ValueError(f"label ({label!r}) must be a name, e.g. 'my learner'")
        self._game, self._seed, self._sinks = game, seed, tuple(sinks)
        args = {"steps": 1, "evaluate_every": 1, "label": label, "measure": measure, "against": against}
        identity = run_identity(game, OWN, args, seed)
        require_storable(identity)
        self._measure = _measure(game, measure, against)
        config = identity | described(game, label, step, self._measure)
        self.folder, self.measured = Path(folder), self._measure.kind
        with alone_in(self.folder, make=True):
            held = (self.folder / CONFIG_FILE).exists()
            self._folder = (RunFolder.reopen if held else RunFolder.create)(self.folder, config)
            self.rows: list[MetricsRow] = self._folder.read_metrics()
        resume_measure(self._measure, self.rows)
        self._watch, self._measuring = Stopwatch(), 0.0  # CPU seconds of measuring
        self._before = self.rows[-1] if self.rows else {"seconds": 0.0, "cpu_seconds": 0.0}

    def __repr__(self) -> str:
        return f"<ExploitabilityLog of {game_in_words(self._game)} in {self.folder}: {len(self.rows)} rows>"

    @property
    def steps(self) -> int:
        """Steps of the last row; 0 if there are no rows."""
        return int(self.rows[-1]["steps"]) if self.rows else 0

    def record(self, steps: int, policy: Policy | str) -> MetricsRow:
        """Measures a policy that plays in all seats, and writes a row.

        Args:
            steps: Training steps so far: 0 before training, and more than in the previous row.
            policy: A `Policy`, the name of a policy, a run folder or a policy file.

        Returns:
            The row: `steps`; `seconds` since the log was created (excluding compilation); `cpu_seconds` of this process
            (excluding measuring as well); `measured`; and the figures in payoff points.

        Raises:
            ValueError: If the steps do not increase, the policy returns no valid probabilities, or another process
                writes into the folder. Nothing is written then.
        """
        steps = whole_number("steps", steps, range(MAX_INT + 1))
        if self.rows and steps <= self.steps:
            raise ValueError(
                f"steps ({steps}) must be more than {self.steps}, the steps of the last row of {self.folder}; "
                "rewind(steps) drops later rows, and another run needs another folder"
            )
        found = policy_from(policy, self._game) if isinstance(policy, str) else as_policy(policy, self._game)
        recorder = Recorder(found)
        # A policy that declares either is queried only at some observations, so its record would be incomplete.
        partly = getattr(found, "by_words", False) or getattr(found, "stationary", False)
        learning = self._watch.cpu_seconds
        figures = self._measure(found if partly or self.measured != "exact" else recorder, self._seed)
        spent = {
            "seconds": round(self._before["seconds"] + self._watch.seconds, 3),
            "cpu_seconds": round(self._before["cpu_seconds"] + learning - self._measuring, 3),
        }
        self._measuring += self._watch.cpu_seconds - learning
        row = {"steps": float(steps), **spent, "measured": self.measured, **figures}
        self._write([*self.rows, row], recorder)
        for sink in self._sinks:
            sink(row)
        return row

    def rewind(self, steps: int) -> None:
        """Drops the rows after a step, so that the learner can resume from an older checkpoint."""
        rows = [row for row in self.rows if row["steps"] <= steps]
        if not rows and self.rows:
            raise ValueError(f"steps ({steps}) must be at least {self.rows[0]['steps']:.0f}, the first row's steps")
        if len(rows) < len(self.rows):
            self._write(rows)
            resume_measure(self._measure, rows)

    def _write(self, rows: list[MetricsRow], recorder: Recorder | None = None) -> None:
        with alone_in(self.folder):
            if self._folder.read_metrics() != self.rows:
                raise ValueError(
                    f"the rows in {self.folder} differ from those of this log: another process writes there; "
                    "reopen the log to continue from its rows, or choose another folder"
                )
            if recorder is not None:
                self._keep(recorder)
            self._folder.write_metrics(rows)
        self.rows = rows

    def _keep(self, recorder: Recorder) -> None:
        """Saves the policy in the folder; if it cannot be saved, removes an older policy."""
        path = self.folder / POLICY_FILE
        policy = recorder.stands_for
        has_kind = type(policy) in POLICY_KINDS.values()
        kept = cast("LearnedPolicy", policy) if has_kind else recorder.table(self._game)
        if kept is None:
            path.unlink(missing_ok=True)
        else:
            save_policy(path, kept, self._folder.identity())


def _measure(game: Game[Any], way: str, against: str) -> Measure:
    if way not in WAYS or way == "auto":
        raise ValueError(f"measure ({way!r}) must be one of {', '.join(WAYS[1:])}")
    try:
        return measure_for(game, CommonArgs(measure=way, against=against))
    except ValueError as error:
        if way == "exact":
            raise ValueError(f'{error}; measure="matches" records matches against a policy instead') from None
        raise
