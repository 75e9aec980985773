"""WAR with small decks for two players: exact figures that no simulation can give.

The figures are the values of games with a round limit, whether these values settle as rounds are added, bounds on the
value without a limit, and the exploitability of the strategies of "WAR with Auction Rounds" (2017).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from baselines.matrix_game import solve_matrix
from baselines.oracles.answers.protocol import Progress
from baselines.oracles.answers.results import StateSolution
from baselines.oracles.finite_horizon.value_iteration import RoundValues
from baselines.questions import exploitability
from baselines.solving import solve
from cardwar_envs.core.policy_names import named_policy
from cardwar_envs.games.war import War
from cardwar_envs.games.war.state import WarState
from lab.papers.findings import Finding, Number, Reproduction, new
from lab.papers.war.endless_bounds import EndlessBounds, endless_bounds

DECKS = ((3, 0), (3, 1), (3, 3), (4, 0), (4, 1), (4, 3), (5, 0), (5, 1), (5, 3), (6, 3))
HORIZONS = (10, 100, 500)
PLAYED_ROUNDS = 100
STRATEGIES = ("dummie", "min", "max", "simple_minded_1", "simple_minded_2")
# A value whose change is at most SMALL has settled. Bounds wider than SMALL, or than WIDE, are counted.
SMALL, WIDE = 1e-6, 1e-2
# Values count as periodic if they differ by at most this fraction of their largest change.
SAME = 0.01
LONGEST_PERIOD = 12
# Limits on the error of a value, and on the gain over the equilibrium, in the checks.
MOST_GAP, MOST_GAIN = 1e-6, 1e-9
# Number of positions compared with the rules.
SAMPLE = 40


@dataclass(frozen=True)
class Deck:
    """The results for one deck."""

    game: War  # with the largest round limit
    positions: int  # number of positions at which a round begins, up to swapping the seats
    start: WarState  # a state in which the seats differ: player 0's highest card has taken the other's lowest
    values: tuple[float, ...]  # of `start` to player 0 with each of `HORIZONS` rounds left
    change: float  # largest change of any value when the last round was added
    moving: int  # number of positions whose value then changed by more than `SMALL`
    period: int | None  # number of rounds after which all values repeat (see `SAME`); None if they do not
    by_rules: bool  # the result of `follows_the_rules`
    gap: float  # certified bound on the error of all these values
    endless: EndlessBounds  # for the game without a round limit
    wider_before: float  # largest width of these bounds after the second largest horizon
    circle: int | None  # the result of `circle`; None also if all bounds meet
    bounded: bool  # whether all values lie between the bounds for the same number of rounds
    exploitable: Mapping[str, float]  # of each strategy and of "equilibrium", with `PLAYED_ROUNDS`


def reproduce(progress: Progress | None = None) -> Reproduction:
    """Solves each deck, bounds its endless game, and exploits the strategies."""
    decks = [study(ranks, discards, progress) for ranks, discards in DECKS]
    rows, gains = list(map(table_row, decks)), [abs(deck.exploitable["equilibrium"]) for deck in decks]

    return Reproduction(
        findings=[each for deck in decks for each in deck_findings(deck)],
        checks={
            f"every value is certified to {MOST_GAP:g}": all(deck.gap <= MOST_GAP for deck in decks),
            f"no reply gains more than {MOST_GAIN:g} on the equilibrium": all(gain <= MOST_GAIN for gain in gains),
            "values are those of matrix games that the rules make of mirrored positions": all(
                deck.by_rules for deck in decks
            ),
            "every value lies between those for unfinished games lost and won": all(deck.bounded for deck in decks),
        },
        tables={"decks": [list(rows[0]), *(list(row.values()) for row in rows)]},
    )


def study(ranks: int, discards: int, progress: Progress | None = None) -> Deck:
    """Solves one deck and collects what `Deck` holds."""
    game = War(ranks=ranks, discards=discards, max_rounds=HORIZONS[-1])
    solution = cast(StateSolution, solve(game, progress=progress))
    values = cast(Any, solution.policy).table.regions[0]
    endless = endless_bounds(game, HORIZONS[-1], progress)
    (opening,) = game.transitions(game.initial()[0].state, {0: ranks - 1, 1: 0})
    last = values.history[values.rounds]
    changes = [np.abs(last - values.history[values.rounds - k]).max() for k in range(1, LONGEST_PERIOD + 1)]
    played = War(ranks=ranks, discards=discards, max_rounds=PLAYED_ROUNDS)
    policies = {name: named_policy(name, played) for name in STRATEGIES} | {"equilibrium": solve(played).policy}
    return Deck(
        game=game,
        positions=values.form.positions,
        start=opening.state,
        values=tuple(solution.value_at(opening.state._replace(rounds_left=r)) for r in HORIZONS),
        change=float(changes[0]),
        moving=int((np.abs(last - values.history[values.rounds - 1]) > SMALL).sum()),
        period=next((k for k, change in enumerate(changes, start=1) if change <= SAME * max(changes)), None),
        by_rules=follows_the_rules(solution, values),
        gap=float(values.gaps[-1]),
        endless=endless,
        wider_before=float(endless_bounds(game, HORIZONS[-2], progress).widths.max()),
        circle=circle(solution, endless) if endless.wider(WIDE) else None,
        bounded=bool((np.abs(last - endless.bounds.mean(axis=1)) <= endless.widths / 2 + MOST_GAP).all()),
        exploitable={name: exploitability(played, policy) for name, policy in policies.items()},
    )


def follows_the_rules(solution: StateSolution, values: RoundValues) -> bool:
    """Returns whether a sample of values is minus the value of the mirrored position's matrix game (seats swapped)."""
    for node in np.unique(np.linspace(2, len(values.form.lists) - 1, SAMPLE).astype(int)).tolist():
        state, image = (values.form.state(2 * node + side, values.rounds) for side in (0, 1))
        if abs(solution.value_at(state) + solve_matrix(solution.payoff_matrix(image)).value) > MOST_GAIN:
            return False
    return True


