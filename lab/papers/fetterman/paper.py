"""D. Fetterman, "Dinosaur War: A Strategic Game of Utter Chance" (2023): every figure, computed anew.

Payoffs come from the exact solver, which does not use D/n: it solves one matrix game per state. Every statement
of the paper about payoffs is then checked by comparison.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from functools import partial

from baselines.oracles.answers.protocol import Progress
from lab.papers.fetterman import PAPER, lemmas
from lab.papers.fetterman.matchings import Hand, dominance, margin_shares, trick, without
from lab.papers.findings import Finding, Reproduction, judge, new
from lab.papers.pictures import Figure, heat_map
from lab.papers.printed import Published
from lab.papers.uniform_play import Matrix

Matrices = Mapping[tuple[Hand, Hand], Matrix]

TEN: Hand = tuple(range(1, 11))
# "{2,3,6} v. {1,3,5}, 2 against 1, to come": an entry of a payoff matrix, or a part of one.
ENTRY = re.compile(r"{([\d,]+)} v\. {([\d,]+)}, (\d+) against (\d+)(?:, (.+))?")

printed = PAPER.figure


def reproduce(progress: Progress | None = None) -> Reproduction:
    """Recomputes and judges the paper's figures."""
    figures = PAPER.figures.values()
    matrices = solved_matrices(figures, progress)
    table = matrices[TEN, TEN]
    lemma_findings, lemma_checks = lemmas.check_lemmas()
    return Reproduction(
        findings=(
            *entry_findings(figures, matrices),
            *text_findings(matrices),
            *lemma_findings,
            *section_7_findings(matrices),
            *new_findings(table),
        ),
        checks={
            "the 10 v. 10 matrix is T + D/(n-1), entry by entry": table == closed_form(TEN, TEN),
            "every row and column of it sums to D = 0": not any(map(sum, (*table, *zip(*table, strict=True)))),
            **lemma_checks,
        },
        tables={"ten_v_ten": [["", *TEN], *([card, *map(str, row)] for card, row in zip(TEN, table, strict=True))]},
        pictures={"ten_v_ten": partial(draw_table, table)},
    )


def _entries(figures: Iterable[Published]) -> Iterator[tuple[Published, re.Match[str], tuple[Hand, Hand]]]:
    """Yields the figures that are entries of a payoff matrix, each with its match of `ENTRY` and the two hands."""
    for each in figures:
        if found := ENTRY.fullmatch(each.item):
            own, other = (tuple(map(int, found[group].split(","))) for group in (1, 2))
            yield each, found, (own, other)


def solved_matrices(figures: Iterable[Published], progress: Progress | None = None) -> Matrices:
    """Solves the games whose payoff matrices the figures quote."""
    pairs = dict.fromkeys(hands for _, _, hands in _entries(figures))
    return {hands: lemmas.solved_start(hands, progress)[0] for hands in pairs}


def entry_findings(figures: Iterable[Published], matrices: Matrices) -> Iterator[Finding]:
    """Judges every printed entry of a payoff matrix: Figures 2, 4, 5 and the table of section 7."""
    for each, found, hands in _entries(figures):
        a, b = int(found[3]), int(found[4])
        entry = matrices[hands][hands[0].index(a)][hands[1].index(b)]
        parts = {None: entry, "of the trick": Fraction(trick(a, b)), "to come": entry - trick(a, b)}
        yield judge(each, parts[found[5]], "the solver's exact payoff")


def closed_form(hand_0: Hand, hand_1: Hand) -> tuple[tuple[Fraction, ...], ...]:
    """Returns the payoff matrix by Lemmas 1 to 3: the trick plus D / (n - 1) of the remaining cards."""
    left = len(hand_0) - 1
    return tuple(
        tuple(
            trick(a, b) + Fraction(dominance(without(hand_0, i), without(hand_1, j)), left)
            for j, b in enumerate(hand_1)
        )
        for i, a in enumerate(hand_0)
    )


def text_findings(matrices: Matrices) -> Iterator[Finding]:
    """Judges sections 1 to 5, in order."""
    most = Fraction(most_tricks(TEN, TEN))
    yield judge(printed("Section 1.1", "greatest score of one player, 1..10 v. 1..10"), most)
    own, other = (2, 3, 6), (1, 3, 5)
    for place in ("Section 2", "Figure 3"):
        yield judge(printed(place, "D({2,3,6}, {1,3,5})"), Fraction(dominance(own, other)))
    yield judge(printed("Section 2", "expected value of {2,4} v. {1,3}"), _mean(matrices[(2, 4), (1, 3)]))
    nested, left = matrices[own, other], (without(own, 1), without(other, 1))
    yield judge(printed("Section 4.0.1", "in Figure 5b, (3, 3) must be followed by (6, 5)"), left == ((6,), (5,)))
    wrong = f"that is 2 against 5; {nested[0][0]} = 1 + 1/2 stands upper left, 2 against 1"
    yield judge(printed("Section 5", "upper right element of Figure 5b"), nested[0][-1], "", wrong)
    sub_game = _mean(matrices[(3, 6), (3, 5)])
    yield judge(printed("Section 5.1", "payoff of the sub-game {3,6} v. {3,5} (given as D)"), sub_game)


