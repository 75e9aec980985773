"""Figures of recorded games whose moves are judged: exact costs of moves, and means over games with intervals."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np

from baselines.matches.games import NOBODY, winners_of
from baselines.matches.intervals import Interval, mean_interval
from baselines.matches.ratings import elo
from cardwar_envs import Game, Revealed
from cardwar_play.judge import Judge, Verdict
from cardwar_play.recorded.played import Played

# Joint actions whose verdicts are kept: games repeat themselves.
MOST_CACHED = 200_000


@dataclass(frozen=True, eq=False)
class Decision:
    """A move of a player who had a choice that could matter, shared by all games in which it occurs.

    Attributes:
        game: The rules.
        state: The state in which it was made.
        seat: The player.
        verdict: Its cost; not judged unless `verdict.met`.
    """

    game: Game[Any]
    state: Any
    seat: int
    verdict: Verdict

    @property
    def action(self) -> str:
        """The name of the action."""
        return self.game.describe_action(self.verdict.played, self.seat)

    @property
    def best(self) -> list[str]:
        """The names of the actions that cost nothing."""
        costs = self.verdict.costs
        return [self.game.describe_action(action, self.seat) for action, cost in costs.items() if cost == 0.0]

    @property
    def seen(self) -> str:
        """What the player saw, as text."""
        unpaid = (0.0,) * self.game.facts.num_players
        return self.game.describe_revealed(Revealed(self.state, self.seat, None, unpaid, False))

    @cached_property
    def information(self) -> Any:
        """What identifies the information state among those of the seat."""
        public = self.game.facts.public_state
        return self.state if public else self.game.observation(self.state, self.seat).tobytes()


class Finding(NamedTuple):
    """Equal moves of a player, or all its costly moves at one information state.

    Attributes:
        name: The player.
        decision: The dearest of the moves.
        where: The game and the move where it first occurred.
        times: The number of the moves.
        total: Their cost in payoff points, exact.
    """

    name: str
    decision: Decision
    where: str
    times: int
    total: float


@dataclass(frozen=True)
class Figures:
    """Figures of one player, by name, over all seats that it took.

    Attributes:
        games: Number of games.
        moves: Number of judged moves; without a choice, or when the payoffs are decided, none is counted.
        unjudged: Number of other moves where the opponent's equilibrium strategy never leads.
        free: Number of judged moves that cost nothing.
        total: The cost of the judged moves in payoff points, exact.
        cost: Cost per game in payoff points, sampled, over finished games; in a game against itself, the mean of both
            seats. None without a finished game. So is `payoff`.
        payoff: Payoff per game, sampled.
        results: Games won, tied and lost against others.
        spread: Variance of the payoff per game divided by that of the cost per game; None if the cost never varies.
        by_number: Number of the joint action, from 1 -> cost of a move there, sampled, over games with a judged one.
    """

    games: int
    moves: int
    unjudged: int
    free: int
    total: float
    cost: Interval | None
    payoff: Interval | None
    results: tuple[int, int, int]
    spread: float | None
    by_number: dict[int, Interval]


class Judged:
    """Recorded games with equal rules, judged by their equilibrium."""

    def __init__(self, judge: Judge) -> None:
        self.judge, self.game = judge, judge.solution.game
        self.games = list[tuple[Played, list[tuple[Decision, ...]]]]()
        self._decisions = lru_cache(MOST_CACHED)(self._judged)

    def add(self, played: Played) -> None:
        """Judges a game."""
        episode = played.episode
        steps = zip(episode.states, episode.actions, strict=False)
        self.games.append((played, [self._decisions(state, tuple(actions.items())) for state, actions in steps]))

    def _judged(self, state: Any, actions: tuple[tuple[int, int], ...]) -> tuple[Decision, ...]:
        if self.game.settled(state) is not None:
            return ()
        verdicts = ((seat, self.judge.verdict(state, seat, action)) for seat, action in actions)
        return tuple(Decision(self.game, state, seat, verdict) for seat, verdict in verdicts if len(verdict.costs) > 1)

    def figures(self) -> dict[str, Figures]:
        """Returns the figures of each player, by name."""
        samples: dict[str, _Samples] = defaultdict(_Samples)
        for (played, steps), paid, winner in self._results():
            for name in dict.fromkeys(played.names):
                samples[name].add(name, played, steps, paid, winner)
        return {name: own.figures(self.game) for name, own in samples.items()}

    def _results(self) -> Iterable[tuple[tuple[Played, list[tuple[Decision, ...]]], list[float], int]]:
        """Yields each game with its payoffs and the winner's seat."""
        paid = np.array([played.episode.payoffs for played, _ in self.games])
        return zip(self.games, paid.tolist(), winners_of(paid).tolist() if self.games else [], strict=True)

    def elo(self) -> dict[str, float]:
        """Returns Elo points by name from the results of finished games, sampled; empty if they are undefined."""
        pairs = Counter((*p.names, winner) for (p, _), _, winner in self._results() if p.over and _differ(p))
        names = list(dict.fromkeys(name for first, second, _ in pairs for name in (first, second)))
        scores, games = np.zeros((2, len(names), len(names)))
        for (first, second, winner), times in pairs.items():
            row, column = names.index(first), names.index(second)
            games[[row, column], [column, row]] += times
            scores[[row, column], [column, row]] += [times * _score(winner, seat) for seat in (0, 1)]
        try:
            ratings = elo(np.divide(scores, games, out=scores, where=games > 0.0), games)
        except ValueError:
            return {}
        return dict(zip(names, ratings.tolist(), strict=True))

    def findings(self) -> tuple[list[Finding], list[Finding]]:
        """Returns the moves that cost something, by player and what it saw.

        Returns:
            Equal moves, the dearest first; and all costly moves at one information state, the highest total first.
        """
        times: Counter[tuple[str, Decision]] = Counter()
        first: dict[tuple[str, Decision], str] = {}
        for played, steps in self.games:
            for number, decisions in enumerate(steps, 1):
                for decision in decisions:
                    if decision.verdict.cost > 0.0:
                        key = played.names[decision.seat], decision
                        times[key] += 1
                        first.setdefault(key, f"{played.where}, move {number}")
        dear = sorted(times, key=lambda key: (key[1].verdict.cost, times[key]), reverse=True)
        moves, places = dict[Any, Finding](), dict[Any, Finding]()
        for name, decision in dear:
            place, count = (name, decision.seat, decision.information), times[name, decision]
            new = Finding(name, decision, first[name, decision], count, count * decision.verdict.cost)
            for found, key in ((moves, (*place, decision.verdict.played)), (places, place)):
                old = found.get(key, new._replace(times=0, total=0.0))
                found[key] = old._replace(times=old.times + new.times, total=old.total + new.total)
        return [*moves.values()], sorted(places.values(), key=lambda each: each.total, reverse=True)


