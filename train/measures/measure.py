"""What the rest of the package needs to know of a way of measuring policies."""

from __future__ import annotations

from typing import Any, ClassVar, Protocol

from cardwar_envs.core.policy import Policy
from train.kinds import Figures, Kind


class Measure(Protocol):
    """One way of measuring policies of one game.

    Attributes:
        kind: What its figures are.
        figure: The figure that pictures and progress show.
        reference: What figures are compared with, by name; empty if there is nothing.
    """

    kind: ClassVar[Kind]
    figure: str
    reference: Figures

    def __call__(self, policy: Policy, seed: int) -> Figures:
        """Measures a policy that plays in all seats; always the same names. Exact measures need no seed."""
        ...

    def news(self, figures: dict[str, Any]) -> str:
        """The most important figure in a few words."""
        ...

    def verdict(self, learner: str, figures: dict[str, Any], steps: int, seconds: float) -> str:
        """Says in a few sentences what was achieved.

        Args:
            learner: The algorithm's label, e.g. "minimax-Q".
            figures: What it measured of the learned policy.
            steps: Steps taken in learning.
            seconds: Wall time that learning took.
        """
        ...
