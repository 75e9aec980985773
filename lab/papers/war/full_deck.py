"""WAR with the full deck, which is not solved: cross-play of all strategies, and lower bounds on exploitability.

Best responses cannot be computed for the full deck, but the mean payoff of any response over both seats is a lower
bound on a strategy's exploitability. The responses are the adversaries against deterministic strategies and, against
random play, strategies that weigh what a card can win and lose.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import astuple, dataclass
from itertools import combinations_with_replacement
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from baselines.matches.line_ups import CrossPlay, cross_play
from baselines.opponents.war import Cards, Ranks, WarPlayer
from baselines.oracles.answers.protocol import Progress
from cardwar_envs.core.policy import Policy
from cardwar_envs.games.war import War
from lab.papers.findings import Finding, Reproduction, new
from lab.papers.war.adversary_search import ADVERSARIES
from lab.papers.war.win_ratios import WIDTH

STRATEGIES = (
    *("min", "max", "dummie"),
    *("simple_minded_1", "simple_minded_1_as_written", "simple_minded_2", "simple_minded_2_as_written"),
)

GAME = War()
PAIR_GAMES = 1000
# Games used to select a response, and further games that measure the selected one.
TRIAL_GAMES, FINAL_GAMES = 300, 2000
SEED = 2017


class ExpectedGain(WarPlayer):
    """Plays, against a random player, the card with the highest expected gain minus loss.

    A card is worth `(rank + shift) ** power`, with rank 0 for the lowest, whoever holds it; cards in the pot count as
    well. The opponent plays each card of its hand with equal probability; a tie is worth nothing.
    """

    def __init__(self, game: War, shift: float, power: float) -> None:
        super().__init__(game)
        self._worth = (np.arange(game.ranks) + shift) ** power

    def _rank(self, hand: Cards, others: Cards, at_war: NDArray[np.bool_], pot: Cards) -> Ranks:
        other = others[:, 0]
        gains = self._gains(other / np.maximum(other.sum(axis=1, keepdims=True), 1.0), pot @ self._worth)
        return np.asarray(np.where(hand > 0, gains, -np.inf).argmax(axis=1))

    def _gains(self, odds: NDArray[np.float64], pot: NDArray[np.float64]) -> NDArray[np.float64]:
        """Returns `[batch, ranks]` expected gain of each card, given the probability of each rank for the opponent."""
        below = np.cumsum(odds, axis=1) - odds
        above = 1.0 - below - odds
        won = np.cumsum(odds * self._worth, axis=1) - odds * self._worth
        return np.asarray(won - above * self._worth + (below - above) * pot[:, None])


# Shifts and powers to try: all cards equal, by rank, and increasingly in favour of high ranks.
TRIED = tuple((shift, power) for shift in (1.0, 4.0) for power in (0.0, 0.5, 1.0, 2.0, 3.0))


@dataclass(frozen=True)
class Bound:
    """A lower bound on a strategy's exploitability."""

    strategy: str
    response: str  # the best of the responses tried
    won: float  # mean payoff of the response over both seats, in payoff points
    least: float  # lower limit of that mean with 97.5 % confidence; certain if there is no chance
    games: int  # games in both seats together


def reproduce(progress: Progress | None = None) -> Reproduction:
    """Cross-play of all pairs, and a lower bound on the exploitability of each strategy."""
    pairs = dict(_pairs(progress))
    bounds = [bound(name) for name in STRATEGIES]
    alike = [played for (first, second), played in pairs.items() if first == second]
    return Reproduction(
        findings=list(map(bound_finding, bounds)),
        checks={
            "a strategy against itself wins as often from either seat": all(
                abs(played.wins[0] - played.wins[1]) <= 4 * sqrt(played.games) for played in alike
            ),
            "no bound exceeds what can be won": all(each.least <= GAME.facts.max_payoff for each in bounds),
        },
        tables={
            "cross_play": [
                ["first", "second", "games", "first wins", "second wins", "nobody", "unfinished", "mean_rounds"],
                *([*pair, p.games, *p.wins, p.nobody, p.unfinished, p.mean_rounds] for pair, p in pairs.items()),
            ],
            "bounds": [["strategy", "best response found", "wins", "at least", "games"], *map(astuple, bounds)],
        },
    )


def _pairs(progress: Progress | None) -> Iterator[tuple[tuple[str, str], CrossPlay]]:
    names = [*combinations_with_replacement(STRATEGIES, 2)]
    names += [(adversary, name) for adversary in ADVERSARIES for name in STRATEGIES if name != "dummie"]
    for count, pair in enumerate(names, start=1):
        yield pair, cross_play(GAME, pair, games=PAIR_GAMES, seed=SEED)
        if progress is not None:
            progress(count)


def bound(strategy: str) -> Bound:
    """Returns a lower bound on a strategy's exploitability: the payoff of the best response found, over both seats."""
    if strategy != "dummie":
        wins = {name: _won(name, strategy, 1) for name in (*ADVERSARIES, *STRATEGIES) if name != "dummie"}
        best = max(wins, key=lambda name: wins[name][0])
        return Bound(strategy, best, *wins[best], games=2)
    responses: dict[str, str | Policy] = {name: name for name in STRATEGIES}
    for shift, power in TRIED:
        responses[f"expected gain, (rank + {shift:g})^{power:g}"] = ExpectedGain(GAME, shift, power)
    trials = {name: _won(response, strategy, TRIAL_GAMES)[0] for name, response in responses.items()}
    best = max(trials, key=lambda name: trials[name])
    # Measured in new games: the best of many trials is partly luck.
    return Bound(strategy, best, *_won(responses[best], strategy, FINAL_GAMES, SEED + 1), games=2 * FINAL_GAMES)


def _won(response: str | Policy, strategy: str, games: int, seed: int = SEED) -> tuple[float, float]:
    """Returns the mean payoff of a response over both seats, and its lower limit."""
    means, variances = [], []
    for seat, pair in enumerate(((response, strategy), (strategy, response))):
        played = cross_play(GAME, pair, games=games, seed=seed)
        share = [played.wins[seat] / played.games, played.wins[1 - seat] / played.games]
        means.append(share[0] - share[1])
        variances.append((sum(share) - means[-1] ** 2) / played.games if played.rounds is None else 0.0)
    return sum(means) / 2, sum(means) / 2 - WIDTH * sqrt(sum(variances)) / 2


def bound_finding(each: Bound) -> Finding:
    """Formats a bound as a finding."""
    reason = f"{each.response} wins {each.won:.4g} points a game on average over {each.games:,} games in both seats"
    return new("Full deck", f"{each.strategy}: exploitability, at least (97.5 % sure)", each.least, reason)
