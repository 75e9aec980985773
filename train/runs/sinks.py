"""Sinks: send the rows of a run or log to a tracking service as they are written."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from train.kinds import is_measured
from train.storage.run_folder import MetricsRow

# Gets each row after it is written.
Sink = Callable[[MetricsRow], object]


def tagged(row: MetricsRow) -> dict[str, float]:
    """A row's figures under names with their kind, e.g. `exact/exploitability`."""
    kind = row["measured"]
    return {
        f"{kind.replace(' ', '_')}/{name}" if is_measured(name, kind) else f"learning/{name}": figure
        for name, figure in row.items()
        if name not in ("steps", "measured")
    }


def wandb_sink(run: Any) -> Sink:
    """Sends each row to Weights & Biases, with the row's steps as its step.

    Args:
        run: What `wandb.init` returned; `wandb.init(mode="offline")` needs neither account nor network.
    """

    def send(row: MetricsRow) -> None:
        run.log(tagged(row), step=int(row["steps"]))

    return send
