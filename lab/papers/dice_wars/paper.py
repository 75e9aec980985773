"""The post "Dice Wars game": sums of dice, its two tables, and the game of stacks built on them."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial

from baselines.display.figures import new_figure
from baselines.oracles.answers.protocol import Progress
from baselines.oracles.state_graph.game_graph import full_graph
from baselines.responses import head_to_head
from cardwar_envs.games.dice_wars import DiceWars, battle_outcomes, total_counts
from lab.papers.dice_wars import PAPER
from lab.papers.findings import Finding, Reproduction, Table, judge, new
from lab.papers.pictures import Figure, finish, heat_map
from lab.papers.printed import Published
from lab.papers.uniform_play import check_uniform_play, solve_exactly

SIDES = 6
PLOTTED, PRINTED, MOST_DICE = 4, 6, 20
# Table of the post -> the winner that it counts, as in `battle_outcomes`.
OUTCOME = {"tie": 0, "win": 1}
# As many stacks and as many dice as 1..6, spread evenly.
EVEN_STACKS = (3, 3, 3, 4, 4, 4)
STACKS = "Game of stacks"

Odds = Sequence[Sequence[Fraction]]

printed = PAPER.figure


def reproduce(progress: Progress | None = None) -> Reproduction:
    """Recomputes and judges the post's figures, and solves the game of stacks."""
    odds = {name: odds_table(name, MOST_DICE) for name in OUTCOME}
    timing, timed_alike = timing_finding()
    stacks, stack_checks = stack_findings(progress)
    drawn = (PRINTED, MOST_DICE)
    return Reproduction(
        findings=(*table_findings(PAPER.figures.values(), odds), *count_findings(), timing, *stacks),
        checks={
            "counts add up to 6^k and read the same from both ends": all(map(_counts_hold, range(1, MOST_DICE + 1))),
            "win, tie and loss add up to 1 for 1..20 v. 1..20 dice": _complete(odds["win"], odds["tie"]),
            "the recursion of the post gives the same tie table, exactly": timed_alike,
            **stack_checks,
        },
        tables={"sums": sums_table(), **odds_tables(odds)},
        pictures={
            "sums": draw_sums,
            **{f"{name}_{most}": partial(draw_odds, name, odds[name], most) for most in drawn for name in OUTCOME},
        },
    )


def odds_table(outcome: str, most: int) -> Odds:
    """Returns `[most][most]` exact odds: at m - 1, k - 1, that m dice have the outcome (of `OUTCOME`) against k."""
    numbers = range(1, most + 1)
    return [[_odds(m, k, outcome) for k in numbers] for m in numbers]


def _odds(m: int, k: int, outcome: str) -> Fraction:
    shares = (share for share, winner in battle_outcomes(m, k, SIDES) if winner == OUTCOME[outcome])
    return sum(shares, Fraction(0))


def _counts_hold(dice: int) -> bool:
    counts = total_counts(dice, SIDES)
    return sum(counts) == SIDES**dice and counts == counts[::-1] and len(counts) == dice * (SIDES - 1) + 1


def _complete(win: Odds, tie: Odds) -> bool:
    """Returns whether win, tie and loss always add up to 1; a loss of m against k is a win of k against m."""
    places = range(len(win))
    return all(win[m][k] + tie[m][k] + win[k][m] == 1 for m in places for k in places)


def table_findings(figures: Iterable[Published], odds: Mapping[str, Odds]) -> Iterator[Finding]:
    """Judges every entry of the two printed tables."""
    for each in figures:
        if each.place.endswith(" table"):
            m, k = (int(word) for word in each.item.split() if word.isdigit())
            exact = odds[each.place.removesuffix(" table")][m - 1][k - 1]
            never = f"exactly 0, not only small: {m} dice show {SIDES * m} at most, {k} at least {k}"
            yield judge(each, float(exact), f"exactly {exact}" if exact else never, f"exactly {exact}")


def count_findings() -> Iterator[Finding]:
    """Judges counts of sums, and where the post's plots begin."""
    two, three = total_counts(2, SIDES), total_counts(3, SIDES)
    yield judge(printed("Count of sums", "ways to roll 7 with 2 dice"), Fraction(two[7 - 2]))
    reason = f"f_2(6) + ... + f_2(1) = {sum(two[: 6 - 2 + 1])}, by the post's recursion"
    yield new("Count of sums", "ways to roll 7 with 3 dice", three[7 - 3], reason)
    for dice in range(1, PLOTTED + 1):
        wrong = "the post's code plots against list indices, which begin at 0; the least sum of m dice is m"
        start = printed("Plots", f"where the curve of m = {dice} begins on the axis of sums")
        yield judge(start, Fraction(dice), "", wrong)


def sums_table() -> Table:
    """Returns the number of ways to roll each sum, and its probability."""
    return [
        ["dice", "sum", "count", "probability", "fraction"],
        *(
            [dice, total, count, float(share), str(share)]
            for dice in range(1, MOST_DICE + 1)
            for total, count in enumerate(total_counts(dice, SIDES), start=dice)
            for share in [Fraction(count, SIDES**dice)]
        ),
    ]


def odds_tables(odds: Mapping[str, Odds]) -> dict[str, Table]:
    """Returns the odds of all battles as decimals and as fractions, by file name."""
    heading = ["dice", *range(1, MOST_DICE + 1)]
    tables: dict[str, Table] = {}
    for name, rows in odds.items():
        tables[name] = [heading, *([m, *map(float, row)] for m, row in enumerate(rows, start=1))]
        tables[f"{name}_fractions"] = [heading, *([m, *map(str, row)] for m, row in enumerate(rows, start=1))]
    return tables


