"""Explains results of games as the sum of the value of the game, luck and mistakes; the terms add up exactly.

All terms are payoff points from the human player's seat. At a state, let M be the matrix of continuation payoffs, v its
value, and x and y the equilibrium strategies of the human player and the opponent. For the joint action (a, b):

- your mistake: max M y - (M y)[a], the cost that is shown for the move;
- the opponent's mistake: (x M)[b] - min x M, the same cost from the opponent's seat;
- luck of the draw: the rest of M[a, b] - v, that is M[a, b] - (M y)[a] - (x M)[b] + v. Its mean is 0 if either player
  plays its equilibrium strategy, whatever the other plays. Otherwise it includes what a player gains by guessing the
  other's move, and is called luck and guessing;
- luck of chance: the payoff and continuation value after the chance outcome, minus their expectation M[a, b].

Summed over a game, the continuation values cancel: result = value + chance + draws - mine + theirs. If players have
private information, v is the expected payoff of the equilibrium strategies given what both players know; the deal
counts as luck of chance.

A `Series` of games has the running total, and what the games show about both players.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from baselines.matches.intervals import CONFIDENCE, mean_interval
from cardwar_envs.core.play import Episode
from cardwar_envs.core.scene import in_sentence
from cardwar_play.judge import Judge
from cardwar_play.trainer import EQUILIBRIUM, Table, Trainer, player_name
from train.text.printing import points

DIGITS = 3
# Terms below this are treated as rounding errors of a sum. Costs are not: `Judge` makes those 0 that may be errors.
NOTHING = 1e-6
# Lengths of series that a page offers, in games; None for no limit.
LENGTHS = (None, 3, 5, 9, 25)
# Minimum number of games for an interval of the mean result.
FEWEST_GAMES = 20


@dataclass(frozen=True)
class Account:
    """The result of a two-player game, which is `value + chance + draws - mine + theirs` up to rounding.

    If the solution has exact values, the terms are fractions and add up exactly; mistakes are only as precise as the
    solution's strategies, which are floats.

    Attributes:
        result: The human player's payoff, in payoff points.
        value: The human player's expected payoff if both play optimally.
        chance: Luck of chance.
        draws: Luck of the draw: which pairs of moves were drawn.
        mine: Total cost of the human player's moves, at least 0.
        theirs: Total cost of the opponent's moves, at least 0.
    """

    result: float
    value: float
    chance: float
    draws: float
    mine: float
    theirs: float

    @property
    def luck(self) -> float:
        """Sum of the luck of chance and the luck of the draw, in payoff points."""
        return self.chance + self.draws

    @property
    def adds_up(self) -> bool:
        """Whether the terms add up to the result, up to rounding."""
        terms = (self.value, self.chance, self.draws, -self.mine, self.theirs)
        return abs(sum(terms) - self.result) <= NOTHING * max(1.0, *map(abs, terms))

    def rows(self, opponent: str) -> list[tuple[str, str, str]]:
        """The terms that are not 0, and the result: label, points with a sign, and explanation.

        The points are rounded so that they still add up. `opponent` is the opponent's policy.
        """
        value, chance, draws, mine, theirs = self._rounded()
        terms = [
            ("value of the game to you", value, "mean result if both play optimally"),
            ("luck of chance", chance, "what chance paid beyond its mean"),
            (f"{cause(opponent)} in moves", draws, "how your moves met theirs"),
            ("your mistakes", -mine, "costs of your moves"),
            (f"mistakes of {_named(opponent)}", theirs, "costs of its moves"),
        ]
        shown = [each for each in terms if each[1]] + [("result", round(float(self.result), DIGITS), "")]
        return [(label, f"{term + 0.0:+.{DIGITS}f}", why) for label, term, why in shown]

    def sentence(self, opponent: str) -> str:
        """Explains the result in a sentence; `opponent` is the opponent's policy."""
        value, chance, draws, *_ = self._rounded()
        luck, mine, theirs = round(chance + draws, DIGITS), self.mine > 0, self.theirs > 0
        named = _named(opponent)
        neither = f"neither you nor {named} made a mistake"
        if not (value or mine or theirs):
            return f"{paid(self.result)}{f' by {cause(opponent)}' if luck else ''}: {neither}."
        reasons = [f"the game is worth {amount(value)} to you"] if value else []
        if luck:
            reasons.append(f"{cause(opponent)} {brought(luck)}")
        if theirs:
            reasons.append(f"{named} gave away {amount(self.theirs, least=0)}")
        if mine:
            reasons.append(f"you gave away {amount(self.mine, least=0)}")
        *first, last = reasons
        faultless = f"{named} made no mistake" if mine else "you made no mistake" if theirs else neither
        listed = f"{', '.join(first)} and {last}" if first else last
        return f"{paid(self.result)}: {listed}{'' if mine and theirs else f'; {faultless}'}."

    def _rounded(self) -> tuple[float, ...]:
        """The terms rounded to `DIGITS` decimals; luck, if any, absorbs the rounding error, so that they add up."""
        terms = [self.value, self.chance, self.draws, self.mine, self.theirs]
        rounded = [round(float(term), DIGITS) for term in terms]
        missing = round(float(self.result), DIGITS) - (sum(rounded) - 2.0 * rounded[3])
        for term, sign in ((2, 1.0), (1, 1.0), (4, 1.0), (3, -1.0)):
            if abs(terms[term]) > NOTHING:
                rounded[term] = round(rounded[term] + sign * missing, DIGITS)
                break
        return tuple(rounded)


