"""WAR with the full deck, where nothing is solved: cross-play of all strategies, and how far each is from safe.

The best response to a strategy is out of reach here, but any response bounds its exploitability from
below: what the best of many responses wins, over both seats, is a lower bound. Who never mixes is met
by the adversaries; who plays at random by responses that weigh what a card can win and lose.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations_with_replacement
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from baselines.cross_play import CrossPlay, cross_play
from baselines.oracle import Progress
from baselines.reproduction.report import Number, Report, Row, Verdict
from cardwar_envs.core.policy import Policy
from cardwar_envs.games.war import War

STRATEGIES = (
    *("min", "max", "dummie"),
    *("simple_minded_1", "simple_minded_1_as_written", "simple_minded_2", "simple_minded_2_as_written"),
)
ADVERSARIES = ("general_purpose_adversary", "general_purpose_adversary_as_written")
GAME = War()
PAIR_GAMES = 1000
# Games to choose among responses by, and others to measure the chosen one.
TRIAL_GAMES, FINAL_GAMES = 300, 2000
SEED = 2017
# One-sided 97.5 % limits.
WIDTH = 1.959964


class ExpectedGain:
    """Against a random player: the card that wins most, on average, less what it loses.

    A card is worth `(rank + shift) ** power`, the lowest having rank 0, whoever holds it; what is in
    the pot counts as well. The other's card is any of its hand alike; a tie is worth nothing.

    Attributes:
        stationary: It plays alike however many rounds are left.
    """

    stationary = True

    def __init__(self, game: War, shift: float, power: float) -> None:
        self._game = game
        self._worth = (np.arange(game.ranks) + shift) ** power

    def action_probabilities(
        self, observations: NDArray[np.float32], action_masks: NDArray[np.int8]
    ) -> NDArray[np.float64]:
        """`[batch, num_actions]`: all weight on one action."""
        ranks, wait = self._game.ranks, self._game.actions.wait
        own, others = observations[:, :ranks], observations[:, 2 * ranks : 3 * ranks]
        pot = observations[:, 4 * ranks : 5 * ranks] @ self._worth
        gains = self._gains(others / np.maximum(others.sum(axis=1, keepdims=True), 1.0), pot)
        probabilities = np.zeros(action_masks.shape)
        for row, mask in enumerate(action_masks):
            held = np.repeat(np.arange(ranks), own[row].astype(np.int64))
            at_war = not mask[:ranks].any()
            # The lowest cards are discarded, and the rest battles as in a round.
            upper = held[self._game.discards :] if at_war else held
            action = wait
            if not mask[wait]:
                card = self._game.cards[upper[gains[row, upper].argmax()]]
                low = [self._game.cards[rank] for rank in held[: self._game.discards]]
                action = self._game.actions.encode((low, card) if at_war else card)
            probabilities[row, action] = 1.0
        return probabilities

    def _gains(self, odds: NDArray[np.float64], pot: NDArray[np.float64]) -> NDArray[np.float64]:
        """`[batch, ranks]` expected gain of each card, given the odds of each rank of the other's."""
        below = np.cumsum(odds, axis=1) - odds
        above = 1.0 - below - odds
        won = np.cumsum(odds * self._worth, axis=1) - odds * self._worth
        gains: NDArray[np.float64] = won - above * self._worth + (below - above) * pot[:, None]
        return gains


# Shift and power of the worths tried: every card alike, by rank, and ever more for high ranks.
TRIED = tuple((shift, power) for shift in (1.0, 4.0) for power in (0.0, 0.5, 1.0, 2.0, 3.0))


@dataclass(frozen=True)
class Bound:
    """What is known of a strategy's exploitability.

    Attributes:
        strategy: Its name.
        response: What does best against it, of all that was tried.
        won: Mean payoff of the response over both seats, payoff points.
        least: The same with 97.5 % confidence; certain where there is no chance.
        games: Games in both seats together.
    """

    strategy: str
    response: str
    won: float
    least: float
    games: int


