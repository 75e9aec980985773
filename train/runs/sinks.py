"""Where the rows of a run or of a log can go as well, while it goes on: to a service that shows curves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from train.kinds import is_measured
from train.storage.run_folder import MetricsRow

# Gets each row after it is written.
Sink = Callable[[MetricsRow], object]


def tagged(row: MetricsRow) -> dict[str, float]:
    """A row's figures by names that say what kind of figure each is, e.g. `exact/exploitability`."""
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