def ways_by_recursion(dice: int, total: int) -> int:
    """Computes f_k(n) by the post's recursion: sums over the faces of the last die, without caching."""
    if total < dice:
        return 0
    if dice == 1:
        return int(total <= SIDES)
    return sum(ways_by_recursion(dice - 1, total - face) for face in range(1, SIDES + 1))


def ties_by_recursion(m: int, k: int) -> Fraction:
    """Returns the probability of a tie as the post sums it, recomputing every count."""
    totals = range(max(m, k), SIDES * min(m, k) + 1)
    ways = sum(ways_by_recursion(m, total) * ways_by_recursion(k, total) for total in totals)
    return Fraction(ways, SIDES ** (m + k))


def timing_finding() -> tuple[Finding, bool]:
    """Times the 6 x 6 tie table by the post's recursion and by ours; also returns whether they are equal."""
    numbers = range(1, PRINTED + 1)
    start = time.perf_counter()
    slow = [[ties_by_recursion(m, k) for k in numbers] for m in numbers]
    middle = time.perf_counter()
    total_counts.cache_clear()
    battle_outcomes.cache_clear()
    fast = odds_table("tie", PRINTED)
    theirs, ours = middle - start, time.perf_counter() - middle
    source = printed("Probability of tie", "seconds for the tie table")
    reason = (
        f"this run: {theirs:.3f} s by plain recursion, {1000 * ours:.2f} ms here, {theirs / ours:.0f} times as fast; "
        f"the post's {float(source.value)} s are another machine's and not compared"
    )
    return new(source.place, source.item, ours, reason), slow == fast


def stack_findings(progress: Progress | None) -> tuple[list[Finding], dict[str, bool]]:
    """Returns the value and equilibrium of the game of stacks, for both payoffs and two pairs of hands."""
    usual = tuple(range(1, PRINTED + 1))
    findings, checks = list[Finding](), dict[str, bool]()
    for payoff in ("margin", "win"):
        for name, other in (("1..6 v. 1..6", usual), ("1..6 v. 3,3,3,4,4,4", EVEN_STACKS)):
            game = DiceWars(hand_0=usual, hand_1=other, payoff=payoff)
            solution = solve_exactly(game, progress)
            check = check_uniform_play(solution, full_graph(game).states)
            item = f"{name} stacks, {payoff}"
            reason = "payoff points to the first player, whatever either does if the other plays uniformly"
            findings.append(new(STACKS, f"{item}: value", float(solution.value), reason))
            reason = f"{check.states:,} states, in rationals: 0 means that uniform play is an equilibrium"
            findings.append(new(STACKS, f"{item}: most a card gains on uniform", check.deviation, reason))
            checks[f"{name}, {payoff}: uniform play is optimal at every state"] = check.optimal
            if payoff == "win":
                result = head_to_head(game, "uniform", "uniform")
                reason = "if either plays uniformly, whatever the other does"
                for word in ("win", "loss", "tie"):
                    findings.append(new(STACKS, f"{item}: P({word})", getattr(result, word), reason))
            else:
                pairs = [(a, b) for a in usual for b in other]
                closed = sum(_odds(a, b, "win") - _odds(b, a, "win") for a, b in pairs) / len(usual)
                checks[f"{name}: the value is 6 times the mean over all pairs"] = solution.exact == closed
    return findings, checks


def draw_sums() -> Figure:
    """Draws the post's two plots, with the actual sums on the axis."""
    drawing = new_figure(11.0, 4.5)
    for axes, label in zip(drawing.subplots(1, 2), ("count (rolls)", "probability"), strict=True):
        for dice in range(1, PLOTTED + 1):
            counts = total_counts(dice, SIDES)
            whole = 1 if label.startswith("count") else SIDES**dice
            sums = range(dice, SIDES * dice + 1)
            axes.plot(sums, [count / whole for count in counts], marker="o", markersize=4, label=f"m = {dice}")
        axes.set_xticks(range(0, SIDES * PLOTTED + 1, 2))
        finish(axes, "sum of m dice (pips)", label, "dice")
    drawing.suptitle("Sums of m six-sided dice")
    return drawing


def draw_odds(name: str, odds: Odds, most: int) -> Figure:
    """Draws a table of odds as a heat map, in per cent, for 1..most dice."""
    small, win = most <= PRINTED, name == "win"
    shown = [row[:most] for row in odds[:most]]
    digits = 2 if small else 0 if win else 1
    return heat_map(
        [[100 * float(share) for share in row] for row in shown],
        [str(dice) for dice in range(1, most + 1)],
        [[per_cent(share, digits) for share in row] for row in shown],
        size=(7.0, 6.0) if small else (11.0, 9.5),
        text_size=11.0 if small else 7.5,
        colours="RdBu" if win else "viridis",
        limits=(0.0, 100.0 if win else 100 * float(max(map(max, shown)))),
        bar_label=f"P({name}) (%)",
        title=f"Dice Wars: how likely m dice {'win against' if win else 'tie with'} k dice",
        xlabel="k, dice of the other",
        ylabel="m, dice of the player",
    )


def per_cent(share: Fraction, digits: int) -> str:
    """Formats a fraction in per cent with this many digits; 0 and 100 only if exact."""
    if share in (0, 1):
        return f"{100 * int(share)}"
    unit = Fraction(1, 10**digits)
    if 100 * share < unit / 2:
        return f"<{float(unit):.{digits}f}"
    if 100 * (1 - share) < unit / 2:
        return f">{float(100 - unit):.{digits}f}"
    return f"{100 * float(share):.{digits}f}"
