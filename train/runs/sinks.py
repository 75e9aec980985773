"""Sinks, which send each row of a run or log to a tracking service when it is written."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from train.storage.formats import is_measured
from train.storage.run_folder import MetricsRow

# A function that is called with each row after it is written.
Sink = Callable[[MetricsRow], object]


def tagged(row: MetricsRow) -> dict[str, float]:
    """Renames a row's figures so that names contain their kind, e.g. `exact/exploitability`."""
    kind = row["measured"]
    return {
        f"{kind.replace(' ', '_')}/{name}" if is_measured(name, kind) else f"learning/{name}": figure
        for name, figure in row.items()
        if name not in ("steps", "measured")
    }


def wandb_sink(run: Any) -> Sink:
    """Returns a sink that sends each row to Weights & Biases, with the row's steps as its step.

    Args:
        run: The result of `wandb.init`; `wandb.init(mode="offline")` needs neither account nor network.
    """

    def send(row: MetricsRow) -> None:
        run.log(tagged(row), step=int(row["steps"]))

    return send
