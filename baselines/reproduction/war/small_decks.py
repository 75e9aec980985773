"""WAR with small decks for two: what no simulation can say, exactly.

Values with a last round, whether they settle as rounds are added, what the endless game is worth, and
how far from optimal the strategies of "WAR with Auction Rounds" (2017) are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np

from baselines.exploitability import exploitability
from baselines.matrix_game import solve_matrix
from baselines.oracle import Progress
from baselines.reproduction.report import Number, Report, Row, Verdict
from baselines.results import StateSolution
from baselines.rounds.endless_bounds import EndlessBounds, endless_bounds
from baselines.rounds.value_iteration import RoundValues, values_of
from baselines.solution import solve
from cardwar_envs.core.policy import named_policy
from cardwar_envs.games.war import War
from cardwar_envs.games.war.state import WarState

DECKS = ((3, 0), (3, 1), (3, 3), (4, 0), (4, 1), (4, 3), (5, 0), (5, 1), (5, 3), (6, 3))
HORIZONS = (10, 100, 500)
PLAYED_ROUNDS = 100
STRATEGIES = ("dummie", "min", "max", "simple_minded_1", "simple_minded_2")
# A value that changes by no more than this is said to be settled; bounds no further apart are said to meet.
SMALL, WIDE = 1e-6, 1e-2
SAME = 0.01
# Changes over so many rounds are looked at for a period.
LONGEST_PERIOD = 12
# What error of a value, and what gain over the equilibrium, is taken for none.
MOST_GAP, MOST_GAIN = 1e-6, 1e-9
# Positions held to the rules.
SAMPLE = 40


@dataclass(frozen=True)
class Deck:
    """What was found about one deck.

    Attributes:
        game: The game, with the most rounds looked at.
        positions: Positions at which a round begins, up to swapping the seats.
        start: A start that is not alike for both: player 0's highest card has taken the other's lowest.
        values: Value to player 0 there for each of `HORIZONS`.
        change: The most that any value changed with the last round added.
        moving: Positions whose value changed by more than `SMALL` then.
        period: After how many rounds all values come again, but for `SAME` of the most that they move;
            None if after none.
        by_rules: Whether a sample of values is that of the matrix games that the rules make of the mirror
            images, with the sign changed.
        gap: Certified bound on the error of all these values.
        endless: Bounds for the game without a last round.
        wider_before: The greatest width after the last horizon but one.
        circle: Rounds after which play between equilibria from the widest position comes back to one that
            it has passed; None if the game ends, or all bounds meet.
        bounded: Whether all values lie between the bounds for as many rounds.
        exploitable: Exploitability of each strategy with `PLAYED_ROUNDS`, "equilibrium" included.
    """

    game: War
    positions: int
    start: WarState
    values: tuple[float, ...]
    change: float
    moving: int
    period: int | None
    by_rules: bool
    gap: float
    endless: EndlessBounds
    wider_before: float
    circle: int | None
    bounded: bool
    exploitable: Mapping[str, float]


def reproduce(progress: Progress | None = None) -> Report:
    """Solves each deck, bounds its endless game, and exploits the strategies.

    Args:
        progress: Called now and then with the number of matrix games solved for a deck.
    """
    decks = [study(ranks, discards, progress) for ranks, discards in DECKS]
    checks = {
        f"every value is certified to {MOST_GAP:g}": all(deck.gap <= MOST_GAP for deck in decks),
        f"no reply gains more than {MOST_GAIN:g} on the equilibrium": all(
            abs(deck.exploitable["equilibrium"]) <= MOST_GAIN for deck in decks
        ),
        "values are those of matrix games that the rules make of mirrored positions": all(
            deck.by_rules for deck in decks
        ),
        "every value lies between those for unfinished games lost and won": all(deck.bounded for deck in decks),
    }
    return Report(
        rows=tuple(row for deck in decks for row in deck_rows(deck)),
        sound=all(checks.values()),
        tables={"decks": table(decks)},
        checks=checks,
    )


def study(ranks: int, discards: int, progress: Progress | None = None) -> Deck:
    """All about one deck."""
    game = War(ranks=ranks, discards=discards, max_rounds=HORIZONS[-1])
    solution = cast(StateSolution, solve(game, progress=progress))
    values, endless = values_of(solution), endless_bounds(game, HORIZONS[-1], progress)
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
    """Whether a sample of values is opposite to what the rules make of the mirror images."""
    for node in np.unique(np.linspace(2, len(values.form.lists) - 1, SAMPLE).astype(int)).tolist():
        state, image = (values.form.state(2 * node + side, values.rounds) for side in (0, 1))
        if abs(solution.value_at(state) + solve_matrix(solution.payoff_matrix(image)).value) > MOST_GAIN:
            return False
    return True


def circle(solution: StateSolution, endless: EndlessBounds) -> int | None:
    """Rounds between two visits of the likeliest play from the widest position to the same position."""
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


# -- what is shown ---------------------------------------------------------------------------------------


def name(deck: Deck) -> str:
    """E.g. `6 ranks, 3 discards`."""
    return f"{deck.game.ranks} ranks, {deck.game.discards} discard{'' if deck.game.discards == 1 else 's'}"


def deck_rows(deck: Deck) -> Iterator[Row]:
    """The figures of one deck."""

    def row(item: str, computed: Number, reason: str) -> Row:
        return Row(name(deck), item, None, computed, None, Verdict.NEW, reason)

    yield row("positions", deck.positions, "beginnings of rounds from the start, up to swapping the seats")
    yield row("value at the start", 0.0, "the seats are alike")
    for rounds, value in zip(HORIZONS, deck.values, strict=True):
        yield row(
            f"value with {rounds} rounds left, the highest card having taken the lowest",
            value,
            f"points to who has taken it; error at most {deck.gap:.1g}",
        )
    yield row(f"change of values with round {HORIZONS[-1]}", deck.change, settling(deck))
    found = deck.endless
    reason = f"{found.wider(SMALL)} positions stay wider than {SMALL:g}, {found.wider(WIDE)} than {WIDE:g}"
    yield Row(
        name(deck),
        "endless game, at the start",
        None,
        "between",
        (found.lower, found.upper),
        Verdict.NEW,
        f"{reason}; {'settled' if found.settled else 'looked ahead'} after {found.sweeps} rounds",
    )
    yield row("endless game, greatest width", float(found.widths.max()), widest(deck))
    for strategy, gain in deck.exploitable.items():
        yield row(f"exploitability of {strategy}, {PLAYED_ROUNDS} rounds", gain, "points")


def settling(deck: Deck) -> str:
    """Whether values settle, in words."""
    if deck.change <= SMALL:
        return "values have settled"
    period = "" if deck.period is None else f", and all come again every {deck.period} rounds, but for {SAME:g} of that"
    return f"{deck.moving} of {deck.positions} values still move by more than {SMALL:g}{period}"


def widest(deck: Deck) -> str:
    """What happens in the widest position, in words."""
    before = f"{deck.wider_before:.4g} after {HORIZONS[-2]} rounds"
    if deck.circle is None:
        return before
    piles = " v. ".join(
        f"{' '.join(map(str, hand))} ({' '.join(map(str, won)) or 'none'} won)"
        for hand, won in zip(deck.endless.widest[0].hands, deck.endless.widest[0].wins, strict=True)
    )
    return f"{before}; {piles}: likeliest play goes round in a circle of {deck.circle} rounds"


def table(decks: Sequence[Deck]) -> list[list[Number]]:
    """A row for each deck under a heading row."""
    heading: list[Number] = [
        "ranks",
        "discards",
        "positions",
        *(f"value, {r} rounds" for r in HORIZONS),
        "settled or period",
    ]
    heading += ["endless, lower", "endless, upper", f"wider than {SMALL:g}", f"wider than {WIDE:g}", "greatest width"]
    heading += ["circle", *(f"exploitability of {strategy}" for strategy in decks[0].exploitable)]
    return [heading, *(_table_row(deck) for deck in decks)]


def _table_row(deck: Deck) -> list[Number]:
    found = deck.endless
    period: Number = "none" if deck.period is None else deck.period
    return [
        deck.game.ranks,
        deck.game.discards,
        deck.positions,
        *deck.values,
        "settled" if deck.change <= SMALL else period,
        found.lower,
        found.upper,
        found.wider(SMALL),
        found.wider(WIDE),
        float(found.widths.max()),
        "" if deck.circle is None else deck.circle,
        *deck.exploitable.values(),
    ]


def markdown(rows: Sequence[Sequence[Number]]) -> str:
    """A table, heading first, as Markdown."""
    lines = [[f"{cell:.6g}" if isinstance(cell, float) else str(cell) for cell in row] for row in rows]
    lines.insert(1, ["---"] * len(rows[0]))
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
