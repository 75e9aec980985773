"""How many games separate two players, by each measure, for `docs/ratings.md`: `python -m lab.certainty`.

Both players play each other, half of the games in either seat. The mean and the variance of each measure per game are
exact, from sums over all trajectories of the game; the number of games follows by the normal approximation.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray
from scipy.special import ndtri

from baselines import exploitability, head_to_head, solve
from baselines.oracles.state_graph.game_graph import GameGraph, full_graph
from baselines.system.files import write_atomically
from cardwar_envs import Game, Policy
from cardwar_envs.core.policy_names import named_policy
from cardwar_play.judge import Judge
from train.reports.curves import picture
from train.reports.markdown import rewrite, table
from train.text.game_names import game_from_words
from train.text.printing import points

COMMAND = "python -m lab.certainty"
PAGE, PICTURE = Path("docs/ratings.md"), Path("docs/games-needed.png")
# A two-sided test at this level, and the probability with which it finds a difference.
LEVEL, POWER = 0.01, 0.9
# Means up to this are rounded zeros.
NOTHING = 1e-9
MEASURES = ("wins", "Elo", "payoff", "cost")
# Games, and pairs of players, who are the policies of these names with a share of moves chosen uniformly.
PAIRS = {
    "jujitsu num_cards=5": (
        ("equilibrium", "equilibrium 10%"),
        ("equilibrium", "equilibrium 50%"),
        ("equilibrium 10%", "equilibrium 20%"),
        ("level:3", "level:2"),
        ("uniform", "highest_card"),
    ),
    "goofspiel num_cards=4": (
        ("equilibrium", "equilibrium 10%"),
        ("equilibrium 10%", "equilibrium 20%"),
        ("level:3", "level:2"),
        ("matching", "uniform"),
    ),
    "oshi_zumo coins=10 size=2": (
        ("equilibrium", "equilibrium 10%"),
        ("equilibrium 10%", "equilibrium 20%"),
        ("equilibrium 50%", "uniform"),
    ),
    "dice_wars num_cards=5 payoff=win ties=carry": (("equilibrium", "equilibrium 20%"),),
    "dice_wars num_cards=5": (("uniform", "highest_card"),),
}

Array = NDArray[np.float64]


class Moments(NamedTuple):
    """The mean and the mean square of a figure per game."""

    mean: float
    square: float

    def games(self, slope: float = 1.0, offset: float = 0.0) -> float:
        """Games that separate `offset + slope * (mean of games)` from 0; infinite if its expectation is 0."""
        spread = abs(slope) * math.sqrt(max(self.square - self.mean**2, 0.0))
        ahead = abs(offset + slope * self.mean)
        needed = float(ndtri(1.0 - LEVEL / 2.0) + ndtri(POWER))
        return math.inf if ahead <= NOTHING else max(1.0, (needed * spread / ahead) ** 2)


class Row(NamedTuple):
    """A pair of players.

    Attributes:
        exploitability: Of each player, in payoff points.
        elo: Elo points of the first player above the second, from games between the two.
        payoff: Mean payoff to the first player, in payoff points.
        cost: Mean cost per game of the second player minus that of the first, in payoff points.
        games: For each of `MEASURES`, games that separate the players.
    """

    game: str
    players: tuple[str, str]
    exploitability: tuple[float, float]
    elo: float
    payoff: float
    cost: float
    games: tuple[float, ...]


class Noisy:
    """Plays a policy, but a share of its moves is chosen uniformly."""

    def __init__(self, policy: Policy, share: float) -> None:
        self._policy, self._share = policy, share

    def action_probabilities(self, observations: Any, action_masks: Any) -> Array:
        """Mixes the policy's probabilities with uniform ones."""
        uniform = action_masks / action_masks.sum(axis=1, keepdims=True)
        planned = self._policy.action_probabilities(observations, action_masks)
        return np.asarray((1.0 - self._share) * planned + self._share * uniform)


def player(words: str, game: Game[Any]) -> Policy:
    """Returns the policy of a name, such as "uniform" or "equilibrium 10%"."""
    name, _, share = words.partition(" ")
    policy = named_policy(name, game)
    return Noisy(policy, float(share.rstrip("%")) / 100.0) if share else policy


@cache
def costs(game: Game[Any]) -> tuple[Array, Array]:
    """Returns the cost of each action at each state of the graph, `[states, actions]`, per seat; 0 for no move."""
    judge, graph = Judge(solve(game)), full_graph(game)
    found = np.zeros((2, len(graph.states), game.facts.num_actions))
    for number, state in enumerate(graph.states):
        for seat in game.acting_players(state):
            for action, cost in judge.verdict(state, seat, game.legal_actions(state, seat)[0]).costs.items():
                found[seat, number, action] = cost
    return found[0], found[1]


