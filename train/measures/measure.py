"""The interface of a measure of policies."""

from __future__ import annotations

from typing import Any, ClassVar, Protocol

from cardwar_envs.core.game import Game
from cardwar_envs.core.policy import Policy
from train.storage.kinds import Figures, Kind
from train.text.game_names import game_in_words

# The final evaluation plays this many times as many games as each earlier evaluation.
FINAL_SHARE = 10


class Measure(Protocol):
    """Measures policies of one game in one way.

    Attributes:
        kind: Kind of its figures.
        figure: The figure that plots and progress messages show.
        reference: Reference figures by name; may be empty.
    """

    kind: ClassVar[Kind]
    figure: str
    reference: Figures

    def __call__(self, policy: Policy, seed: int, final: bool = False) -> Figures:
        """Measures a policy that plays in all seats; returns figures by name, always with the same names.

        If training has ended (`final`), samples are `FINAL_SHARE` times as large.
        """
        ...

    def news(self, figures: dict[str, Any]) -> str:
        """Returns the most important figure as a short text."""
        ...

    def verdict(self, learner: str, figures: dict[str, Any], steps: int, seconds: float) -> str:
        """Reports the figures of a learned policy in a few sentences; `learner` is the algorithm's label."""
        ...


def described(game: Game[Any], label: str, step: str, measure: Measure) -> dict[str, Any]:
    """Returns what plots and reports need from a run's configuration; besides this they read only the metrics."""
    return {
        "title": game_in_words(game),
        "label": label,
        "step": step,
        "measured": measure.kind,
        "figure": measure.figure,
        "reference": measure.reference,
    }