def reproduce(progress: Progress | None = None) -> Report:
    """Cross-play of all pairs, and a lower bound on the exploitability of each strategy.

    Args:
        progress: Called now and then with the number of pairs and responses played.
    """
    pairs = dict(_pairs(progress))
    bounds = [bound(name) for name in STRATEGIES]
    checks = {
        "a strategy against itself wins as often from either seat": all(
            abs(played.wins[0] - played.wins[1]) <= 4 * sqrt(played.games)
            for (first, second), played in pairs.items()
            if first == second
        ),
        "no bound exceeds what can be won": all(each.least <= GAME.facts.max_payoff for each in bounds),
    }
    return Report(
        rows=tuple(bound_rows(bounds)),
        sound=all(checks.values()),
        tables={"cross_play": list(pair_table(pairs)), "bounds": list(bound_table(bounds))},
        checks=checks,
    )


def _pairs(progress: Progress | None) -> Iterator[tuple[tuple[str, str], CrossPlay]]:
    names = [*combinations_with_replacement(STRATEGIES, 2)]
    names += [(adversary, name) for adversary in ADVERSARIES for name in STRATEGIES if name != "dummie"]
    for count, pair in enumerate(names, start=1):
        yield pair, cross_play(GAME, pair, games=PAIR_GAMES, seed=SEED)
        if progress is not None:
            progress(count)


def bound(strategy: str) -> Bound:
    """A lower bound on a strategy's exploitability: what the best response found wins in both seats."""
    if strategy != "dummie":
        wins = {name: _won(name, strategy, 1) for name in (*ADVERSARIES, *STRATEGIES) if name != "dummie"}
        best = max(wins, key=lambda name: wins[name][0])
        return Bound(strategy, best, *wins[best], games=2)
    responses: dict[str, str | Policy] = {name: name for name in STRATEGIES}
    for shift, power in TRIED:
        responses[f"expected gain, (rank + {shift:g})^{power:g}"] = ExpectedGain(GAME, shift, power)
    trials = {name: _won(response, strategy, TRIAL_GAMES)[0] for name, response in responses.items()}
    best = max(trials, key=lambda name: trials[name])
    # Measured anew: the best of many trials is partly luck.
    return Bound(strategy, best, *_won(responses[best], strategy, FINAL_GAMES, SEED + 1), games=2 * FINAL_GAMES)


def _won(response: str | Policy, strategy: str, games: int, seed: int = SEED) -> tuple[float, float]:
    """Mean payoff of a response over both seats, and its lower limit."""
    first = cross_play(GAME, (response, strategy), games=games, seed=seed)
    second = cross_play(GAME, (strategy, response), games=games, seed=seed)
    means, variances = [], []
    for played, seat in ((first, 0), (second, 1)):
        share = [played.wins[seat] / played.games, played.wins[1 - seat] / played.games]
        means.append(share[0] - share[1])
        variances.append((sum(share) - means[-1] ** 2) / played.games if played.rounds is None else 0.0)
    return sum(means) / 2, sum(means) / 2 - WIDTH * sqrt(sum(variances)) / 2


def bound_rows(bounds: list[Bound]) -> Iterator[Row]:
    """A row for each strategy."""
    for each in bounds:
        reason = f"{each.response} wins {each.won:.4g} points a game on average over {each.games:,} games in both seats"
        item = f"{each.strategy}: exploitability, at least (97.5 % sure)"
        yield Row("Full deck", item, None, each.least, None, Verdict.NEW, reason)


def bound_table(bounds: list[Bound]) -> Iterator[tuple[Number, ...]]:
    """A heading row and a row for each strategy."""
    yield ("strategy", "best response found", "wins", "at least", "games")
    for each in bounds:
        yield (each.strategy, each.response, each.won, each.least, each.games)


def pair_table(pairs: dict[tuple[str, str], CrossPlay]) -> Iterator[tuple[Number, ...]]:
    """A heading row and a row for each pair."""
    yield ("first", "second", "games", "first wins", "second wins", "nobody", "unfinished", "mean_rounds")
    for (first, second), played in pairs.items():
        yield (first, second, played.games, *played.wins, played.nobody, played.unfinished, played.mean_rounds)