def circle(solution: StateSolution, endless: EndlessBounds) -> int | None:
    """Returns the number of rounds until the likeliest play from the widest position repeats a position, if it does."""
    game = solution.game
    passed: dict[WarState, int] = {}
    state: WarState = endless.widest[0]._replace(rounds_left=HORIZONS[-1])
    while game.acting_players(state):
        position = state._replace(rounds_left=0)
        if position in passed:
            return passed[position] - state.rounds_left
        passed[position] = state.rounds_left
        strategies = solution.strategies(state)
        actions = {player: int(strategies[player].argmax()) for player in game.acting_players(state)}
        state = game.transitions(state, actions)[0].state
    return None


def deck_findings(deck: Deck) -> Iterator[Finding]:
    """Yields the findings about one deck."""
    found, discards = deck.endless, deck.game.discards
    place = f"{deck.game.ranks} ranks, {discards} discard{'' if discards == 1 else 's'}"
    yield new(place, "positions", deck.positions, "beginnings of rounds from the start, up to swapping the seats")
    yield new(place, "value at the start", 0.0, "the seats are alike")
    for rounds, value in zip(HORIZONS, deck.values, strict=True):
        item = f"value with {rounds} rounds left, the highest card having taken the lowest"
        yield new(place, item, value, f"points to who has taken it; error at most {deck.gap:.1g}")
    yield new(place, f"change of values with round {HORIZONS[-1]}", deck.change, settling(deck))
    wide = f"{found.wider(SMALL)} positions stay wider than {SMALL:g}, {found.wider(WIDE)} than {WIDE:g}"
    reason = f"{wide}; {'settled' if found.settled else 'looked ahead'} after {found.sweeps} rounds"
    yield new(place, "endless game, at the start", "between", reason, (found.lower, found.upper))
    yield new(place, "endless game, greatest width", float(found.widths.max()), widest(deck))
    for strategy, gain in deck.exploitable.items():
        yield new(place, f"exploitability of {strategy}, {PLAYED_ROUNDS} rounds", gain, "points")


def settling(deck: Deck) -> str:
    """Says whether values settle."""
    if deck.change <= SMALL:
        return "values have settled"
    period = "" if deck.period is None else f", and all come again every {deck.period} rounds, but for {SAME:g} of that"
    return f"{deck.moving} of {deck.positions} values still move by more than {SMALL:g}{period}"


def widest(deck: Deck) -> str:
    """Describes play in the widest position."""
    before = f"{deck.wider_before:.4g} after {HORIZONS[-2]} rounds"
    if deck.circle is None:
        return before
    piles = " v. ".join(
        f"{' '.join(map(str, hand))} ({' '.join(map(str, won)) or 'none'} won)"
        for hand, won in zip(deck.endless.widest[0].hands, deck.endless.widest[0].wins, strict=True)
    )
    return f"{before}; {piles}: likeliest play goes round in a circle of {deck.circle} rounds"


def table_row(deck: Deck) -> dict[str, Number]:
    """Returns the figures of one deck by the headings of the table."""
    found = deck.endless
    period = "none" if deck.period is None else deck.period
    return {
        "ranks": deck.game.ranks,
        "discards": deck.game.discards,
        "positions": deck.positions,
        **{f"value, {rounds} rounds": value for rounds, value in zip(HORIZONS, deck.values, strict=True)},
        "settled or period": "settled" if deck.change <= SMALL else period,
        "endless, lower": found.lower,
        "endless, upper": found.upper,
        f"wider than {SMALL:g}": found.wider(SMALL),
        f"wider than {WIDE:g}": found.wider(WIDE),
        "greatest width": float(found.widths.max()),
        "circle": "" if deck.circle is None else deck.circle,
        **{f"exploitability of {strategy}": gain for strategy, gain in deck.exploitable.items()},
    }
