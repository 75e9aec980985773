"""Figures of recorded games whose moves are judged: exact costs of moves, and means over games with intervals."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np

from baselines.matches.games import NOBODY, winners_of
from baselines.matches.intervals import Interval, mean_interval
from baselines.matches.ratings import elo
from cardwar_envs import Game, Revealed
from cardwar_play.judge import ROUNDING, Judge, Verdict
from cardwar_play.recorded.played import MOST_CACHED, Played

# Players that get Elo points, from a matrix of all pairs.
MOST_RATED = 500


@dataclass(frozen=True, eq=False)
class Decision:
    """A move of a player whose choice could matter, and its verdict; shared by all games in which it occurs."""

    game: Game[Any]
    state: Any
    seat: int
    verdict: Verdict

    def name_of(self, action: int) -> str:
        """Returns the name of an action."""
        return self.game.describe_action(action, self.seat)

    @cached_property
    def information(self) -> Any:
        """What identifies the player's information state."""
        public = self.game.facts.public_state
        return self.seat, self.state if public else self.game.observation(self.state, self.seat).tobytes()


class JudgedGame(NamedTuple):
    """A game; `names` tell the seats apart if a player plays against itself; `steps` are its joint actions."""

    where: str
    names: tuple[str, ...]
    payoffs: tuple[float, ...]
    over: bool
    steps: tuple[tuple[Decision, ...], ...]


class Finding(NamedTuple):
    """Moves of a player at one information state. `cost` is that of the dearest, `total` of all; both are exact."""

    player: str
    seat: int
    saw: str
    played: str
    best: list[str]
    cost: float
    times: int
    total: float
    first: str


class Figures(NamedTuple):
    """Figures of one player, in payoff points.

    Attributes:
        games: Number of games; means per game are over the finished ones.
        moves: Number of judged moves; without a choice, or when the payoffs are decided, none is counted.
        free: Number of judged moves that cost nothing.
        unjudged: Number of other moves where the opponent's equilibrium strategy never leads.
        total_cost: The cost of the judged moves, exact.
        cost_per_game: Sampled; None without a finished game, and so is `payoff_per_game`.
        payoff_per_game: Sampled.
        results: Games won, tied and lost.
        variance_ratio: Variance of the payoff per game divided by that of the cost per game; None if costs are equal.
        cost_by_move: Number of the joint action, from 1 -> mean cost over the games with a judged move there, sampled.
    """

    games: int
    moves: int
    free: int
    unjudged: int
    total_cost: float
    cost_per_game: Interval | None
    payoff_per_game: Interval | None
    results: tuple[int, ...]
    variance_ratio: float | None
    cost_by_move: dict[int, Interval]


