"""The kinds of figures that measure a policy, and schemas of the JSON files in a run folder.

Each file is validated completely before use. Importing this does not import torch.
"""

from __future__ import annotations

import math
import reprlib
from collections.abc import Mapping
from itertools import pairwise
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, ConfigDict, Field, model_validator

from baselines.matrix_game.limits import LARGEST_PAYOFF
from train.text.validation import MAX_INT, Strict

# "exact" figures have no sampling error; a "lower bound" is on exploitability; "matches" are sampled games
# against named policies.
Kind = Literal["exact", "lower bound", "matches"]
# The explanation of each kind in plots and reports.
EXPLAINED: dict[str, str] = {
    "exact": "Exact: a sum over all states, without sampling.",
    "lower bound": "Lower bounds: an exploiter wins at least this much (99 % confidence). The true figure can be far "
    "higher; a low bound does not show that the policy is good.",
    "matches": "Matches: games against the named policies, with 99 % confidence intervals. They do not measure other "
    "opponents or exploitability.",
}
# Prefixes of the names of each kind's figures; other figures in a row, such as losses, describe training.
BEGINNINGS: dict[str, tuple[str, ...]] = {
    "exact": ("exploitability", "nash_conv", "guaranteed_", "gain_", "cce_gap", "ce_gap"),
    "lower bound": ("bound",),
    "matches": ("payoff_", "wins_"),
}
# Figures of a policy by name.
Figures = dict[str, float]


def is_measured(name: str, kind: Kind) -> bool:
    """Whether a figure in a row measures the policy; other figures, such as losses, describe training."""
    return name.startswith(BEGINNINGS[kind])


# Increased when a run folder of an earlier version can no longer be read.
FORMAT = 2
MAX_SEED = 2**32 - 1
# The entry `algorithm` of an `ExploitabilityLog`.
OWN = "own"

# Maximum length of strings and lists.
LONGEST = 10_000
Text = Annotated[str, Field(max_length=LONGEST)]


def share_used(args: Mapping[str, Any], steps: float, cpu_seconds: float) -> float:
    """Returns the share of a run's budget that is used: of its steps or of its CPU seconds, whichever is more."""
    of_time = cpu_seconds / args["cpu_seconds"] if args.get("cpu_seconds") else 0.0
    return max(steps / args["steps"], of_time)


def _check_name(name: str) -> str:
    if len(name) > LONGEST or not name.isprintable():
        raise ValueError(f"the name {reprlib.repr(name)} must contain only printable characters, at most {LONGEST}")
    return name


# The name of a figure.
Name = Annotated[str, AfterValidator(_check_name)]
Count = Annotated[int, Field(ge=1, le=MAX_INT)]
Seed = Annotated[int, Field(ge=0, le=MAX_SEED)]
# Payoff points, up to the largest payoff that exact solvers accept.
Points = Annotated[float, Field(ge=-LARGEST_PAYOFF, le=LARGEST_PAYOFF)]

# State of numpy's global generator, the Mersenne Twister: name, key, position, whether a normal draw is cached, and the
# cached draw.
Key = Annotated[list[Seed], Field(min_length=624, max_length=624)]
Place = Annotated[int, Field(ge=0, le=624)]
Flag = Annotated[int, Field(ge=0, le=1)]
Twister = Annotated[tuple[Literal["MT19937"], Key, Place, Flag, float], Field(strict=False)]  # JSON has no tuples


def _check_value(value: object) -> object:
    parts = value if isinstance(value, list) else [value]
    if len(parts) <= LONGEST and all(map(_is_moderate, parts)):
        return value
    raise ValueError(
        f"{reprlib.repr(value)} must be a string, a number up to {MAX_INT}, true, false, null or a list of these, "
        f"with at most {LONGEST} letters or items"
    )


def _is_moderate(value: object) -> bool:
    if isinstance(value, str):
        return len(value) <= LONGEST
    return value is None or (isinstance(value, (int, float)) and abs(value) <= MAX_INT)


# The value of a parameter or an argument.
Value = Annotated[Any, AfterValidator(_check_value)]


class StoredArgs(Strict):
    """Arguments of a learner; all learners have the first two."""

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, Value]

    steps: Count
    evaluate_every: Count


class StoredIdentity(Strict):
    """The identity of a run, as returned by `run_identity`."""

    game: Text
    parameters: dict[Text, Value]
    algorithm: Text
    args: StoredArgs
    seed: Seed