def moments(graph: GameGraph[Any], weights: Array, paid: Array, at_start: Array) -> Moments:
    """Returns the moments of a sum over a game, of what its edges pay, `[edges]`, and its start, `[roots]`."""
    mean, square = np.zeros(len(graph.states) + 1), np.zeros(len(graph.states) + 1)
    for states, edges in graph.backward():
        now, child, parent = paid[edges], graph.children[edges], graph.parents[edges] - states.start
        after = now * (now + 2.0 * mean[child]) + square[child]
        mean[states] = np.bincount(parent, weights[edges] * (now + mean[child]), states.stop - states.start)
        square[states] = np.bincount(parent, weights[edges] * after, states.stop - states.start)
    after = at_start * (at_start + 2.0 * mean[graph.roots]) + square[graph.roots]
    chances = graph.root_probabilities
    return Moments(float(chances @ (at_start + mean[graph.roots])), float(chances @ after))


def in_seat(game: Game[Any], policies: tuple[Policy, Policy], seat: int) -> tuple[Moments, Moments, Moments]:
    """Returns moments of score, payoff and saved cost of the first policy, playing in a seat."""
    graph, sign = full_graph(game), 1.0 - 2.0 * seat
    line_up = policies if seat == 0 else policies[::-1]
    odds = head_to_head(game, *line_up)
    won = odds.win if seat == 0 else odds.loss
    weights = graph.edge_weights([graph.action_probabilities(each, place) for place, each in enumerate(line_up)])
    # In states in which a player does not act, `END` selects the last action, which costs nothing there.
    lost = [of[graph.parents, chosen] for of, chosen in zip(costs(game), graph.actions.T, strict=True)]
    return (
        Moments(won + odds.tie / 2, won + odds.tie / 4),
        moments(graph, weights, graph.rewards[:, seat], graph.root_rewards[:, seat]),
        moments(graph, weights, sign * (lost[1] - lost[0]), np.zeros(len(graph.roots))),
    )


def compare(words: str, players: tuple[str, str]) -> Row:
    """Measures a pair of players."""
    name, *parameters = words.split()
    game = game_from_words(name, parameters)
    first, second = (player(each, game) for each in players)
    seats = [in_seat(game, (first, second), seat) for seat in (0, 1)]
    score, payoff, saved = (Moments(*np.mean(pair, axis=0).tolist()) for pair in zip(*seats, strict=True))
    share = score.mean
    logit, slope = math.log(share / (1.0 - share)), 1.0 / (share * (1.0 - share))
    games = (
        score.games(offset=-0.5),
        score.games(slope, logit - slope * share),  # by the delta method
        payoff.games(),
        saved.games(),
    )
    exploited = exploitability(game, first), exploitability(game, second)
    return Row(words, players, exploited, 400.0 * logit / math.log(10.0), payoff.mean, saved.mean, games)


def rows() -> list[Row]:
    """Measures all pairs."""
    return [compare(words, players) for words, pairs in PAIRS.items() for players in pairs]


def section(measured: Sequence[Row]) -> str:
    """Returns the table as Markdown."""
    headings = [
        "game",
        "players",
        "exploitability",
        "Elo",
        "payoff",
        "cost",
        *(f"by {each}" for each in MEASURES),
    ]
    cells = [
        [
            f"`{row.game}`",
            " v. ".join(row.players),
            " v. ".join(points(each, 3) for each in row.exploitability),
            points(row.elo, 0),
            *(points(each, 3) for each in (row.payoff, row.cost)),
            *("none" if math.isinf(games) else f"{float(f'{games:.3g}'):,.0f}" for games in row.games),
        ]
        for row in measured
    ]
    return table(headings, cells)


def draw(measured: Sequence[Row], figure: Figure) -> None:
    """Draws the numbers of games on a logarithmic axis; Elo would cover wins."""
    axes = figure.subplots()
    told = [row for row in measured if min(row.games) < math.inf]
    for measure, mark in (("wins", "s"), ("payoff", "D"), ("cost", "o")):
        found = [row.games[MEASURES.index(measure)] for row in told]
        size = {"wins": 7, "payoff": 4, "cost": 6}[measure]
        axes.plot(found, range(len(told)), mark, markersize=size, label=measure, alpha=0.8)
    axes.set_yticks(range(len(told)), [f"{row.game}: {' v. '.join(row.players)}" for row in told])
    axes.invert_yaxis()
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter(lambda games, place: f"{games:,.0f}")
    axes.set_xlabel(f"games that separate the players: test at {LEVEL:.0%}, power {POWER:.0%}")
    axes.grid(alpha=0.3)
    axes.legend(loc="lower left")


def main() -> None:
    """Writes the table and the picture."""
    measured = rows()
    write_atomically(PICTURE, picture(partial(draw, measured), 9.0, 1.2 + 0.3 * len(measured)))
    text = rewrite(PAGE.read_text(encoding="utf-8"), COMMAND, lambda part: section(measured))
    write_atomically(PAGE, text.encode())


if __name__ == "__main__":
    main()
