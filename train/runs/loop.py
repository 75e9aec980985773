"""The frame that all algorithms run in: learn, evaluate exactly, write down, go on after a kill."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

import numpy as np
import torch
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from torch.utils.tensorboard import SummaryWriter

from cardwar_envs.core.game import Game
from train.algorithms.checkpoint import with_prefix
from train.algorithms.contract import CommonArgs, Learner, SelfPlayArgs
from train.algorithms.registry import Algorithm, algorithm_named
from train.policies.files import POLICY_FILE, save_policy
from train.policies.learned_policy import LearnedPolicy
from train.reports.curves import PLOT_FILE, plot_runs
from train.runs.evaluate import Evaluation, evaluate, reference, response_in_words, verdict
from train.storage.archive import Archive
from train.storage.run_folder import Row, RunFolder
from train.words import game_in_words, json_parameters

TENSORBOARD_FOLDER = "tensorboard"
MAX_SEED = 2**32 - 1

Report = Callable[[Row], None]


@dataclass(frozen=True)
class RunResult:
    """What a run came to.

    Attributes:
        folder: Where everything about it is.
        policy: The policy at its end.
        evaluation: Of that policy, exact.
        value: Of the game, to player 0, payoff points.
        uniform_exploitability: Of uniform play, payoff points.
        steps: Taken in learning; what a step is, `Algorithm.step` says.
        seconds: Wall time of learning, evaluations included, over all parts of a resumed run.
        verdict: All this in words.
    """

    folder: Path
    policy: LearnedPolicy
    evaluation: Evaluation
    value: float
    uniform_exploitability: float
    steps: int
    seconds: float
    verdict: str


def run(
    game: Game[Any],
    algorithm: str,
    args: CommonArgs,
    out: str | Path,
    seed: int = 0,
    resume: bool = False,
    echo: TextIO | None = None,
) -> RunResult:
    """Learns to play a game and says how far from optimal the result is.

    Args:
        game: A two-player zero-sum game, small enough for exact evaluation.
        algorithm: A key of `ALGORITHMS`.
        args: Its arguments, an instance of its `Args`.
        out: Folder of the run: a new or empty one or, with `resume`, that of a run that was
            started with the same game, algorithm, arguments and seed.
        seed: Of everything random, 0 to 2**32 - 1.
        resume: Go on with the run in `out`.
        echo: Where progress is shown: live on a terminal, else one line per evaluation.

    Returns:
        The result; with `resume` on a run that has ended, the result that it had.

    Raises:
        ValueError: If an argument does not fit; what is in `out` stays as it is then.
    """
    entry = algorithm_named(algorithm)
    if not isinstance(args, entry.args_type()):
        raise ValueError(f"args must be the arguments of {algorithm}, not {type(args).__name__}")
    if not 0 <= seed <= MAX_SEED:
        raise ValueError(f"seed ({seed}) must be in 0..{MAX_SEED}")
    config = _config(game, entry, args, seed)
    threads = args.threads if isinstance(args, SelfPlayArgs) else 1
    with _own_generators(seed, threads):
        learner = entry.learner(game, args, seed)
        folder = RunFolder.reopen(out, config) if resume else RunFolder.create(out, config)
        rows = _continue(folder, learner)
        with _progress(echo, f"{entry.label} on {game_in_words(game)}", args.steps) as report:
            _learn(game, learner, args, folder, rows, report)
        return _finish(game, entry, learner, folder, rows)


def _config(game: Game[Any], entry: Algorithm, args: CommonArgs, seed: int) -> dict[str, Any]:
    return {
        "game": game.facts.name,
        "parameters": json_parameters(game),
        "algorithm": entry.name,
        "args": dataclasses.asdict(args),
        "seed": seed,
        # For pictures, which read nothing but this file and the metrics.
        "title": game_in_words(game),
        "label": entry.label,
        "step": entry.step,
        "reference": dataclasses.asdict(reference(game)),
    }


@contextmanager
def _own_generators(seed: int, threads: int) -> Iterator[None]:
    """Seeds torch's and numpy's own generators for the time of a run, and sets torch's threads."""
    before = torch.get_num_threads(), torch.get_rng_state(), np.random.get_state()
    torch.set_num_threads(threads)
    torch.manual_seed(seed)
    np.random.seed(seed)
    try:
        yield
    finally:
        torch.set_num_threads(before[0])
        torch.set_rng_state(before[1])
        np.random.set_state(before[2])