# Exact figures that cannot be negative, except by rounding errors.
NOT_NEGATIVE, ROUNDING = ("exploitability", "nash_conv", "cce_gap", "ce_gap"), 1e-6


def _check_reference(reference: dict[str, float]) -> dict[str, float]:
    for name, figure in reference.items():
        if name.startswith("uniform_") and figure < 0:
            raise ValueError(f"{name} ({figure}) must be at least 0")
    return reference


# Reference figures of exact measures; a run has at least all names in one of these lines.
REFERENCES = (("uniform_nash_conv",), ("uniform_cce_gap",), ("value", "uniform_exploitability"))


class StoredConfig(StoredIdentity):
    """`config.json`: the configuration of a run, and the data that plots and reports need."""

    format: Literal[2]
    title: Text
    label: Text
    step: Text
    measured: Kind
    # The numbers of steps that the run was to take before it was extended.
    extended_from: Annotated[list[Count], Field(default_factory=list)]
    # The name of the figure in plots, and the reference figures in payoff points.
    figure: Name
    reference: Annotated[dict[Name, Points], AfterValidator(_check_reference)]

    @model_validator(mode="after")
    def _figure_and_reference_are_of_the_kind(self) -> StoredConfig:
        if not is_measured(self.figure, self.measured):
            raise ValueError(f"figure ({self.figure}) is not a figure of the kind {self.measured!r}")
        if self.measured == "exact" and not any(self.reference.keys() >= set(names) for names in REFERENCES):
            needed = ", or ".join(" and ".join(names) for names in REFERENCES)
            raise ValueError(f"reference ({', '.join(self.reference)}) must have {needed}")
        return self


class StoredMetadata(Strict):
    """`metadata.json`: the start time of a run and the versions in use."""

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, Text]

    seed: Seed
    commit: Text | None


class StoredRow(Strict):
    """One evaluation, which is a row of `metrics.csv` and of the checkpoint.

    Learners add training figures, which can be NaN, such as the loss of a network that has not been trained yet.
    """

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, Annotated[float, Field(allow_inf_nan=True)]]

    steps: Annotated[float, Field(ge=0, le=MAX_INT)]
    seconds: Annotated[float, Field(ge=0, le=MAX_INT)]
    cpu_seconds: Annotated[float, Field(ge=0, le=MAX_INT)]
    measured: Kind

    @model_validator(mode="after")
    def _measured_figures_are_payoffs_or_shares(self) -> StoredRow:
        figures = {
            name: figure for name, figure in (self.model_extra or {}).items() if is_measured(name, self.measured)
        }
        for name in self.model_extra or {}:
            _check_name(name)
        for name, figure in figures.items():
            if not abs(figure) <= LARGEST_PAYOFF:
                raise ValueError(f"{name} ({figure}) must be a finite number, at most {LARGEST_PAYOFF:g}")
            if name in NOT_NEGATIVE and figure < -ROUNDING:
                raise ValueError(f"{name} ({figure}) must be at least 0")
        if not figures:
            raise ValueError(f"the row has no figures of the kind {self.measured!r}")
        if self.measured == "matches":
            _check_intervals(figures)
        return self


def _check_intervals(figures: dict[str, float]) -> None:
    for name, mean in figures.items():
        if f"{name}_low" in figures or f"{name}_high" in figures:
            low, high = (figures.get(f"{name}{end}", math.nan) for end in ("_low", "_high"))
            if not low - ROUNDING <= mean <= high + ROUNDING:
                raise ValueError(f"{name} ({mean}) must be from {name}_low to {name}_high")


class StoredRows(Strict):
    """All rows of `metrics.csv`."""

    rows: Annotated[list[StoredRow], Field(min_length=1)]

    @model_validator(mode="after")
    def _rows_are_those_of_one_run(self) -> StoredRows:
        names = set(self.rows[0].model_extra or {})
        for number, (row, following) in enumerate(pairwise(self.rows), start=1):
            if set(following.model_extra or {}) != names:
                raise ValueError(f"rows[{number}] must have the figures of rows[0]")
            spent = following.seconds >= row.seconds and following.cpu_seconds >= row.cpu_seconds
            if not (following.steps > row.steps and spent):
                raise ValueError(
                    f"rows[{number}] must have more steps than the previous row, and at least as many seconds"
                )
        return self


class StoredCheckpoint(StoredRows):
    """The data of a checkpoint; the learner validates `learner` itself."""

    run: StoredIdentity
    learner: dict[str, Any]
    generator: Twister
