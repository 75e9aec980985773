"""D. Fetterman, "Dinosaur War: A Strategic Game of Utter Chance" (2023): every figure, recomputed.

Payoffs come from the solver in rationals, which knows nothing of D/n: it solves one matrix game per
state. What the paper says of them is then a comparison.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, cast

import numpy as np

from baselines.oracle import Progress
from baselines.published import FETTERMAN, Published, figure, published
from baselines.reproduction.fetterman import lemmas as fetterman_lemmas
from baselines.reproduction.fetterman.matchings import Hand, dominance, margin_shares, trick
from baselines.reproduction.pictures import HeatMap, new_figure
from baselines.reproduction.report import Number, Picture, Report, Row, Verdict, judged
from baselines.reproduction.uniform_play import Matrix
from baselines.results import StateSolution
from baselines.solution import solve
from cardwar_envs.games.dinosaur_war import DinosaurWar

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Matrices = Mapping[tuple[Hand, Hand], Matrix]

TEN: Hand = tuple(range(1, 11))
SECTION_7 = "Section 7"
# "{2,3,6} v. {1,3,5}, 2 against 1, to come": an entry of a payoff matrix, or a part of one.
ENTRY = re.compile(r"{([\d,]+)} v\. {([\d,]+)}, (\d+) against (\d+)(?:, (.+))?")


def reproduce(progress: Progress | None = None) -> Report:
    """Recomputes the paper's figures and judges them.

    Args:
        progress: Called now and then with the number of states explored.
    """
    printed = published(FETTERMAN)
    matrices = solved_matrices(printed, progress)
    table = matrices[TEN, TEN]
    lemmas = fetterman_lemmas.check_lemmas()
    rows = (
        *entry_rows(printed, matrices),
        *text_rows(matrices),
        *lemmas.rows,
        *table_rows(matrices),
        *new_rows(table),
    )
    checks = {
        "the 10 v. 10 matrix is T + D/(n-1), entry by entry": table == closed_form(TEN, TEN),
        "every row and column of it sums to D = 0": not any(map(sum, table))
        and not any(map(sum, zip(*table, strict=True))),
        **lemmas.checks,
    }
    return Report(
        rows=rows,
        sound=all(checks.values()),
        pictures=(Picture("ten_v_ten", lambda: draw_table(table)),),
        tables={"ten_v_ten": fractions_table(table)},
        checks=checks,
    )


# -- the matrices -----------------------------------------------------------------------------------


def solved_matrices(figures: Iterable[Published], progress: Progress | None = None) -> Matrices:
    """The exact payoff matrices that the figures' entries are from, at the start of each game."""
    matrices = {}
    for hands in dict.fromkeys(_hands(each) for each in figures if ENTRY.fullmatch(each.item)):
        game = DinosaurWar(hand_0=hands[0], hand_1=hands[1])
        solution = cast(StateSolution, solve(game, exact=True, progress=progress))
        matrices[hands] = solution.exact_payoff_matrix(game.initial()[0].state)
    return matrices


def _hands(entry: Published) -> tuple[Hand, Hand]:
    found = ENTRY.fullmatch(entry.item)
    assert found is not None  # callers have made sure
    own, other = (tuple(map(int, found[group].split(","))) for group in (1, 2))
    return own, other


def entry_rows(figures: Iterable[Published], matrices: Matrices) -> Iterator[Row]:
    """One row for each printed entry of a payoff matrix: Figures 2, 4, 5 and the table of section 7."""
    for each in figures:
        found = ENTRY.fullmatch(each.item)
        if found is None:
            continue
        hands, (a, b) = _hands(each), (int(found[3]), int(found[4]))
        entry = matrices[hands][hands[0].index(a)][hands[1].index(b)]
        parts = {"of the trick": Fraction(trick(a, b)), "to come": entry - trick(a, b)}
        computed = parts[found[5]] if found[5] else entry
        yield judged(each, computed, "the solver's exact payoff")