def _continue(folder: RunFolder, learner: Learner) -> list[Row]:
    """Puts everything back to where the checkpoint was made; returns the rows up to there."""
    checkpoint = folder.read_checkpoint()
    if checkpoint is None:
        return []
    tensors, data = checkpoint
    try:
        kept = with_prefix(tensors, "learner.")
        learner.restore(kept, data["learner"])
        if unlike := sorted(kept.keys() ^ learner.state()[0].keys()):
            raise ValueError(f"{unlike[0]} is not kept by both")
        torch.set_rng_state(tensors["generator"])
        np.random.set_state(data["generator"])
        rows: list[Row] = data["rows"]
    except (AttributeError, IndexError, KeyError, RuntimeError, TypeError, ValueError) as error:
        # It is whole, so it was written by a version that kept other things.
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        raise ValueError(
            f"the checkpoint in {folder.path} is not of this version ({reason}); start the run again in another folder"
        ) from None
    folder.write_metrics(rows)
    return rows


def _write_checkpoint(folder: RunFolder, learner: Learner, rows: list[Row]) -> None:
    tensors, data = learner.state()
    tensors = {f"learner.{name}": tensor for name, tensor in tensors.items()}
    tensors["generator"] = torch.get_rng_state()
    state = np.random.get_state(legacy=False)
    state["state"]["key"] = state["state"]["key"].tolist()
    folder.write_checkpoint(Archive(tensors, {"rows": rows, "learner": data, "generator": state}))


def _learn(
    game: Game[Any], learner: Learner, args: CommonArgs, folder: RunFolder, rows: list[Row], report: Report
) -> None:
    """Learns from one evaluation to the next, appending to `rows`."""
    with _tensorboard(folder, rows) as record:
        started = time.perf_counter() - (rows[-1]["seconds"] if rows else 0.0)
        while learner.steps < args.steps:
            due = (learner.steps // args.evaluate_every + 1) * args.evaluate_every
            figures = learner.advance(min(args.steps, due))
            evaluation = evaluate(game, learner.policy())
            row: Row = {
                "steps": learner.steps,
                "seconds": round(time.perf_counter() - started, 3),
                "exploitability": evaluation.exploitability,
                "nash_conv": evaluation.nash_conv,
                "guaranteed_0": evaluation.guarantees[0],
                "guaranteed_1": evaluation.guarantees[1],
                **figures,
            }
            rows.append(row)
            _write_checkpoint(folder, learner, rows)
            folder.write_metrics(rows)
            record(row)
            report(row)


@contextmanager
def _tensorboard(folder: RunFolder, rows: list[Row]) -> Iterator[Report]:
    """Writes rows as TensorBoard events, after those that a killed run had come to."""
    path = folder.path / TENSORBOARD_FOLDER
    for stale in path.glob("events.out.tfevents.*"):
        stale.unlink()  # may hold a row beyond the checkpoint, or a torn one; all are written anew

    def record(row: Row) -> None:
        for name, figure in row.items():
            if name != "steps":
                writer.add_scalar(name, figure, int(row["steps"]))
        writer.flush()

    with SummaryWriter(str(path)) as writer:
        for row in rows:
            record(row)
        yield record


@contextmanager
def _progress(echo: TextIO | None, title: str, steps: int) -> Iterator[Report]:
    """Shows each row: in a live line on a terminal, as a line of its own elsewhere."""
    if echo is None:
        yield lambda row: None
    elif echo.isatty():
        # A short bar, so that all of it fits a terminal of 80 columns.
        columns = (
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=8),
            TextColumn("{task.fields[news]}"),
        )
        with Progress(*columns, TimeElapsedColumn(), console=Console(file=echo)) as bar:
            task = bar.add_task(title, total=steps, news="learning")
            yield lambda row: bar.update(
                task, completed=row["steps"], news=f"exploitability {row['exploitability']:.4f}"
            )
    else:
        yield lambda row: print(f"{title}: {_line(row)}", file=echo, flush=True)


def _line(row: Row) -> str:
    return f"{int(row['steps']):,} steps, exploitability {row['exploitability']:.4f}, {row['seconds']:.0f} s"


def _finish(game: Game[Any], entry: Algorithm, learner: Learner, folder: RunFolder, rows: list[Row]) -> RunResult:
    policy, seconds = learner.policy(), rows[-1]["seconds"]
    save_policy(folder.path / POLICY_FILE, policy)
    plot_runs([folder.path], folder.path / PLOT_FILE)
    evaluation, known = evaluate(game, policy), reference(game)
    return RunResult(
        folder=folder.path,
        policy=policy,
        evaluation=evaluation,
        value=known.value,
        uniform_exploitability=known.uniform_exploitability,
        steps=learner.steps,
        seconds=seconds,
        verdict=verdict(game, entry.label, evaluation, learner.steps, seconds) + response_in_words(rows[-1]),
    )
