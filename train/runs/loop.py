"""Runs any algorithm: trains, measures, writes checkpoints, and resumes after an interruption."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from inspect import unwrap
from pathlib import Path
from typing import Any, TextIO

import numpy as np
import torch
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from torch.optim import Adam, Optimizer
from torch.utils.tensorboard import SummaryWriter

from baselines.system.files import refuse_links
from cardwar_envs.core.game import Game, require_game
from cardwar_envs.core.process import Stopwatch
from train.algorithms.registry import Algorithm, algorithm_named
from train.learner.checkpoint import with_prefix
from train.learner.contract import CommonArgs, Learner
from train.measures.choice import measure_for
from train.measures.measure import Measure, described, resume_measure
from train.policies.files import POLICY_FILE, save_policy, stored_kind
from train.policies.learned_policy import LearnedPolicy
from train.policies.networks import one_thread
from train.runs.budget import Budget
from train.runs.identity import run_identity
from train.runs.sinks import Sink, tagged
from train.storage.alone import alone_in
from train.storage.archive import Archive
from train.storage.formats import MAX_SEED, Figures, Kind, is_measured, share_used
from train.storage.run_folder import IDENTITY, MetricsRow, RunFolder, require_storable
from train.text.game_names import game_in_words

TENSORBOARD_FOLDER = "tensorboard"

OnRow = Callable[[MetricsRow], None]


@dataclass(frozen=True)
class RunResult:
    """The outcome of a run.

    Attributes:
        folder: The run folder.
        policy: The policy at the end of the run.
        measured: The kind of `figures`: "exact", "lower bound" or "matches".
        figures: Final figures by name, e.g. `exploitability`.
        reference: Reference figures by name, e.g. `uniform_exploitability`.
        steps: Training steps, in units of `Algorithm.step`.
        seconds: Wall-clock time with evaluations, without compilation, summed over all parts of a resumed run.
        cpu_seconds: CPU time of learning, without evaluations and compilation, likewise summed.
        verdict: The result as sentences.
    """

    folder: Path
    policy: LearnedPolicy
    measured: Kind
    figures: Figures
    reference: Figures
    steps: int
    seconds: float
    cpu_seconds: float
    verdict: str


def run(
    game: Game[Any],
    algorithm: str,
    args: CommonArgs,
    out: str | Path,
    seed: int = 0,
    resume: bool = False,
    echo: TextIO | None = None,
    sinks: Sequence[Sink] = (),
) -> RunResult:
    """Trains a policy and measures it.

    Args:
        game: Any game that the algorithm supports.
        algorithm: A key of `ALGORITHMS`, or `module:Class`, a learner of your own.
        args: An instance of the algorithm's `Args`.
        out: Run folder: new or empty; with `resume`, the folder of a run with the same game, algorithm, arguments and
            seed. If `args` has more steps than that run, the run is extended: it continues as if started with that many
            steps, except that its last evaluation so far keeps samples ten times as large.
        seed: Random seed, 0 to 2**32 - 1.
        resume: Whether to resume the run in `out`; if that run has all steps, its result is returned.
        echo: Stream for progress: live on a terminal, else one line per evaluation.
        sinks: Functions that are called with every new row after it is written, e.g. `wandb_sink(run)`.

    Raises:
        ValueError: If an argument is invalid, another run is active in `out`, or the run cannot be extended because a
            schedule depends on its steps; the folder is not changed then.
    """
    require_game(game)
    entry = algorithm_named(algorithm)
    if not isinstance(args, entry.args_type()):
        raise ValueError(f"args must be the arguments of {algorithm}, not {type(args).__name__}")
    if not 0 <= seed <= MAX_SEED:
        raise ValueError(f"seed ({seed}) must be in 0..{MAX_SEED}")
    identity = run_identity(game, entry.name, args, seed)
    require_storable(identity)
    with reproducible(seed), without_compiler(), ExitStack() as until_the_end:
        learner = entry.learner(game, args, seed)  # first, because this raises if the algorithm cannot learn the game
        if entry.is_own:
            stored_kind(learner.policy())  # raises if it could not be stored
        measure = measure_for(game, args)
        config = identity | described(game, entry.label, entry.step, measure)
        until_the_end.enter_context(alone_in(Path(out), make=not resume))
        folder = RunFolder.reopen(out, config) if resume else RunFolder.create(out, config)
        rows = _continue(folder, learner, config, measure, args.schedules())
        title = f"{entry.label} on {game_in_words(game)}"
        budget = Budget(args, rows[-1]["cpu_seconds"] if rows else 0.0)
        with _tensorboard(folder, rows) as record, _progress(echo, title, budget, measure) as report:
            for row, policy in _learn(learner, budget, measure, seed, rows[-1]["seconds"] if rows else 0.0):
                rows.append(row)
                _write_checkpoint(folder, learner, rows, config)
                _write_results(folder, policy, rows)
                for told in (record, *sinks, report):
                    told(row)
        return _finish(entry, learner, folder, rows[-1], measure)


@contextmanager
def reproducible(seed: int) -> Iterator[None]:
    """Seeds the global generators of torch and numpy during a run, and limits torch to one thread.

    Denormal numbers count as 0, because processors multiply with them fifty times more slowly.
    """
    torch.set_flush_denormal(True)
    try:
        with one_thread(), same_generators():
            torch.manual_seed(seed)
            np.random.seed(seed)
            yield
    finally:
        torch.set_flush_denormal(False)


@contextmanager
def same_generators() -> Iterator[None]:
    """Leaves the global generators of torch and numpy as they were."""
    before = torch.get_rng_state(), np.random.get_state()
    try:
        yield
    finally:
        torch.set_rng_state(before[0])
        np.random.set_state(before[1])


def _continue(
    folder: RunFolder, learner: Learner, config: Mapping[str, Any], measure: Measure, schedules: Mapping[str, float]
) -> list[MetricsRow]:
    """Restores the checkpoint, and extends the run if it is to take more steps; returns the rows so far."""
    checkpoint = folder.read_checkpoint(config)
    rows: list[MetricsRow] = [] if checkpoint is None else checkpoint.data["rows"]
    policy = None if checkpoint is None else _restore(checkpoint, folder, learner, measure)
    if folder.is_longer(config):
        folder.extend(config["args"]["steps"], schedules, rows[-1]["steps"] if rows else 0.0)
    if policy is not None:
        _write_results(folder, policy, rows)
    resume_measure(measure, rows)
    return rows


def _restore(checkpoint: Archive, folder: RunFolder, learner: Learner, measure: Measure) -> LearnedPolicy:
    """Restores a learner and the global generators; returns the learner's policy."""
    tensors, data = checkpoint
    try:
        kept = with_prefix(tensors, "learner.")
        learner.restore(kept, data["learner"])
        if unlike := sorted(kept.keys() ^ learner.state()[0].keys()):
            raise ValueError(f"either the checkpoint or this version lacks {unlike[0]}")
        measure.verdict("", data["rows"][-1])  # raises if a figure of the final report is missing
        policy = learner.policy()  # draws random weights, so it comes before the generators are restored
        torch.set_rng_state(tensors["generator"])
        np.random.set_state(data["generator"])
    except (AttributeError, IndexError, KeyError, RuntimeError, TypeError, ValueError) as error:
        # The checksum is correct, so the file is not damaged: another version wrote it.
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        raise ValueError(
            f"the checkpoint in {folder.path} was written by another version ({reason}); "
            "restart the run in another folder"
        ) from None
    return policy