@dataclass
class _Samples:
    """Samples of one player."""

    games: int = 0
    unjudged: int = 0
    costs: list[float] = field(default_factory=list)
    lost: list[float] = field(default_factory=list)  # per finished game
    paid: list[float] = field(default_factory=list)  # per finished game
    scores: list[float] = field(default_factory=list)  # per finished game against another player
    by_number: dict[int, list[float]] = field(default_factory=lambda: defaultdict(list))

    def add(
        self, name: str, played: Played, steps: Sequence[Sequence[Decision]], paid: Sequence[float], winner: int
    ) -> None:
        seats, lost = [seat for seat, other in enumerate(played.names) if other == name], 0.0
        for number, decisions in enumerate(steps, 1):
            own = [decision.verdict for decision in decisions if decision.seat in seats]
            costs = [verdict.cost for verdict in own if verdict.met]
            self.unjudged += len(own) - len(costs)
            if costs:
                lost += sum(costs)
                self.costs += costs
                self.by_number[number].append(sum(costs) / len(costs))
        self.games += 1
        if played.over:
            self.lost.append(lost / len(seats))
            self.paid.append(sum(paid[seat] for seat in seats) / len(seats))
            if _differ(played):
                self.scores.append(_score(winner, seats[0]))

    def figures(self, game: Game[Any]) -> Figures:
        low, high = game.facts.min_payoff, game.facts.max_payoff
        most = high - low  # a move costs at most this much
        lost, paid = np.array(self.lost), np.array(self.paid)
        varies = len(lost) > 0 and lost.var() > 0.0
        return Figures(
            self.games,
            len(self.costs),
            self.unjudged,
            self.costs.count(0.0),
            sum(self.costs),
            mean_interval(lost, 0.0, most * game.facts.max_length) if len(lost) else None,
            mean_interval(paid, low, high) if len(paid) else None,
            (self.scores.count(1.0), self.scores.count(0.5), self.scores.count(0.0)),
            float(paid.var() / lost.var()) if varies else None,
            {number: mean_interval(np.array(costs), 0.0, most) for number, costs in sorted(self.by_number.items())},
        )


def _differ(played: Played) -> bool:
    return len(set(played.names)) > 1


def _score(winner: int, seat: int) -> float:
    return 0.5 if winner == NOBODY else float(winner == seat)
