"""The interface of a measure of policies, and the measure in matches against named policies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Protocol

from baselines import match
from cardwar_envs.core.game import Game
from cardwar_envs.core.policy import Policy
from train.policies.by_word import policy_from
from train.storage.formats import Figures, Kind
from train.text.game_names import game_in_words
from train.text.printing import points

# The final evaluation plays this many times as many games as each earlier evaluation.
FINAL_SHARE = 10


class Measure(Protocol):
    """Measures policies of one game in one way.

    A measure that depends on earlier policies has a method `resume`, which takes the rows so far.

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

    def verdict(self, learner: str, figures: dict[str, Any]) -> str:
        """Reports the last row of a run in a few sentences; `learner` is the algorithm's label."""
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


def resume_measure(measure: Measure, rows: Sequence[Mapping[str, Any]]) -> None:
    """Tells a measure that depends on earlier policies which rows there are so far."""
    getattr(measure, "resume", lambda rows: None)(rows)


def effort(row: Mapping[str, Any]) -> str:
    """Says what a run used until a row, e.g. "1,000 steps and 3 s (2 s of CPU time to learn)"."""
    return f"{int(row['steps']):,} steps and {row['seconds']:.0f} s ({row['cpu_seconds']:.0f} s of CPU time to learn)"


class Matches:
    """Measures mean payoffs and win rates against policies in the other seats."""

    kind: ClassVar[Kind] = "matches"

    def __init__(self, game: Game[Any], opponents: Mapping[str, Sequence[str]], games: int) -> None:
        """Loads the opponents: match name -> one policy for all other seats, or one per other seat in order.

        Raises the ValueError of `policy_from` if an opponent cannot play the game.
        """
        self._game, self._games = game, games
        self._opponents = {name: [policy_from(word, game) for word in words] for name, words in opponents.items()}
        self.figure = f"payoff_{next(iter(opponents))}"
        self.reference: Figures = {}

    def __call__(self, policy: Policy, seed: int, final: bool = False) -> Figures:
        """Returns, for each opponent, the mean payoff and the win rate, with the ends of their 99 % intervals."""
        figures: Figures = {}
        games = self._games * (FINAL_SHARE if final else 1)
        for name, policies in self._opponents.items():
            others = policies if len(policies) > 1 else policies[0]
            result = match(self._game, policy, others, games=games, seed=seed)
            for what, interval in (("payoff", result.payoff), ("wins", result.wins)):
                ends = (("", interval.mean), ("_low", interval.low), ("_high", interval.high))
                figures |= {f"{what}_{name}{end}": number for end, number in ends}
        return figures

    def news(self, figures: Mapping[str, Any]) -> str:
        name = next(iter(self._opponents))
        return f"against {name} {_with_interval(figures, f'payoff_{name}')}"

    def verdict(self, learner: str, figures: Mapping[str, Any]) -> str:
        seats = "the other seat" if self._game.facts.num_players == 2 else "all other seats"
        results = "; ".join(
            f"{_with_interval(figures, f'payoff_{name}')} points against {name} in {seats}, "
            f"and it wins {figures[f'wins_{name}']:.1%} of these games"
            for name in self._opponents
        )
        return (
            f"The policy that {learner} learned for {game_in_words(self._game)} in {effort(figures)} "
            f"gets {results}. These are samples of {FINAL_SHARE * self._games:,} games each, with 99 % intervals. They "
            "do not measure exploitability; cardwar exploit --approximate trains an exploiter for a lower bound."
        )


def _with_interval(figures: Mapping[str, Any], name: str) -> str:
    mean, low, high = (points(figures[f"{name}{end}"], 4) for end in ("", "_low", "_high"))
    return mean if low == high else f"{mean} ({low}..{high})"
