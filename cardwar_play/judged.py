"""Figures of recorded games whose moves are judged: exact costs of moves, and means over games with intervals."""

from __future__ import annotations

from collections import defaultdict
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np

from baselines.matches.intervals import Interval, mean_interval
from baselines.matches.ratings import elo, nash_averaging
from baselines.oracles.answers.protocol import lead
from cardwar_envs import Game, Revealed
from cardwar_play.judge import Judge, Verdict
from cardwar_play.recorded.played import MOST_CACHED, Played

# A move, who made it, and where.
Made = tuple["Decision", str, str]
# Players that are rated, from a matrix of all pairs; findings of each kind.
MOST_RATED, MOST_FOUND = 100, 100


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
    def cost(self) -> float:
        """What the move gave away, in payoff points."""
        return self.verdict.cost

    @cached_property
    def information(self) -> Any:
        """What identifies the player's information state."""
        public = self.game.facts.public_state
        return self.seat, self.state if public else self.game.observation(self.state, self.seat).tobytes()


class JudgedGame(NamedTuple):
    """A game, with the judged moves, each with the number of the joint action, from 1.

    `names` tell the seats apart if a player plays against itself; `ahead` is the sign of player_0's lead.
    """

    where: str
    names: tuple[str, ...]
    payoffs: tuple[float, ...]
    costs: tuple[float, ...]
    ahead: float
    over: bool
    moves: tuple[tuple[int, Decision], ...]


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
        elo: Elo points from these results, sampled; None if no games connect all players.
        nash_average: Payoff per game against the equilibrium of the players, sampled; None if two never met.
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
    elo: float | None
    nash_average: float | None
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
        joint = enumerate(zip(episode.states, episode.actions, strict=False), 1)
        moves = [(n, each) for n, (state, made) in joint for each in self._decisions(state, tuple(made.items()))]
        costs = tuple(sum(each.cost for _, each in moves if each.seat == seat) for seat in (0, 1))
        ahead = float(np.sign(lead(*map(np.array, episode.payoffs))))
        self.games.append(JudgedGame(played.where, names, episode.payoffs, costs, ahead, played.over, tuple(moves)))

    def _judged(self, state: Any, actions: tuple[tuple[int, int], ...]) -> tuple[Decision, ...]:
        if self.game.settled(state) is not None:
            return ()
        made = [Decision(self.game, state, seat, self.judge.verdict(state, seat, action)) for seat, action in actions]
        return tuple(each for each in made if len(each.verdict.costs) > 1)

    def figures(self) -> dict[str, Figures]:
        """Returns the figures of each player, by name."""
        parts: dict[str, list[tuple[JudgedGame, int]]] = defaultdict(list)
        for game in self.games:
            for seat, name in enumerate(game.names):
                parts[name].append((game, seat))
        points, averages = self._ratings()
        return {name: self._figures(games, points.get(name), averages.get(name)) for name, games in parts.items()}

    def _figures(self, games: list[tuple[JudgedGame, int]], points: float | None, average: float | None) -> Figures:
        facts, by_number = self.game.facts, defaultdict[int, list[float]](list)
        own = [(number, each) for game, seat in games for number, each in game.moves if each.seat == seat]
        for number, each in own:
            if each.verdict.met:
                by_number[number].append(each.cost)
        costs = [each.cost for _, each in own if each.verdict.met]
        most = facts.max_payoff - facts.min_payoff  # a move costs at most this
        ended = [(game, seat) for game, seat in games if game.over]
        lost = np.array([game.costs[seat] for game, seat in ended])
        paid = np.array([game.payoffs[seat] for game, seat in ended])
        ahead = [game.ahead * (1 - 2 * seat) for game, seat in ended]
        return Figures(
            len(games),
            len(costs),
            costs.count(0.0),
            len(own) - len(costs),
            sum(costs),
            mean_interval(lost, 0.0, most * facts.max_length) if ended else None,
            mean_interval(paid, facts.min_payoff, facts.max_payoff) if ended else None,
            tuple(map(ahead.count, (1, 0, -1))),
            points,
            average,
            {number: mean_interval(np.array(by_number[number]), 0.0, most) for number in sorted(by_number)},
        )

    def _ratings(self) -> tuple[dict[str, float], dict[str, float]]:
        """Returns Elo points and Nash averages by name; empty if undefined, or of too many players."""
        ended = [game for game in self.games if game.over]
        places = {name: i for i, name in enumerate(dict.fromkeys(name for game in ended for name in game.names))}
        if not 0 < len(places) <= MOST_RATED:
            return {}, {}
        games, scores, payoffs = np.zeros((3, len(places), len(places)))
        for game in ended:
            row, column = (places[name] for name in game.names)
            games[row, column] += 1
            scores[row, column] += game.ahead / 2
            payoffs[row, column] += (game.payoffs[0] - game.payoffs[1]) / 2
        games += games.T
        scores, payoffs = ((each - each.T) / np.maximum(games, 1) for each in (scores, payoffs))
        rated: list[dict[str, float]] = [{}, {}]
        with suppress(ValueError):  # games do not connect all players
            rated[0] = dict(zip(places, elo(0.5 + scores, games).tolist(), strict=True))
        if (games + np.eye(len(places))).all():
            rated[1] = dict(zip(places, nash_averaging(payoffs).ratings.tolist(), strict=True))
        return rated[0], rated[1]

    def findings(self) -> tuple[list[Finding], list[Finding]]:
        """Returns equal moves, the dearest first, and all costly moves at an information state, the worst first."""
        moves, states = defaultdict[Any, list[Made]](list), defaultdict[Any, list[Made]](list)
        for game in self.games:
            for number, each in game.moves:
                if each.cost > 0.0:
                    place = game.names[each.seat], each.information
                    for made in (moves[place, each.verdict.played], states[place]):
                        made.append((each, game.names[each.seat], f"{game.where}, move {number}"))
        dearest = sorted(moves.values(), key=lambda made: (made[0][0].cost, len(made)), reverse=True)
        worst = sorted(states.values(), key=_total, reverse=True)
        return [*map(_finding, dearest[:MOST_FOUND])], [*map(_finding, worst[:MOST_FOUND])]


def _total(made: list[Made]) -> float:
    return sum(each.cost for each, *_ in made)


def _finding(made: list[Made]) -> Finding:
    """Describes the dearest of some moves at one information state."""
    each, name, first = max(made, key=lambda found: found[0].cost)
    view = Revealed(each.state, each.seat, None, (0.0,) * each.game.facts.num_players, False)
    played, best = each.verdict.played, [action for action, lost in each.verdict.costs.items() if lost == 0.0]
    texts = each.game.describe_revealed(view), each.name_of(played), [*map(each.name_of, best)]
    return Finding(name, each.seat, *texts, each.cost, len(made), _total(made), first)