def closed_form(hand_0: Hand, hand_1: Hand) -> tuple[tuple[Fraction, ...], ...]:
    """The payoff matrix by Lemmas 1 to 3: the trick plus D of what is left over n - 1."""
    return tuple(
        tuple(trick(a, b) + Fraction(dominance(_less(hand_0, a), _less(hand_1, b)), len(hand_0) - 1) for b in hand_1)
        for a in hand_0
    )


def _less(hand: Hand, card: int) -> Hand:
    place = hand.index(card)
    return hand[:place] + hand[place + 1 :]


# -- what the text says -------------------------------------------------------------------------------


def text_rows(matrices: Matrices) -> Iterator[Row]:
    """Sections 1 to 5, in their order."""

    def row(place: str, item: str, computed: Fraction | bool, right: str, wrong: str | None = None) -> Row:
        return judged(figure(FETTERMAN, place, item), computed, right, wrong)

    most = Fraction(most_tricks(TEN, TEN))
    yield row("Section 1.1", "greatest score of one player, 1..10 v. 1..10", most, "the best matching of the hands")
    score = Fraction(dominance((2, 3, 6), (1, 3, 5)))
    for place in ("Section 2", "Figure 3"):
        yield row(place, "D({2,3,6}, {1,3,5})", score, "5 pairs won, 3 lost, 1 tied")
    even = _mean(matrices[(2, 4), (1, 3)])
    yield row("Section 2", "expected value of {2,4} v. {1,3}", even, "", "2 is D; the value is D/n by Lemma 3")
    own, other = (2, 3, 6), (1, 3, 5)
    nested, left = matrices[own, other], (_less(own, 3), _less(other, 3))
    yield row(
        "Section 4.0.1",
        "in Figure 5b, (3, 3) must be followed by (6, 5)",
        left == ((6,), (5,)),
        "nothing else is left",
        "{2,6} v. {1,5} is left there, a choice; it is so in Figure 4b, {3,6} v. {3,5}",
    )
    yield row(
        "Section 5",
        "upper right element of Figure 5b",
        nested[0][-1],
        "",
        f"that is 2 against 5; {nested[0][0]} = 1 + 1/2 stands upper left, 2 against 1",
    )
    sub_game = _mean(matrices[(3, 6), (3, 5)])
    item = "payoff of the sub-game {3,6} v. {3,5} (given as D)"
    yield row("Section 5.1", item, sub_game, "", "D is twice that; the payoff is D/(n-1), as Figure 5b has it")


def _mean(matrix: Matrix) -> Fraction:
    """What uniform play by both earns, where no card is held twice."""
    return sum((entry for row in matrix for entry in row), Fraction(0)) / (len(matrix) * len(matrix[0]))


def most_tricks(hand_0: Hand, hand_1: Hand) -> int:
    """The most tricks that player 0 can win if the cards meet as well as they can."""
    from scipy.optimize import linear_sum_assignment

    wins = np.array([[a > b for b in hand_1] for a in hand_0], dtype=np.float64)
    return int(wins[linear_sum_assignment(wins, maximize=True)].sum())


