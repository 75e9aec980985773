"""R. Sanwal and I. Drechsler, "Equilibrium Strategies for Jujitsu" (2002): every figure, recomputed.

Where the paper samples, the figures here are exact. Where a sub-game has several optimal
strategies, they are ranges over all choices among them, state by state.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from math import comb, factorial
from typing import cast

import numpy as np

from baselines.graph.game_graph import full_graph
from baselines.head_to_head import head_to_head
from baselines.oracle import Progress
from baselines.published import SANWAL_DRECHSLER, figure
from baselines.reproduction.report import Number, Picture, Report, Row, Verdict, judged
from baselines.reproduction.sanwal_drechsler import table_5_1 as jujitsu_table
from baselines.reproduction.sanwal_drechsler.exact_figures import (
    COLUMNS,
    EQUILIBRIUM,
    POLICIES,
    RANDOM,
    Exact,
    JujitsuFigures,
    SubGames,
    count_sub_games,
    jujitsu_figures,
)
from baselines.reproduction.sanwal_drechsler.pictures import draw_column
from baselines.reproduction.uniform_play import UniformCheck, check_uniform_play
from baselines.results import HeadToHead, Solution, StateSolution
from baselines.solution import solve
from cardwar_envs.games.jujitsu import Jujitsu

SIZES = (4, 5, 6, 7, 8)
# Sizes at which the whole tree is walked through once more, state by state.
CHECKED_SIZES = (4, 5)
WITHOUT_TIES = (4, 5, 6, 7)
ROUNDING = 1e-9


def reproduce(progress: Progress | None = None) -> Report:
    """Recomputes the paper's figures and judges them.

    Args:
        progress: Called now and then with the number of states explored.
    """
    figures = [jujitsu_figures(size, progress) for size in SIZES]
    counts = {size: count_sub_games(size) for size in SIZES}
    without_ties = {size: uniform_without_ties(size, progress) for size in WITHOUT_TIES}
    table = jujitsu_table.cells(figures)
    rows = (
        *strategy_rows(figures),
        *count_rows(figures, counts),
        *without_ties_rows(without_ties),
        *(cell.row() for cell in table),
        *jujitsu_table.joint_rows(figures),
        *jujitsu_table.consistency_rows(SIZES),
        *jujitsu_table.sample_rows(table),
        *jujitsu_table.discussion_rows(figures),
        *parity_rows(counts),
        *second_lowest_rows(SIZES),
    )
    checks = self_checks(figures, counts)
    return Report(
        rows=tuple(sorted(rows, key=lambda row: row.figure)),
        sound=all(checks.values()),
        pictures=tuple(
            Picture(f"table_5_1_{column}", lambda column=column: draw_column(table, column))  # type: ignore[misc]
            for column in ("margin", "tie")
        ),
        tables={
            "table_5_1": jujitsu_table.csv_table(table),
            "root_strategies": root_table(figures),
            "sub_games": sub_game_table(figures, counts),
        },
        checks=checks,
    )


# -- sections 2 to 4 ----------------------------------------------------------------------------------


def strategy_rows(figures: Sequence[JujitsuFigures]) -> Iterator[Row]:
    """The strategies at the start, and how many there are."""
    several = ", ".join(f"{each.several} of {each.states}" for each in figures)
    printed = figure(SANWAL_DRECHSLER, "Section 2.1", "strategies of P1 that maximise the score")
    unique = all(each.several == 0 for each in figures)
    reason = f"one at the start; several at {several} states (4..8 cards, up to relabelling)"
    verdict = Verdict.AGREES if unique and printed.value == 1 else Verdict.WRONG
    yield Row(printed.place, printed.item, str(printed.value), "1" if unique else "many", None, verdict, reason)
    skew, symmetric = (all(each.skew[kind] for each in figures) for kind in (0, 1))
    reason = "M[i][j] = -M[j][i]: skew-symmetric" if skew else "not skew-symmetric either"
    verdict = Verdict.AGREES if symmetric else Verdict.WRONG
    answer = "yes" if symmetric else "no"
    yield Row("Section 2.3", "the payoff matrix at the start is symmetric", "yes", answer, None, verdict, reason)
    for each in figures:
        yield _root_row(each, "Section 4", f"{each.size}x{each.size} root, highest card", -1)
        if each.size == 7:
            yield _root_row(each, "Section 5.2", "7x7 root, second highest card", -2)
    for each in figures:
        name, widest = f"{each.size}x{each.size} root", float(np.ptp(each.root, axis=0).max())
        strategy = " ".join(f"{probability:.4f}" for probability in np.abs(each.root.mean(axis=0)))
        count = "1" if widest < ROUNDING else "many"
        reason = f"least and greatest probability of each card differ by at most {widest:.0e}"
        yield Row("Section 4", f"{name}, optimal strategies", None, count, None, Verdict.NEW, reason)
        yield Row("Section 4", f"{name} strategy", None, strategy, None, Verdict.NEW, "probability of cards 1, 2, ...")
        reason = "payoff against optimal play; 0 would cost nothing"
        item = f"{name}, worth of playing the highest card first"
        yield Row("Section 5.2", item, None, each.top_card, None, Verdict.NEW, reason)


def _root_row(each: JujitsuFigures, place: str, item: str, card: int) -> Row:
    low, high = (float(bound) + 0.0 for bound in np.abs(each.root[:, card]))
    reason = "the only optimal strategy at the start"
    row = judged(figure(SANWAL_DRECHSLER, place, item), high, reason, "some optimal strategy plays it")
    return Row(row.figure, row.item, row.published, row.computed, (low, high), row.verdict, row.reason)


def count_rows(figures: Sequence[JujitsuFigures], counts: Mapping[int, SubGames]) -> Iterator[Row]:
    """How many sub-games and ways through the game there are."""
    for each in figures:
        size, count = each.size, counts[each.size]
        name = f"{size}x{size}"
        wrong = (
            f"4^n pairs hands of any size; C({2 * size}, {size}) are equal; with score and ties {count.states:,} states"
        )
        yield judged(
            figure(SANWAL_DRECHSLER, "Section 3", f"{name} sub-games"), Fraction(count.pairs), "pairs of hands", wrong
        )
        yield judged(figure(SANWAL_DRECHSLER, "Section 3", f"{name} paths"), Fraction(count.paths), "n!^2, counted")
        reason = f"of {count.states:,} (hands, score, ties); {each.states:,} up to relabelling and swapping seats"
        yield Row("Section 3", f"{name} undecided states", None, str(count.open), None, Verdict.NEW, reason)


def uniform_without_ties(size: int, progress: Progress | None = None) -> UniformCheck:
    """Uniform play against the solver's exact values at every undecided state, tied tricks being nobody's."""
    game = Jujitsu(num_cards=size, ties="discard")
    return check_uniform_play(cast(StateSolution, solve(game, exact=True, progress=progress)), full_graph(game).states)


def without_ties_rows(checks: Mapping[int, UniformCheck]) -> Iterator[Row]:
    """The theorem of section 4."""
    printed = figure(SANWAL_DRECHSLER, "Section 4", "4x4 without ties, share of nodes with uniform play")
    for size, check in checks.items():
        verdict = Verdict.NEW if size != 4 else Verdict.AGREES if check.optimal else Verdict.WRONG
        item = f"{size}x{size} without ties, uniform play optimal at every state"
        reason = f"at {check.states:,} states every card earns the value against it; off by {check.deviation}"
        answer = "yes" if check.optimal else "no"
        published = None if size != 4 else "yes" if printed.value == 1 else "no"
        yield Row(printed.place, item, published, answer, None, verdict, reason)


# -- section 5.2 ----------------------------------------------------------------------------------------


def parity_rows(counts: Mapping[int, SubGames]) -> Iterator[Row]:
    """Why odd games end in a tie so seldom."""
    odd = [size for size in counts if size % 2 and counts[size].tied_ends[False]]
    even = [size for size in counts if not size % 2 and not counts[size].tied_ends[False]]
    item = "an odd game is tied only if its last trick is; an even one need not be"
    holds = not odd and not even
    reason = "all ways through the game, 4..8 cards" if holds else f"not at {odd + even} cards"
    verdict = Verdict.AGREES if holds else Verdict.WRONG
    yield Row("Section 5.2", item, "yes", "yes" if holds else "no", None, verdict, reason)


def second_lowest_rows(sizes: Sequence[int]) -> Iterator[Row]:
    """The answer to LowestCard."""
    shares = [second_lowest_wins(size) for size in sizes]
    printed = figure(SANWAL_DRECHSLER, "Section 5.2", "SecondLowestCard v. LowestCard, win")
    yield judged(printed, min(shares), f"at {sizes[0]}..{sizes[-1]} cards, all tricks but the last")


def second_lowest_wins(size: int) -> float:
    """How likely SecondLowestCard is to win against LowestCard; both are deterministic."""
    own, other, score, carried = list(range(size)), list(range(size)), 0, 0
    while own:
        card, against = own.pop(min(1, len(own) - 1)), other.pop(0)
        won = (card > against) - (card < against)
        score, carried = (score + won * (1 + carried), 0) if won else (score, carried + 1)
    return float(score > 0)


# -- tables and checks ------------------------------------------------------------------------------------


def root_table(figures: Sequence[JujitsuFigures]) -> list[list[Number]]:
    """Least and greatest probability of each card at the start."""
    lines: list[list[Number]] = [["cards", "card", "least", "greatest"]]
    for each in figures:
        for card, (low, high) in enumerate(np.abs(each.root).T, start=1):
            lines.append([each.size, card, f"{low:.12f}", f"{high:.12f}"])
    return lines


def sub_game_table(figures: Sequence[JujitsuFigures], counts: Mapping[int, SubGames]) -> list[list[Number]]:
    """The ways to count sub-games, side by side."""
    headings = ["cards", "4^n", "hand_pairs", "states", "undecided", "canonical", "several_optimal", "paths"]
    lines: list[list[Number]] = [[*headings]]
    for each in figures:
        count = counts[each.size]
        numbers = (count.pairs, count.states, count.open, each.states, each.several, count.paths)
        lines.append([each.size, 4**each.size, *numbers])
    return lines


def self_checks(figures: Sequence[JujitsuFigures], counts: Mapping[int, SubGames]) -> dict[str, bool]:
    """What must hold if the figures above are right, in words."""
    exact = [exact for each in figures for outcome in each.outcomes.values() for exact in outcome.values()]
    ours = [outcome for each in figures for outcome in each.outcomes.values()]
    return {
        "the value is 0 at every size": all(abs(each.value) < ROUNDING for each in figures),
        "our choice lies in every range": all(e.low - ROUNDING <= e.default <= e.high + ROUNDING for e in exact),
        "wins, losses and ties of our choice add up to 1": all(
            abs(sum(outcome[column].default for column in COLUMNS[:3]) - 1.0) < ROUNDING for outcome in ours
        ),
        "rounding moves no range by more than 1e-9": all(each.slack < ROUNDING for each in figures),
        "there are C(2n, n) pairs of hands and n!^2 ways": all(
            count.pairs == comb(2 * n, n) and count.paths == factorial(n) ** 2 for n, count in counts.items()
        ),
        "a walk through every state comes to the same, 4 and 5 cards": all(
            _walks_agree(each) for each in figures if each.size in CHECKED_SIZES
        ),
    }


def _walks_agree(each: JujitsuFigures) -> bool:
    """Whether figures from the states themselves are those from canonical states, and no range can be left."""
    game = Jujitsu(num_cards=each.size)
    solution = solve(game)
    undecided = len(full_graph(game).states)
    agree = undecided == count_sub_games(each.size).open
    agree &= _same(head_to_head(game, solution.policy, solution.policy), each.outcomes[EQUILIBRIUM, EQUILIBRIUM])
    for name, ours in POLICIES.items():
        outcome = each.outcomes[EQUILIBRIUM, name]
        agree &= _same(head_to_head(game, solution.policy, ours), outcome)
        agree &= _same(head_to_head(game, POLICIES[RANDOM], ours), each.outcomes[RANDOM, name])
        agree &= abs(_most(solve(game, selection=f"exploit:{ours}"), ours) - outcome["margin"].high) < ROUNDING
    return agree


def _most(solution: Solution, opponent: str) -> float:
    return head_to_head(solution.game, solution.policy, opponent).mean


def _same(result: HeadToHead, outcome: Mapping[str, Exact]) -> bool:
    pairs = zip((result.win, result.loss, result.tie, result.mean), COLUMNS, strict=True)
    return all(abs(share - outcome[column].default) < ROUNDING for share, column in pairs)
