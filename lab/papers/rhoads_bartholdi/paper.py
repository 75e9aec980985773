"""Rhoads and Bartholdi 2012: optimal first bids in Goofspiel, and the exploitability of simple strategies.

The article solves 13 cards in random order by points, as this suite does. Its tables are not public, so the article's
verbal claims are judged, and figures are marked as new. A claim about bids is judged over all optimal strategies for
the first bid: a linear program computes how far the best strategy with some property falls short of the value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from math import factorial
from typing import cast

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog

from baselines.display.at_state import PlayAt
from baselines.oracles.answers.protocol import Progress
from baselines.oracles.answers.results import StateSolution
from baselines.questions import exploitability
from baselines.responses import best_response, head_to_head
from baselines.solutions.recorded import recorded
from baselines.solving import solve
from cardwar_envs.games.goofspiel import Goofspiel
from lab.papers.findings import Finding, Reproduction, Table, judge, new
from lab.papers.pictures import Figure, heat_map
from lab.papers.rhoads_bartholdi import PAPER

SIZES = range(3, 14)
LARGEST = 13
# Solved again and compared with the recorded solutions.
SOLVED_AGAIN = range(3, 9)
# Numbers of cards at which simple strategies are measured, and at which they meet optimal play.
MEASURED, MET = range(2, 10), range(2, 7)
SIMPLE = ("uniform", "matching", "matching_plus_one")
# A strategy counts as optimal if it falls short of the value by less (in payoff points). More than the certified gap.
OPTIMAL = 1e-8
# Probabilities that differ by less count as equal.
SAME = 1e-6

Array = NDArray[np.float64]
printed = PAPER.figure


def reproduce(progress: Progress | None = None) -> Reproduction:
    """Judges the article's claims on recorded solutions, and measures simple strategies."""
    bids = {size: first_bids(size) for size in SIZES}
    simple = simple_rows()
    return Reproduction(
        findings=(*claim_findings(bids), *count_findings(), *simple_findings(simple)),
        checks={
            "recorded values and first bids of 3 to 8 cards are those solved now": all(map(_is_solved, SOLVED_AGAIN)),
            "uniform play loses (n^2 - 1)/6 and matching n(n - 3)/2 points": _formulas_hold(simple),
        },
        tables={
            "first_bids": bids_table(bids),
            "claims": claims_table(bids),
            "simple": [["cards", *(f"{name} loses" for name in SIMPLE)], *simple],
            "met": met_table(),
        },
        pictures={"first_bids": partial(draw_bids, bids[LARGEST])},
    )


# -- first bids ------------------------------------------------------------------------------


def first_bids(size: int) -> list[PlayAt]:
    """Returns recorded play at the start, for each first prize."""
    game = Goofspiel(size)
    solution = recorded(game)
    return [solution.at(start.state) for start in game.initial()]


def shortfall(play: PlayAt, limits: Sequence[Array]) -> float:
    """Returns by how many payoff points player 0's best first bid with `mix @ limit <= 0` falls short of the value."""
    rows, columns = play.matrix.shape
    guarantee = np.column_stack([-play.matrix.T, np.ones(columns)])
    obeyed = np.column_stack([np.reshape(limits, (-1, rows)), np.zeros(len(limits))])
    found = linprog(
        np.append(np.zeros(rows), -1.0),
        A_ub=np.concatenate([guarantee, obeyed]),
        b_ub=np.zeros(columns + len(limits)),
        A_eq=[[*np.ones(rows), 0.0]],
        b_eq=[1.0],
        bounds=[(0.0, None)] * rows + [(None, None)],
    )
    return max(0.0, play.value + found.fun) if found.success and found.fun is not None else np.inf


def lone_bid(play: PlayAt) -> float:
    """Returns by how many payoff points the best pure bid falls short of the value."""
    return play.value - float(play.matrix.min(axis=1).max())


def unimodal(play: PlayAt) -> float:
    """Returns how far the best unimodal mix falls short of the value."""
    steps = -np.diff(np.eye(len(play.matrix)), axis=0)  # bid k minus bid k + 1
    return min(
        shortfall(play, [step if place < mode else -step for place, step in enumerate(steps)])
        for mode in range(len(play.matrix))
    )


def few_odd(play: PlayAt) -> float:
    """Returns how far the best mix falls short of the value if odd bids get at most their share of the cards."""
    odd = np.arange(1, len(play.matrix) + 1) % 2
    return shortfall(play, [odd - odd.mean()])


def low_greatest(play: PlayAt) -> float:
    """Returns how far the best mix falls short if the highest bid is at most as likely as the next one."""
    return shortfall(play, [np.append(np.zeros(len(play.matrix) - 2), [-1.0, 1.0])])


def few_alike(play: PlayAt) -> float:
    """Returns how far the best mix falls short with at most half of its weight on bids of the highest bid's parity."""
    alike = np.arange(len(play.matrix)) % 2 == int(np.flatnonzero(_columns(play)[2] > SAME)[-1]) % 2
    return shortfall(play, [alike - 0.5])


# Properties of all optimal first bids: no mix without them is as good.
NO_LONE_BID, NOT_UNIMODAL = "no lone bid", "not unimodal"
CLAIMS: dict[str, Callable[[PlayAt], bool]] = {
    NO_LONE_BID: lambda play: lone_bid(play) > OPTIMAL,
    NOT_UNIMODAL: lambda play: unimodal(play) > OPTIMAL,
    "odd bids above their share": lambda play: few_odd(play) > OPTIMAL,
    "parity of the greatest bid": lambda play: few_alike(play) > OPTIMAL,
    "greatest above next": lambda play: low_greatest(play) > OPTIMAL,
}