def account_of(trainer: Trainer) -> Account | None:
    """Explains a result; returns None unless the game was played to the end and its moves were judged."""
    table = trainer.table
    if table.judge is None or trainer.ending != "over":
        return None
    return explained(table.judge, trainer.episode, table.seat)


def explained(judge: Judge, episode: Episode[Any], seat: int) -> Account:
    """Explains the result of a complete two-player game to the player in `seat`."""
    number, value, to_go = judge.number, judge.value(seat), [judge.to_go(state, seat) for state in episode.states]
    received = [number(rewards[seat]) for rewards in (episode.dealt, *episode.rewards)]
    chance, draws, costs = received[0] + to_go[0] - value, number(0), [number(0), number(0)]
    for step, (state, actions) in enumerate(zip(episode.states, episode.actions, strict=False)):
        outcomes = judge.solution.game.transitions(state, actions)
        expected = sum(number(p) * (number(paid[seat]) + judge.to_go(after, seat)) for p, after, paid in outcomes)
        chance += received[step + 1] + to_go[step + 1] - expected
        draws += expected - to_go[step]
        for player, action in actions.items():
            costs[player] += number(judge.verdict(state, player, action).cost)
    mine, theirs = costs[seat], costs[1 - seat]
    return Account(sum(received), value, chance, draws + mine - theirs, mine, theirs)


def paid(result: float) -> str:
    """Says what the human player won or lost."""
    if abs(result) <= NOTHING:
        return "You broke even"
    return f"You {'won' if result > 0.0 else 'lost'} {in_points(abs(result))}"


def cause(opponent: str) -> str:
    """Names what luck is due to: its mean is 0 only against the equilibrium; moves of other policies can be guessed."""
    return "luck" if opponent == EQUILIBRIUM else "luck and guessing"


def _named(opponent: str) -> str:
    """The player with this policy, inside a sentence."""
    return in_sentence(player_name(opponent))


def brought(luck: float) -> str:
    """Says how much luck brought or cost the human player."""
    return f"{'brought' if luck > 0.0 else 'cost'} you {amount(abs(luck))}"


def amount(number: float, sign: str = "", *, least: float = NOTHING) -> str:
    """Formats a number with at most three decimals; `sign="+"` also shows the sign of positive ones.

    Positive numbers up to `least`, which is 0 for costs, are shown as 0.
    """
    if _tiny(number, least):
        return f"less than {0.1**DIGITS:.{DIGITS}f}"
    near = round(number, DIGITS) + 0.0
    return f"{near:{sign if near else ''}.{DIGITS}f}".rstrip("0").rstrip(".")


def decimals(number: float, *, least: float = NOTHING) -> str:
    """Formats a cost (with `least=0`) or a probability with three decimals, for tables."""
    return f"<{0.1**DIGITS:.{DIGITS}f}" if _tiny(number, least) else points(number, DIGITS)


def _tiny(number: float, least: float) -> bool:
    """Whether a number is above `least`, but would be shown as 0."""
    return least < number < 0.5 * 0.1**DIGITS


def in_points(number: float, sign: str = "", *, least: float = NOTHING) -> str:
    """Formats a number like `amount`, with the unit."""
    text = amount(number, sign, least=least)
    return f"{text} point{'' if text.lstrip('+-') == '1' else 's'}"


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
            account = account_of(trainer)
            self.accounts += [account] if account else []

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

    def sentences(self) -> list[str]:
        """The running total, and what the games show about both players; empty before the first game."""
        if not self.results:
            return []
        won, lost = self.score
        even = len(self.results) - won - lost
        level = f" and broke even in {even}" if even else ""
        total = f"{in_points(sum(self.results), '+')} in total"
        mean = [self._mean()] if len(self.results) >= FEWEST_GAMES else []
        return [f"In {_games(self.results)} you won {won}, lost {lost}{level}: {total}.", *self._mistakes(), *mean]

    def _mistakes(self) -> list[str]:
        if not self.accounts:
            return []
        (opponent,), count = self.table.opponents.values(), len(self.accounts)
        mine, theirs, luck = (
            sum(getattr(account, name) for account in self.accounts) for name in ("mine", "theirs", "luck")
        )
        lost_by_me, lost_by_them = (amount(lost / count, least=0) for lost in (mine, theirs))
        costs = f"your moves gave away {lost_by_me} and those of {_named(opponent)} {lost_by_them}"
        sentences = [f"Per game, {costs} (means of the exact costs in {_games(self.accounts)})."]
        if abs(luck) > NOTHING:
            without = amount((sum(self.results) - luck) / count, "+")
            caused = f"{cause(opponent).capitalize()} {brought(luck)} in total"
            sentences.append(f"{caused}; otherwise your result would be {without} a game.")
        return sentences

    def _mean(self) -> str:
        facts = self.table.game.facts
        mean, low, high = (
            amount(end, "+") for end in mean_interval(np.array(self.results), facts.min_payoff, facts.max_payoff)
        )
        return f"Your mean result is {mean} a game; {CONFIDENCE:.0%} interval {low} to {high}."


def _games(games: list[float] | list[Account]) -> str:
    return f"{len(games)} game{'' if len(games) == 1 else 's'}"