def table_rows(matrices: Matrices) -> Iterator[Row]:
    """The remarks of section 7."""

    def row(item: str, computed: Fraction | bool, right: str, wrong: str | None = None) -> Row:
        return judged(figure(FETTERMAN, SECTION_7, item), computed, right, wrong)

    table = matrices[TEN, TEN]
    mirrored = tuple(zip(*table, strict=True))
    skew = table == tuple(tuple(-entry for entry in line) for line in mirrored)
    wrong = "M[i][j] = -M[j][i]: skew-symmetric" if skew else "neither symmetric nor skew-symmetric"
    yield row("the 10 v. 10 matrix is symmetric", table == mirrored, "M[i][j] = M[j][i]", wrong)

    won = won_by(table)
    everywhere = [worth for entries in won.values() for worth in entries]
    mean = sum(everywhere, Fraction(0)) / len(everywhere)
    good, bad = (sum(sign * worth > 0 for worth in everywhere) for sign in (1, -1))
    over_margins = sum((entries[0] for entries in won.values()), Fraction(0)) / len(won)
    sense = f"{good} of {len(everywhere)} equally likely wins are good, {bad} bad; it is {over_margins} only if each"
    yield row("1..10 v. 1..10, mean worth of a won first trick", mean, "", f"{sense} margin 1..9 counts once")
    half = won[len(TEN) // 2]
    same = half[0] if len(set(half)) == 1 else max(half, key=abs)
    yield row("1..10 v. 1..10, worth of a first trick won by 5 ranks", same, "all five entries (n - 2d)/(n - 1), d = 5")
    ordered = all((worth > 0) == (2 * d < 10) and (worth < 0) == (2 * d > 10) for d in won for worth in won[d])
    yield row("winning by fewer than n/2 ranks is good, by more is bad", ordered, "sign of (n - 2d)/(n - 1), d = 1..9")
    for name, hands in (("2a", ((1, 3), (1, 3))), ("2c", ((2, 4), (1, 3)))):
        entries = {entry for line in matrices[hands] for entry in line}
        wrong = f"its entries are {' and '.join(map(str, sorted(entries)))}; Figure 2b, all 0, fits"
        yield row(f"the choice does not matter in Figure {name}", len(entries) == 1, "all entries are equal", wrong)
    yield row(
        "between duplicate cards the choice does not matter",
        fetterman_lemmas.neighbours_pay_alike(),
        "neighbours that no card of the other hand tells apart have equal rows, in 100 random pairs of hands",
    )


def won_by(table: Matrix) -> dict[int, list[Fraction]]:
    """Worth of a won first trick by the ranks that it is won by; rows and columns are the same cards."""
    size = len(table)
    return {d: [table[i][i - d] for i in range(d, size)] for d in range(1, size)}


# -- what the paper asks or leaves out ----------------------------------------------------------------


def new_rows(table: Matrix) -> Iterator[Row]:
    """Answers to section 1.2, and the odds of a whole game."""

    def row(place: str, item: str, computed: Fraction, reason: str) -> Row:
        return Row(place, item, None, str(computed), None, Verdict.NEW, reason)

    yield row("Section 1.2", "1..10 v. 1..10, worth of (9, 10) to P_A", table[8][9], "lost by 1 rank, the worst loss")
    yield row("Section 1.2", "1..10 v. 1..10, worth of (1, 10) to P_A", table[0][9], "lost by 9 ranks, the best loss")
    shares = margin_shares(TEN, TEN)
    for what, share in (("of a tied game", shares[0]), ("that P_A wins", _above(shares))):
        reason = f"{float(share):.6f}, if either plays uniformly, whatever the other does"
        yield row("Section 1.1", f"1..10 v. 1..10, chance {what}", share, reason)


def _above(shares: Mapping[int, Fraction]) -> Fraction:
    return sum((share for margin, share in shares.items() if margin > 0), Fraction(0))


def fractions_table(table: Matrix) -> list[list[Number]]:
    """The 10 v. 10 table for a CSV file."""
    lines: list[list[Number]] = [[card, *map(str, row)] for card, row in zip(TEN, table, strict=True)]
    return [["", *TEN], *lines]


def draw_table(table: Matrix) -> Figure:
    """The 10 v. 10 table as a heat map."""
    drawing = new_figure(8.5, 7.0)
    HeatMap(
        title="Dinosaur War, 1..10 v. 1..10: worth of the first trick and all that follows",
        row_label="card of P_A",
        column_label="card of P_B",
        bar_label="payoff to P_A (tricks)",
        values=[[float(entry) for entry in row] for row in table],
        names=[str(card) for card in TEN],
        limits=(-1.0, 1.0),
        colours="RdBu",
        cells=[[str(entry) for entry in row] for row in table],
    ).draw(drawing.subplots(), text_size=10.0)
    return drawing