def claim_findings(bids: dict[int, list[PlayAt]]) -> Iterator[Finding]:
    """Judges the claims for 13 cards; those that the article hedges, about odd and greatest bids, are only counted."""
    plays = bids[LARGEST]
    holds = {name: [prize for prize, play in enumerate(plays, 1) if of(play)] for name, of in CLAIMS.items()}
    lone = printed("Abstract", "no deterministic strategy may succeed")
    yield judge(
        lone, bool(holds[NO_LONE_BID]), f"13 cards: no lone first bid is optimal for {_listed(holds[NO_LONE_BID])}"
    )
    modes = printed("Abstract", "the optimal probabilities of the bids are not unimodal")
    least = min(map(unimodal, plays))
    reason = f"unimodal first bids fall short by {least:.2g} points at least"
    yield judge(modes, len(holds[NOT_UNIMODAL]) == LARGEST, f"{reason}, for every first prize")
    for name in list(CLAIMS)[2:]:
        reason = f"of 13 first prizes: {_listed(holds[name])}"
        yield new("First bids", f"13 cards: {name}", float(len(holds[name])), reason)


def _listed(prizes: Sequence[int]) -> str:
    return f"prizes {', '.join(map(str, prizes))}" if prizes else "no prize"


def claims_table(bids: dict[int, list[PlayAt]]) -> Table:
    """Returns, for each size, the number of first prizes for which each claim holds."""
    rows = [[size, *(sum(map(of, plays)) for of in CLAIMS.values())] for size, plays in bids.items()]
    return [["cards", *CLAIMS], *rows]


def bids_table(bids: dict[int, list[PlayAt]]) -> Table:
    """Returns every first bid: its probability, and its range over all optimal mixes."""
    return [
        ["cards", "prize", "bid", "probability", "least", "greatest"],
        *(
            [size, prize, bid, *map(float, figures)]
            for size, plays in bids.items()
            for prize, play in enumerate(plays, start=1)
            for bid, figures in enumerate(zip(*_columns(play), strict=True), start=1)
        ),
    ]


def _columns(play: PlayAt) -> tuple[Array, Array, Array]:
    mix = play.mixes[0]
    if mix.low is None or mix.high is None:
        raise ValueError(f"the optimal first bids are not determined: {play}")
    return mix.probabilities, mix.low, mix.high


def _is_solved(size: int) -> bool:
    game, known = Goofspiel(size), recorded(Goofspiel(size))
    solution = cast(StateSolution, solve(game))
    plays = [(solution.at(start.state), known.at(start.state)) for start in game.initial()]
    values = [abs(one.value - other.value) for one, other in plays]
    ranges = [
        np.abs(np.subtract(_columns(one)[side], _columns(other)[side])).max() for one, other in plays for side in (1, 2)
    ]
    return max(values) <= OPTIMAL and max(ranges) <= SAME


def draw_bids(plays: Sequence[PlayAt]) -> Figure:
    """Draws the map of first bids by first prize."""
    mixes = [play.mixes[0].probabilities for play in plays]
    return heat_map(
        [mix.tolist() for mix in mixes],
        [str(prize) for prize in range(1, len(plays) + 1)],
        [[f"{100 * p:.0f}" if p > 0.005 else "" for p in mix] for mix in mixes],
        size=(7.5, 6.4),
        colours="Blues",
        limits=(0.0, float(np.max(mixes))),
        bar_label="probability (cells: %)",
        title="Goofspiel, 13 cards: optimal first bids",
        xlabel="bid",
        ylabel="first prize",
    )


# -- counts and simple strategies ------------------------------------------------------------


def count_findings() -> Iterator[Finding]:
    """Judges the figures that follow from the rules alone: the points needed to win, and the number of games."""
    yield judge(printed("The game", "points that win"), float(sum(range(1, LARGEST + 1)) // 2 + 1))
    yield judge(printed("The game", "games of 13 cards, in units of 1e29"), factorial(LARGEST) ** 3 / 1e29)


def simple_rows() -> list[list[object]]:
    """Returns the exploitability of each simple strategy for each size, in payoff points."""
    return [[size, *(exploitability(Goofspiel(size), name) for name in SIMPLE)] for size in MEASURED]


def _formulas_hold(rows: Sequence[Sequence[object]]) -> bool:
    sizes, uniform, matching, _ = np.array(rows, dtype=np.float64).T
    return np.allclose(uniform, (sizes**2 - 1) / 6) and np.allclose(matching, np.maximum(sizes * (sizes - 3) / 2, 0.0))


def simple_findings(rows: Sequence[Sequence[object]]) -> Iterator[Finding]:
    """Judges Ross's theorem, and computes what simple strategies lose to their best responses."""
    matches = all(_is_answered_by_matching(size) for size in MET)
    sizes = f"{MET[0]} to {MET[-1]} cards, at every state that the reply reaches"
    yield judge(printed("Ross 1971", "the best reply to uniform play is matching, for every size"), matches, sizes)
    for row in rows:
        for name, loss in zip(SIMPLE, row[1:], strict=True):
            yield new("Simple strategies", f"{row[0]} cards: {name} loses", cast(float, loss), "exploitability, points")


def _is_answered_by_matching(size: int) -> bool:
    game = Goofspiel(size)
    value = best_response(game, "uniform").value
    return abs(head_to_head(game, "matching", "uniform").mean - value) <= 1e-12 * size


def met_table() -> Table:
    """Tabulates the mean payoff points of one optimal strategy against simple strategies; others can win more."""
    games = [Goofspiel(size) for size in MET]
    policies = [solve(game).policy for game in games]
    return [
        ["cards", *(f"from {name}" for name in SIMPLE)],
        *(
            [game.num_cards, *(head_to_head(game, policy, name).mean for name in SIMPLE)]
            for game, policy in zip(games, policies, strict=True)
        ),
    ]
