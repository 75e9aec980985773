"""The budget of a run: lets a learner learn from one evaluation to the next, within its steps and CPU seconds."""

from __future__ import annotations

from cardwar_envs.core.process import Stopwatch
from train.learner.contract import CommonArgs, Learner
from train.storage.formats import share_used

# How often a run with a budget of CPU seconds looks at the clock.
LOOKS = 200
# The precision of the clock, in seconds.
SHORTEST = 1e-6


class Budget:
    """What a run may use: steps, and CPU seconds of learning.

    Attributes:
        cpu_seconds: CPU seconds of learning so far, without evaluations and compilation.
    """

    def __init__(self, args: CommonArgs, cpu_seconds: float) -> None:
        """Takes the arguments of the run, and the CPU seconds that its earlier parts used."""
        self._args, self.cpu_seconds = args, cpu_seconds

    def share(self, steps: int) -> float:
        """Returns the share of the budget that is used after so many steps; 1 or more if the run is over."""
        return share_used(vars(self._args), steps, self.cpu_seconds)

    def advance(self, learner: Learner) -> dict[str, float]:
        """Lets the learner learn until the next evaluation is due; returns its figures, means weighted by steps."""
        args = self._args
        until = min(args.steps, (learner.steps // args.evaluate_every + 1) * args.evaluate_every)
        if not args.cpu_seconds:
            return self._learn(learner, until)
        due = args.cpu_seconds * (int(self.cpu_seconds / args.cpu_seconds * args.evaluations) + 1) / args.evaluations
        look, steps, first, sums = args.cpu_seconds / LOOKS, 1, learner.steps, dict[str, float]()
        while True:
            begun = learner.steps, self.cpu_seconds
            figures = self._learn(learner, min(until, learner.steps + steps))
            took, spent = learner.steps - begun[0], max(self.cpu_seconds - begun[1], SHORTEST)
            sums = {name: sums.get(name, 0.0) + took * figure for name, figure in figures.items()}
            if learner.steps >= until or self.cpu_seconds >= due:
                return {name: total / max(1, learner.steps - first) for name, total in sums.items()}
            # A single step can be too short to measure, so the numbers of steps at most double.
            steps = max(1, min(2 * took, int(took / spent * min(look, due - self.cpu_seconds))))

    def _learn(self, learner: Learner, until: int) -> dict[str, float]:
        learner.spent = self.cpu_seconds
        watch = Stopwatch()
        figures = learner.advance(until)
        self.cpu_seconds = max(self.cpu_seconds + watch.cpu_seconds, learner.spent)
        if learner.steps < until and self.share(learner.steps) < 1.0:
            raise ValueError(f"the learner's advance({until}) must not end after {learner.steps} steps")
        return figures
