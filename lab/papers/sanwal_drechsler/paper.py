"""R. Sanwal and I. Drechsler, "Equilibrium Strategies for Jujitsu" (2002): every figure, computed anew.

The paper's figures are sampled; the figures here are exact. If sub-games have several optimal strategies, a figure is
the range over all ways to pick one of them at each state.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from math import comb, factorial

import numpy as np

from baselines.matches.line_ups import cross_play
from baselines.oracles.answers.protocol import Progress
from baselines.oracles.answers.results import HeadToHead
from baselines.oracles.state_graph.game_graph import full_graph
from baselines.responses import head_to_head
from baselines.solving import solve
from cardwar_envs.games.jujitsu import Jujitsu
from lab.papers.findings import Finding, Reproduction, Table, Verdict, compare, judge, new
from lab.papers.sanwal_drechsler import PAPER
from lab.papers.sanwal_drechsler import table_5_1 as jujitsu_table
from lab.papers.sanwal_drechsler.exact_figures import (
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
from lab.papers.uniform_play import UniformCheck, check_uniform_play, solve_exactly

SIZES = (4, 5, 6, 7, 8)
# Sizes at which the whole tree is enumerated again, state by state.
CHECKED_SIZES = (4, 5)
WITHOUT_TIES = (4, 5, 6, 7)
ROUNDING = 1e-9

printed = PAPER.figure


def reproduce(progress: Progress | None = None) -> Reproduction:
    """Recomputes and judges the paper's figures."""
    figures = [jujitsu_figures(size, progress) for size in SIZES]
    counts = {size: count_sub_games(size) for size in SIZES}
    without_ties = {size: uniform_without_ties(size, progress) for size in WITHOUT_TIES}
    table = jujitsu_table.cells(figures)
    findings = (
        *strategy_findings(figures),
        *count_findings(figures, counts),
        *without_ties_findings(without_ties),
        *(cell.finding() for cell in table),
        *jujitsu_table.joint_findings(figures),
        jujitsu_table.consistency(SIZES),
        *jujitsu_table.sample_findings(table),
        *jujitsu_table.discussion_findings(figures),
        parity(counts),
        second_lowest(SIZES),
    )
    return Reproduction(
        findings=sorted(findings, key=lambda each: each.place),
        checks=self_checks(figures, counts),
        tables={
            "table_5_1": jujitsu_table.csv_table(table),
            "root_strategies": root_table(figures),
            "sub_games": sub_game_table(figures, counts),
        },
        pictures={
            f"table_5_1_{column}": partial(jujitsu_table.draw_column, table, column) for column in ("margin", "tie")
        },
    )


def strategy_findings(figures: Sequence[JujitsuFigures]) -> Iterator[Finding]:
    """Judges the strategies at the start, and how many there are."""
    several = ", ".join(f"{each.several} of {each.states}" for each in figures)
    claim = printed("Section 2.1", "strategies of P1 that maximise the score")
    unique = all(each.several == 0 for each in figures)
    reason = f"one at the start; several at {several} states (4..8 cards, up to relabelling)"
    verdict = Verdict.AGREES if unique and claim.value == 1 else Verdict.WRONG
    yield compare(claim, "1" if unique else "many", verdict, reason)
    skew, symmetric = (all(each.skew[kind] for each in figures) for kind in (0, 1))
    reason = "M[i][j] = -M[j][i]: skew-symmetric" if skew else "not skew-symmetric either"
    yield judge(printed("Section 2.3", "the payoff matrix at the start is symmetric"), symmetric, reason)
    for each in figures:
        yield _root_finding(each, "Section 4", f"{each.size}x{each.size} root, highest card", -1)
        if each.size == 7:
            yield _root_finding(each, "Section 5.2", "7x7 root, second highest card", -2)
    for each in figures:
        name, widest = f"{each.size}x{each.size} root", float(np.ptp(each.root, axis=0).max())
        strategy = " ".join(f"{probability:.4f}" for probability in np.abs(each.root.mean(axis=0)))
        count = "1" if widest < ROUNDING else "many"
        reason = f"least and greatest probability of each card differ by at most {widest:.0e}"
        yield new("Section 4", f"{name}, optimal strategies", count, reason)
        yield new("Section 4", f"{name} strategy", strategy, "probability of cards 1, 2, ...")
        reason = "payoff against optimal play; 0 would cost nothing"
        yield new("Section 5.2", f"{name}, worth of playing the highest card first", each.top_card, reason)


def _root_finding(each: JujitsuFigures, place: str, item: str, card: int) -> Finding:
    low, high = (float(bound) + 0.0 for bound in np.abs(each.root[:, card]))
    return replace(judge(printed(place, item), high), range=(low, high))


def count_findings(figures: Sequence[JujitsuFigures], counts: Mapping[int, SubGames]) -> Iterator[Finding]:
    """Judges the numbers of sub-games and of ways through the game."""
    for each in figures:
        size, count = each.size, counts[each.size]
        name, pairs = f"{size}x{size}", f"4^n counts hands of unequal size too; C({2 * size}, {size}) pairs are equal"
        wrong = f"{pairs}; with score and ties {count.states:,} states"
        yield judge(printed("Section 3", f"{name} sub-games"), Fraction(count.pairs), "pairs of hands", wrong)
        yield judge(printed("Section 3", f"{name} paths"), Fraction(count.paths))
        reason = f"of {count.states:,} (hands, score, ties); {each.states:,} up to relabelling and swapping seats"
        yield new("Section 3", f"{name} undecided states", str(count.open), reason)