def _write_results(folder: RunFolder, policy: LearnedPolicy, rows: list[MetricsRow]) -> None:
    """Writes the files derived from a checkpoint; the metrics come last, so a run with all its rows has its policy."""
    identity, last = folder.identity(), rows[-1]
    # A run that ends with its CPU seconds takes fewer steps than it may; without them, the policy counts as finished.
    ended = identity["args"]["cpu_seconds"] and share_used(identity["args"], last["steps"], last["cpu_seconds"]) >= 1.0
    save_policy(folder.path / POLICY_FILE, policy, identity, None if ended else int(last["steps"]))
    folder.write_metrics(rows)


def _write_checkpoint(folder: RunFolder, learner: Learner, rows: list[MetricsRow], config: Mapping[str, Any]) -> None:
    learned_tensors, learned = learner.state()
    tensors = {f"learner.{name}": tensor for name, tensor in learned_tensors.items()}
    tensors["generator"] = torch.get_rng_state()
    twister = np.random.get_state()
    assert isinstance(twister, tuple)  # a dict would need `legacy=False`
    generator, key, *rest = twister
    data = {
        "run": {name: config[name] for name in IDENTITY},
        "rows": rows,
        "learner": learned,
        "generator": [generator, key.tolist(), *rest],
    }
    folder.write_checkpoint(Archive(tensors, data))