class Judged:
    """Recorded games with equal rules, judged by their equilibrium."""

    def __init__(self, judge: Judge) -> None:
        self.judge, self.game = judge, judge.solution.game
        self.games: list[JudgedGame] = []
        self._decisions = lru_cache(MOST_CACHED)(self._judged)

    def add(self, played: Played) -> None:
        """Judges a game."""
        episode, names = played.episode, played.names
        if len(set(names)) < len(names):
            names = tuple(f"{name} (player_{seat})" for seat, name in enumerate(names))
        joint = zip(episode.states, episode.actions, strict=False)
        steps = tuple(self._decisions(state, tuple(actions.items())) for state, actions in joint)
        self.games.append(JudgedGame(played.where, names, episode.payoffs, played.over, steps))

    def _judged(self, state: Any, actions: tuple[tuple[int, int], ...]) -> tuple[Decision, ...]:
        if self.game.settled(state) is not None:
            return ()
        verdicts = ((seat, self.judge.verdict(state, seat, action)) for seat, action in actions)
        return tuple(Decision(self.game, state, seat, verdict) for seat, verdict in verdicts if len(verdict.costs) > 1)

    def figures(self) -> dict[str, Figures]:
        """Returns the figures of each player, by name."""
        parts: dict[str, list[Any]] = defaultdict(list)
        for game, winner in zip(self.games, self._winners(), strict=True):
            for seat, name in enumerate(game.names):
                own = [(n, d.verdict) for n, decisions in enumerate(game.steps, 1) for d in decisions if d.seat == seat]
                parts[name].append((own, game.payoffs[seat], _score(winner, seat) if game.over else None))
        return {name: self._figures(games) for name, games in parts.items()}

    def _winners(self) -> list[int]:
        return winners_of(np.array([game.payoffs for game in self.games])).tolist() if self.games else []

    def _figures(self, games: list[Any]) -> Figures:
        facts, by_number = self.game.facts, defaultdict[int, list[float]](list)
        for own, _, _ in games:
            for number, verdict in own:
                if verdict.met:
                    by_number[number].append(verdict.cost)
        costs = [cost for number in by_number for cost in by_number[number]]
        most = facts.max_payoff - facts.min_payoff  # a move costs at most this
        lost = np.array([sum(verdict.cost for _, verdict in own) for own, _, score in games if score is not None])
        paid = np.array([payoff for _, payoff, score in games if score is not None])
        scores = [score for _, _, score in games]
        return Figures(
            len(games),
            len(costs),
            costs.count(0.0),
            sum(len(own) for own, _, _ in games) - len(costs),
            sum(costs),
            mean_interval(lost, 0.0, most * facts.max_length) if len(lost) else None,
            mean_interval(paid, facts.min_payoff, facts.max_payoff) if len(paid) else None,
            tuple(map(scores.count, (1.0, 0.5, 0.0))),
            float(paid.var() / lost.var()) if len(lost) and lost.std() > ROUNDING * most else None,
            {number: mean_interval(np.array(by_number[number]), 0.0, most) for number in sorted(by_number)},
        )

    def elo(self) -> dict[str, float]:
        """Returns Elo points by name from the results of finished games, sampled; empty if undefined, or too many."""
        ends = zip(self.games, self._winners(), strict=True)
        results = Counter((game.names, winner) for game, winner in ends if game.over)
        names = list(dict.fromkeys(name for pair, _ in results for name in pair))
        if len(names) > MOST_RATED:
            return {}
        scores, games = np.zeros((2, len(names), len(names)))
        for (pair, winner), times in results.items():
            row, column = map(names.index, pair)
            games[[row, column], [column, row]] += times
            scores[[row, column], [column, row]] += [times * _score(winner, seat) for seat in (0, 1)]
        try:
            ratings = elo(np.divide(scores, games, out=scores, where=games > 0.0), games)
        except ValueError:
            return {}
        return dict(zip(names, ratings.tolist(), strict=True))

    def findings(self) -> tuple[list[Finding], list[Finding]]:
        """Returns equal moves, the dearest first, and all costly moves at an information state, the worst first."""
        times: Counter[tuple[str, Decision]] = Counter()
        first: dict[tuple[str, Decision], str] = {}
        for game in self.games:
            for number, decisions in enumerate(game.steps, 1):
                for decision in decisions:
                    if decision.verdict.cost > 0.0:
                        key = game.names[decision.seat], decision
                        times[key] += 1
                        first.setdefault(key, f"{game.where}, move {number}")
        moves, states = dict[Any, Finding](), dict[Any, Finding]()
        for key in sorted(times, key=lambda key: (key[1].verdict.cost, times[key]), reverse=True):
            new, (name, decision) = self._finding(*key, times[key], first[key]), key
            for found, group in ((moves, decision.verdict.played), (states, None)):
                old = found.get(place := (name, decision.information, group), new._replace(times=0, total=0.0))
                found[place] = old._replace(times=old.times + new.times, total=old.total + new.total)
        return [*moves.values()], sorted(states.values(), key=lambda each: each.total, reverse=True)

    def _finding(self, name: str, decision: Decision, times: int, first: str) -> Finding:
        verdict, unpaid = decision.verdict, (0.0,) * self.game.facts.num_players
        best = [decision.name_of(action) for action, cost in verdict.costs.items() if cost == 0.0]
        saw = self.game.describe_revealed(Revealed(decision.state, decision.seat, None, unpaid, False))
        played, cost = decision.name_of(verdict.played), verdict.cost
        return Finding(name, decision.seat, saw, played, best, cost, times, times * cost, first)


def _score(winner: int, seat: int) -> float:
    return 0.5 if winner == NOBODY else float(winner == seat)