def _mean(matrix: Matrix) -> Fraction:
    """Returns the payoff if both play uniformly and no card is held twice."""
    return sum((entry for row in matrix for entry in row), Fraction(0)) / (len(matrix) * len(matrix[0]))


def most_tricks(hand_0: Hand, hand_1: Hand) -> int:
    """Returns the maximum number of tricks for player 0: each of its cards beats the lowest card not yet beaten."""
    won = 0
    for card in sorted(hand_0):
        won += card > sorted(hand_1)[won]
    return won


def section_7_findings(matrices: Matrices) -> Iterator[Finding]:
    """Judges the remarks of section 7."""
    table = matrices[TEN, TEN]
    mirrored = tuple(zip(*table, strict=True))
    skew = table == tuple(tuple(-entry for entry in line) for line in mirrored)
    wrong = "M[i][j] = -M[j][i]: skew-symmetric" if skew else "neither symmetric nor skew-symmetric"
    claim = printed("Section 7", "the 10 v. 10 matrix is symmetric")
    yield judge(claim, table == mirrored, "M[i][j] = M[j][i]", wrong)

    # The worth of winning the first trick by each number of ranks; rows and columns are the same cards.
    won = {d: [table[i][i - d] for i in range(d, len(table))] for d in range(1, len(table))}
    everywhere = [worth for entries in won.values() for worth in entries]
    mean = sum(everywhere, Fraction(0)) / len(everywhere)
    good, bad = (sum(sign * worth > 0 for worth in everywhere) for sign in (1, -1))
    over_margins = sum((entries[0] for entries in won.values()), Fraction(0)) / len(won)
    sense = f"{good} of {len(everywhere)} equally likely wins are good, {bad} bad; it is {over_margins} only if each"
    claim = printed("Section 7", "1..10 v. 1..10, mean worth of a won first trick")
    yield judge(claim, mean, "", f"{sense} margin 1..9 counts once")
    half = won[len(TEN) // 2]
    same = half[0] if len(set(half)) == 1 else max(half, key=abs)
    yield judge(printed("Section 7", "1..10 v. 1..10, worth of a first trick won by 5 ranks"), same)
    ordered = all((worth > 0) == (2 * d < 10) and (worth < 0) == (2 * d > 10) for d in won for worth in won[d])
    yield judge(printed("Section 7", "winning by fewer than n/2 ranks is good, by more is bad"), ordered)
    for name, hands in (("2a", ((1, 3), (1, 3))), ("2c", ((2, 4), (1, 3)))):
        entries = {entry for line in matrices[hands] for entry in line}
        wrong = f"its entries are {' and '.join(map(str, sorted(entries)))}; Figure 2b, all 0, fits"
        claim = printed("Section 7", f"the choice does not matter in Figure {name}")
        yield judge(claim, len(entries) == 1, "all entries are equal", wrong)
    claim = printed("Section 7", "between duplicate cards the choice does not matter")
    yield judge(claim, lemmas.neighbours_pay_alike())


def new_findings(table: Matrix) -> Iterator[Finding]:
    """Answers the questions of section 1.2, and computes the odds of a whole game."""
    yield new("Section 1.2", "1..10 v. 1..10, worth of (9, 10) to P_A", table[8][9], "lost by 1 rank, the worst loss")
    yield new("Section 1.2", "1..10 v. 1..10, worth of (1, 10) to P_A", table[0][9], "lost by 9 ranks, the best loss")
    shares = margin_shares(TEN, TEN)
    above = sum((share for margin, share in shares.items() if margin > 0), Fraction(0))
    for what, share in (("of a tied game", shares[0]), ("that P_A wins", above)):
        reason = f"{float(share):.6f}, if either plays uniformly, whatever the other does"
        yield new("Section 1.1", f"1..10 v. 1..10, chance {what}", share, reason)


def draw_table(table: Matrix) -> Figure:
    """Returns the 10 v. 10 table as a heat map."""
    return heat_map(
        [[float(entry) for entry in row] for row in table],
        [str(card) for card in TEN],
        [[str(entry) for entry in row] for row in table],
        size=(8.5, 7.0),
        colours="RdBu",
        limits=(-1.0, 1.0),
        bar_label="payoff to P_A (tricks)",
        title="Dinosaur War, 1..10 v. 1..10: worth of the first trick and all that follows",
        xlabel="card of P_B",
        ylabel="card of P_A",
    )
