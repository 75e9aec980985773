"""A series of games at one table, with the running total and what the games show about both players."""

from __future__ import annotations

from functools import cached_property

import numpy as np

import baselines
from baselines.matches.intervals import CONFIDENCE, mean_interval
from cardwar_play.account import EQUILIBRIUM, NOTHING, Account, amount, brought, cause, in_points
from cardwar_play.trainer import Table, Trainer

# The opponent's exact loss is computed for solutions up to this size, for which it takes about a second.
MOST_STATES = 1000
# Minimum number of games for an interval of the mean result.
FEWEST_GAMES = 20


class Series:
    """The games that one human player plays at one table.

    Attributes:
        table: The players and their policies.
        length: Maximum number of games; None for no limit.
        results: The human player's payoff in each game, in payoff points.
        accounts: The accounts of these games; empty if moves are not judged.
    """

    def __init__(self, table: Table, length: int | None = None) -> None:
        self.table, self.length = table, length
        self.results: list[float] = []
        self.accounts: list[Account] = []

    def add(self, trainer: Trainer) -> None:
        """Adds a game of this table, unless it was abandoned."""
        if trainer.ending in ("over", "out"):
            self.results.append(trainer.payoffs[self.table.seat])
            self.accounts += [trainer.account] if trainer.account else []

    @property
    def score(self) -> tuple[int, int]:
        """The numbers of games that the human player won and lost."""
        won, lost = (sum(sign * result > NOTHING for result in self.results) for sign in (1, -1))
        return won, lost

    @property
    def decided(self) -> bool:
        """Whether a series of fixed length is over or the trailing player can no longer catch up."""
        if self.length is None:
            return False
        (won, lost), left = self.score, self.length - len(self.results)
        return not left or abs(won - lost) > left

    @property
    def standing(self) -> str:
        """The standing of a series of fixed length in a sentence; empty if unlimited."""
        if self.length is None:
            return ""
        if not self.results:
            return f"Best of {self.length}."
        won, lost = self.score
        score, whole = f"{won} to {lost}", f"the best of {self.length}"
        if won == lost:
            so_far = f"It is {score} after {len(self.results)} of at most {self.length} games."
            return f"You draw {whole}, {score}." if self.decided else so_far
        verb = ("win" if won > lost else "lose") if self.decided else ("lead in" if won > lost else "are behind in")
        return f"You {verb} {whole}, {score}."

    @cached_property
    def known_loss(self) -> float | None:
        """The opponent's exact expected loss per game against the equilibrium; None if it plays that, or if unknown."""
        judge, (opponent, *others) = self.table.judge, self.table.policies
        if judge is None or others or judge.solution.states > MOST_STATES:
            return None
        if self.table.opponents[opponent] == EQUILIBRIUM:
            return None
        game, equilibrium, policy = self.table.game, judge.solution.policy, self.table.policies[opponent]
        pair = (policy, equilibrium) if opponent == 0 else (equilibrium, policy)
        try:
            mean = baselines.head_to_head(game, *pair).mean
        except ValueError:  # exact figures are not available for such a policy
            return None
        return max(0.0, judge.value(0) - mean if opponent == 0 else mean - judge.value(0))

    def sentences(self) -> list[str]:
        """The running total, and what the games show about both players; empty before the first game."""
        mean = [self._mean()] if len(self.results) >= FEWEST_GAMES else []
        return [self._total(), *self._mistakes(), *mean] if self.results else []

    def _total(self) -> str:
        won, lost = self.score
        even = len(self.results) - won - lost
        level = f" and broke even in {even}" if even else ""
        total = in_points(sum(self.results), "+")
        return f"In {_games(self.results)} you won {won}, lost {lost}{level}: {total} in total."

    def _mistakes(self) -> list[str]:
        if not self.accounts:
            return []
        (opponent,), count = self.table.opponents.values(), len(self.accounts)
        mine, theirs, luck = (sum(getattr(each, name) for each in self.accounts) for name in ("mine", "theirs", "luck"))
        lost_by_me, lost_by_them = (amount(lost / count, least=0) for lost in (mine, theirs))
        costs = f"your moves gave away {lost_by_me} and those of {opponent} {lost_by_them}"
        said = [f"Per game, {costs} (means of the exact costs in {_games(self.accounts)})."]
        if self.known_loss is not None:
            lost = f"the mistakes of {opponent} would cost it {amount(self.known_loss)} per game on average"
            said.append(f"Against the equilibrium, {lost} (exact).")
        if abs(luck) > NOTHING:
            without = amount((sum(self.results) - luck) / count, "+")
            caused = f"{cause(opponent).capitalize()} {brought(luck)} in total"
            said.append(f"{caused}; otherwise your result would be {without} a game.")
        return said

    def _mean(self) -> str:
        facts = self.table.game.facts
        mean, low, high = (
            amount(each, "+") for each in mean_interval(np.array(self.results), facts.min_payoff, facts.max_payoff)
        )
        return f"Your mean result is {mean} a game; {CONFIDENCE:.0%} interval {low} to {high}."


def _games(games: list[float] | list[Account]) -> str:
    return f"{len(games)} game{'' if len(games) == 1 else 's'}"