def uniform_without_ties(size: int, progress: Progress | None = None) -> UniformCheck:
    """Checks uniform play against the solver's exact values at every undecided state, with ties discarded."""
    game = Jujitsu(num_cards=size, ties="discard")
    return check_uniform_play(solve_exactly(game, progress), full_graph(game).states)


def without_ties_findings(checks: Mapping[int, UniformCheck]) -> Iterator[Finding]:
    """Judges the theorem of section 4, which the paper states for 4 cards."""
    for size, check in checks.items():
        item = f"{size}x{size} without ties, uniform play optimal at every state"
        reason = f"at {check.states:,} states every card earns the value against it; off by {check.deviation}"
        if size == 4:
            yield judge(printed("Section 4", item), check.optimal, reason)
        else:
            yield new("Section 4", item, check.optimal, reason)


def parity(counts: Mapping[int, SubGames]) -> Finding:
    """Judges the explanation of why odd games are seldom tied."""
    odd = [size for size in counts if size % 2 and counts[size].tied_ends[False]]
    even = [size for size in counts if not size % 2 and not counts[size].tied_ends[False]]
    claim = printed("Section 5.2", "an odd game is tied only if its last trick is; an even one need not be")
    wrong = f"not at {odd + even} cards"
    return judge(claim, not odd and not even, "all ways through the game, 4..8 cards", wrong)


def second_lowest(sizes: Sequence[int]) -> Finding:
    """Judges the best reply to LowestCard."""
    least = min(map(second_lowest_wins, sizes))
    claim = printed("Section 5.2", "SecondLowestCard v. LowestCard, win")
    return judge(claim, least, f"at {sizes[0]}..{sizes[-1]} cards, all tricks but the last")


def second_lowest_wins(size: int) -> float:
    """Returns the probability that SecondLowestCard beats LowestCard. Neither mixes, so one game suffices."""
    return float(cross_play(Jujitsu(num_cards=size), ("second_lowest_card", "lowest_card")).wins[0])


def root_table(figures: Sequence[JujitsuFigures]) -> Table:
    """Returns the lowest and highest probability of each card at the start."""
    return [
        ["cards", "card", "least", "greatest"],
        *(
            [each.size, card, f"{low:.12f}", f"{high:.12f}"]
            for each in figures
            for card, (low, high) in enumerate(np.abs(each.root).T, start=1)
        ),
    ]


def sub_game_table(figures: Sequence[JujitsuFigures], counts: Mapping[int, SubGames]) -> Table:
    """Returns the ways to count sub-games, side by side."""
    counted = [(each, counts[each.size]) for each in figures]
    return [
        ["cards", "4^n", "hand_pairs", "states", "undecided", "canonical", "several_optimal", "paths"],
        *([f.size, 4**f.size, c.pairs, c.states, c.open, f.states, f.several, c.paths] for f, c in counted),
    ]


def self_checks(figures: Sequence[JujitsuFigures], counts: Mapping[int, SubGames]) -> dict[str, bool]:
    """Checks that must hold if the figures above are right, by description."""
    outcomes = [outcome for each in figures for outcome in each.outcomes.values()]
    exact = [exact for outcome in outcomes for exact in outcome.values()]
    shares = [sum(outcome[column].default for column in COLUMNS[:3]) for outcome in outcomes]
    expected = {n: (comb(2 * n, n), factorial(n) ** 2) for n in counts}
    walked = [each for each in figures if each.size in CHECKED_SIZES]
    return {
        "the value is 0 at every size": all(abs(each.value) < ROUNDING for each in figures),
        "our choice lies in every range": all(e.low - ROUNDING <= e.default <= e.high + ROUNDING for e in exact),
        "wins, losses and ties of our choice add up to 1": all(abs(share - 1.0) < ROUNDING for share in shares),
        "rounding moves no range by more than 1e-9": all(each.slack < ROUNDING for each in figures),
        "there are C(2n, n) pairs of hands and n!^2 ways": {n: (c.pairs, c.paths) for n, c in counts.items()}
        == expected,
        "a walk through every state comes to the same, 4 and 5 cards": all(map(_walks_agree, walked)),
    }


def _walks_agree(each: JujitsuFigures) -> bool:
    """Returns whether figures from individual states match those from canonical states, and no range can be left."""
    game = Jujitsu(num_cards=each.size)
    solution = solve(game)
    undecided = len(full_graph(game).states)
    agree = undecided == count_sub_games(each.size).open
    agree &= _same(head_to_head(game, solution.policy, solution.policy), each.outcomes[EQUILIBRIUM, EQUILIBRIUM])
    for name, ours in POLICIES.items():
        outcome = each.outcomes[EQUILIBRIUM, name]
        agree &= _same(head_to_head(game, solution.policy, ours), outcome)
        agree &= _same(head_to_head(game, POLICIES[RANDOM], ours), each.outcomes[RANDOM, name])
        most = head_to_head(game, solve(game, selection=f"exploit:{ours}").policy, ours).mean
        agree &= abs(most - outcome["margin"].high) < ROUNDING
    return agree


def _same(result: HeadToHead, outcome: Mapping[str, Exact]) -> bool:
    pairs = zip((result.win, result.loss, result.tie, result.mean), COLUMNS, strict=True)
    return all(abs(share - outcome[column].default) < ROUNDING for share, column in pairs)