def _learn(
    learner: Learner, budget: Budget, measure: Measure, seed: int, seconds: float
) -> Iterator[tuple[MetricsRow, LearnedPolicy]]:
    """Trains from one evaluation to the next and yields rows and policies; `seconds` were spent in earlier parts."""
    watch = Stopwatch()
    while budget.share(learner.steps) < 1.0:
        learned = budget.advance(learner)
        with same_generators():  # an evaluation does not change what is learned
            policy = learner.policy()
            figures = measure(policy, seed, final=budget.share(learner.steps) >= 1.0)
            learned |= getattr(learner, "figures", dict)()  # optional
        spent = {"seconds": round(seconds + watch.seconds, 3), "cpu_seconds": _rounded_up(budget.cpu_seconds)}
        yield {"steps": learner.steps, **spent, "measured": measure.kind, **figures, **learned}, policy


def _rounded_up(seconds: float) -> float:
    """Rounds to milliseconds, never to less than a budget that has been used."""
    return math.ceil(1000 * seconds) / 1000


@contextmanager
def _tensorboard(folder: RunFolder, rows: list[MetricsRow]) -> Iterator[OnRow]:
    """Writes rows as TensorBoard events; a resumed run rewrites all of them."""
    refuse_links(folder.path, TENSORBOARD_FOLDER)
    path = folder.path / TENSORBOARD_FOLDER
    for stale in path.glob("events.out.tfevents.*"):
        stale.unlink()  # the events can contain a row after the checkpoint, or an incomplete row

    def record(row: MetricsRow) -> None:
        for name, figure in tagged(row).items():
            writer.add_scalar(name, figure, int(row["steps"]))
        writer.flush()

    with SummaryWriter(str(path)) as writer:
        for row in rows:
            record(row)
        yield record


@contextmanager
def _progress(echo: TextIO | None, title: str, budget: Budget, measure: Measure) -> Iterator[OnRow]:
    """Shows each row: on a terminal in a live line, elsewhere in a new line."""
    if echo is None:
        yield lambda row: None
    elif echo.isatty():
        # A short bar, so that the line fits a terminal with 80 columns.
        columns = (
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=8),
            TextColumn("{task.fields[news]}"),
        )
        with Progress(*columns, TimeElapsedColumn(), console=Console(file=echo)) as bar:
            task = bar.add_task(title, total=1.0, news="learning")
            yield lambda row: bar.update(task, completed=budget.share(int(row["steps"])), news=measure.news(row))
    else:
        yield lambda row: print(
            f"{title}: {int(row['steps']):,} steps, {measure.news(row)}, {row['seconds']:.0f} s", file=echo, flush=True
        )


def _finish(entry: Algorithm, learner: Learner, folder: RunFolder, last: MetricsRow, measure: Measure) -> RunResult:
    return RunResult(
        folder=folder.path,
        policy=learner.policy(),
        measured=measure.kind,
        figures={name: figure for name, figure in last.items() if is_measured(name, measure.kind)},
        reference=measure.reference,
        steps=learner.steps,
        seconds=last["seconds"],
        cpu_seconds=last["cpu_seconds"],
        verdict=measure.verdict(entry.label, last),
    )


@contextmanager
def without_compiler() -> Iterator[None]:
    """Runs optimizers without the calls that tell torch's compiler what not to compile.

    Each such call imports torch._dynamo. Otherwise the optimizers work as before.
    """
    for method in (Optimizer.add_param_group, Optimizer.zero_grad, Optimizer.state_dict, Optimizer.load_state_dict):
        function = unwrap(method)
        vars(function).setdefault("__dynamo_disable", function)  # the attribute that torch sets in the first call
    step = Adam.step
    Adam.step = torch.no_grad()(unwrap(step))  # type: ignore[method-assign]
    try:
        yield
    finally:
        Adam.step = step  # type: ignore[method-assign]
