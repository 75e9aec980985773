"""What the JSON files of a run must hold. Each file is checked as a whole before any of it is used.

Importing this does not import torch.
"""

from __future__ import annotations

import reprlib
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, ConfigDict, Field, model_validator

from baselines.matrix_game.limits import LARGEST_PAYOFF
from train.kinds import Kind, is_measured
from train.validation import MAX_INT, Strict

# Goes up when older run folders can no longer be read.
FORMAT = 1
MAX_SEED = 2**32 - 1
# Stands for the algorithm in the folder of a log of somebody's own learner.
OWN = "own"

Count = Annotated[int, Field(ge=1, le=MAX_INT)]
Seed = Annotated[int, Field(ge=0, le=MAX_SEED)]
# Payoff points, as large as an exact solver allows.
Points = Annotated[float, Field(ge=-LARGEST_PAYOFF, le=LARGEST_PAYOFF)]

# State of numpy's own generator, the Mersenne Twister: its name, its key, its position, whether a normal draw is left
# over, and that draw.
Key = Annotated[list[Seed], Field(min_length=624, max_length=624)]
Place, Flag = Annotated[int, Field(ge=0, le=624)], Annotated[int, Field(ge=0, le=1)]
Twister = Annotated[tuple[Literal["MT19937"], Key, Place, Flag, float], Field(strict=False)]  # JSON has no tuples


def _check_value(value: object) -> object:
    parts = value if isinstance(value, list) else [value]
    if all(part is None or isinstance(part, str) or _is_moderate(part) for part in parts):
        return value
    raise ValueError(f"{reprlib.repr(value)} must be a text, a number up to {MAX_INT}, true, false, null or a list")


def _is_moderate(value: object) -> bool:
    return isinstance(value, (int, float)) and abs(value) <= MAX_INT


# Value of a parameter or an argument.
Value = Annotated[Any, AfterValidator(_check_value)]


class StoredArgs(Strict):
    """Arguments of a learner, of which every learner has the first two."""

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, Value]

    steps: Count
    evaluate_every: Count


class StoredIdentity(Strict):
    """What tells one run from another, as `run_identity` makes it."""

    game: str
    parameters: dict[str, Value]
    algorithm: str
    args: StoredArgs
    seed: Seed


def _check_reference(reference: dict[str, float]) -> dict[str, float]:
    for name, figure in reference.items():
        if name.startswith("uniform_") and figure < 0:
            raise ValueError(f"{name} ({figure}) must be at least 0")
    return reference


class StoredConfig(StoredIdentity):
    """`config.json`: what was asked for, and all that pictures and reports say of it."""

    format: Literal[1]
    title: str
    label: str
    step: str
    measured: Kind = "exact"  # the only kind that there was at first
    # The figure of a row that pictures show, and what figures are compared with, payoff points.
    figure: str = "exploitability"
    reference: Annotated[dict[str, Points], AfterValidator(_check_reference)]


class StoredMetadata(Strict):
    """`metadata.json`: where and when a run began, such as the versions of this and other packages."""

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, str]

    seed: Seed
    commit: str | None


class StoredRow(Strict):
    """One evaluation: a row of `metrics.csv` and of the checkpoint.

    A learner adds figures of its own. They may be NaN, such as the loss of a network that has not learned yet.
    """

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, Annotated[float, Field(allow_inf_nan=True)]]

    steps: Annotated[float, Field(ge=1, le=MAX_INT)]
    seconds: Annotated[float, Field(ge=0, le=MAX_INT)]
    measured: Kind = "exact"  # the only kind that there was at first

    @model_validator(mode="after")
    def _measured_figures_are_payoffs_or_shares(self) -> StoredRow:
        figures = {
            name: figure for name, figure in (self.model_extra or {}).items() if is_measured(name, self.measured)
        }
        for name, figure in figures.items():
            if not abs(figure) <= LARGEST_PAYOFF:
                raise ValueError(f"{name} ({figure}) must be a finite number, at most {LARGEST_PAYOFF:g}")
        if not figures:
            raise ValueError(f"it has no figures of the kind {self.measured!r}")
        return self


class StoredRows(Strict):
    """All of `metrics.csv`."""

    rows: Annotated[list[StoredRow], Field(min_length=1)]


class StoredCheckpoint(StoredRows):
    """The data of a checkpoint; what is in `learner` the learner itself checks."""

    run: StoredIdentity
    learner: dict[str, Any]
    generator: Twister
