"""Fetterman 2023, Lemmas 1 to 3 and footnote 5, on random hands and at every state of a game."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain, pairwise, permutations
from typing import cast

from baselines.graph.game_graph import full_graph
from baselines.published import FETTERMAN, figure
from baselines.reproduction.fetterman.matchings import Hand, dominance, replies_to_uniform, value_by_recursion
from baselines.reproduction.report import Row, Verdict, judged
from baselines.reproduction.uniform_play import UniformCheck, card_sums, check_uniform_play, uniform_payoffs
from baselines.results import StateSolution
from baselines.solution import solve
from cardwar_envs.games.dinosaur_war import DinosaurWar

SEED = 2023
HANDS, MOST_CARDS, HIGHEST_RANK = 100, 6, 7
WIN_CARDS, WIN_HANDS = 7, 20
ODD_PAYOFFS = 20


@dataclass(frozen=True)
class LemmaChecks:
    """Rows for the lemmas, and what has been checked of the computation itself."""

    rows: tuple[Row, ...]
    checks: dict[str, bool]


@dataclass(frozen=True)
class RandomDuel:
    """Two hands, solved in rationals and by other ways.

    Attributes:
        hands: Both hands, ascending.
        value: By the solver, which looks for equilibria and does not know uniform play.
        sums: Of the rows and of the columns of the payoff matrix, card by card.
        payoffs: What each row and each column pays against uniform play.
        recursion: What uniform play by both pays, trick by trick.
        float_error: By how much the solver's answer in floats is off.
    """

    hands: tuple[Hand, Hand]
    value: Fraction
    sums: tuple[Fraction, ...]
    payoffs: tuple[Fraction, ...]
    recursion: Fraction
    float_error: float

    @property
    def dominance(self) -> int:
        """D of the hands."""
        return dominance(*self.hands)


def check_lemmas() -> LemmaChecks:
    """Compares what the lemmas say with solutions of random hands, and answers footnote 5."""
    duels = [solved_duel(hands) for hands in random_hands(HANDS, MOST_CARDS)]
    to_d = sum(all(total == duel.dominance for total in duel.sums) for duel in duels)
    even = sum(all(payoff == duel.value for payoff in duel.payoffs) for duel in duels)
    d_over_n = sum(duel.value == Fraction(duel.dominance, len(duel.hands[0])) for duel in duels)
    where = f"of {HANDS} random pairs of hands of 1..{MOST_CARDS} cards with duplicates"

    def claim(place: str, item: str, held: int) -> Row:
        return judged(figure(FETTERMAN, place, item), held == HANDS, f"for {held} {where}")

    rows = (
        claim("Lemma 1", "rows and columns of the payoff matrix sum to D(A, B)", to_d),
        claim("Lemma 2", "uniform play by both is an equilibrium", even),
        *lemma_2_slips(),
        claim("Lemma 3", "the value is D(A, B)/n", d_over_n),
        *footnote_5(),
    )
    checks = {
        "solver and trick-by-trick recursion agree on all random hands": all(d.value == d.recursion for d in duels),
        "the solver in floats agrees with rationals to 1e-9": all(d.float_error <= 1e-9 for d in duels),
    }
    return LemmaChecks(rows, checks)


def random_hands(count: int, most_cards: int) -> Iterator[tuple[Hand, Hand]]:
    """Pairs of equal size; ranks are drawn with replacement, so duplicates are common."""
    generator = random.Random(SEED)
    for _ in range(count):
        size = generator.randint(1, most_cards)
        own, other = (tuple(sorted(generator.choices(range(1, HIGHEST_RANK + 1), k=size))) for _ in range(2))
        yield own, other


def solved_duel(hands: tuple[Hand, Hand]) -> RandomDuel:
    """Solves a pair of hands."""
    game = DinosaurWar(hand_0=hands[0], hand_1=hands[1])
    solution, start = cast(StateSolution, solve(game, exact=True)), game.initial()[0].state
    matrix, value = solution.exact_payoff_matrix(start), solution.exact_value_at(start)
    return RandomDuel(
        hands,
        value,
        tuple(chain(*card_sums(matrix, start))),
        tuple(chain(*uniform_payoffs(matrix, start))),
        value_by_recursion(*hands),
        abs(solve(game).value - float(value)),
    )


def lemma_2_slips() -> Iterator[Row]:
    """Two statements of Lemma 2 in numbers."""
    duel = solved_duel(((2, 3, 6), (1, 3, 5)))
    row_payoff = duel.payoffs[0]
    item = "{2,3,6} v. {1,3,5}, payoff of a row to uniform play (given as D)"
    wrong = f"{duel.sums[0]} is the row's sum D; played with probability 1/3 each it pays D/n"
    yield judged(figure(FETTERMAN, "Lemma 2", item), row_payoff, "D", wrong)

    # P_A leaves uniform play in Figure 2c; P_B answers with one column.
    game = DinosaurWar(hand_0=(2, 4), hand_1=(1, 3))
    solution, start = cast(StateSolution, solve(game, exact=True)), game.initial()[0].state
    leaning = (Fraction(3, 4), Fraction(1, 4))
    matrix, value = solution.exact_payoff_matrix(start), solution.exact_value_at(start)
    columns = [leaning[0] * first + leaning[1] * second for first, second in zip(*matrix, strict=True)]
    gains = {pays > value: value - pays for pays in columns}  # above the mean or not -> what P_B gains
    wrong = (
        f"playing 2 with 3/4 in Figure 2c, columns pay P_A {columns[0]} and {columns[1]}: P_B gains by the one below"
    )
    item = "case 2: P_B gains by a column above the mean"
    yield judged(figure(FETTERMAN, "Lemma 2", item), gains[True] > 0, "it pays P_A less", wrong)


def neighbours_pay_alike() -> bool:
    """Whether cards that no card of the other hand tells apart have equal rows, in all random hands."""
    for own, other in random_hands(HANDS, MOST_CARDS):
        game = DinosaurWar(hand_0=own, hand_1=other)
        start = game.initial()[0].state
        matrix = cast(StateSolution, solve(game, exact=True)).exact_payoff_matrix(start)
        ranks = sorted(set(own))
        for i, (low, high) in enumerate(pairwise(ranks)):
            if not any(low <= rank <= high for rank in other) and matrix[i] != matrix[i + 1]:
                return False
    return True


# -- footnote 5 -----------------------------------------------------------------------------------


def footnote_5() -> Iterator[Row]:
    """The chance of winning instead of the margin, and payoffs of any other kind."""
    check = check_winning(WIN_CARDS, WIN_HANDS)
    reason = (
        f"payoff=win: every card earns the solver's value against uniform play in {check.states:,} undecided states, "
        f"all of 1..{WIN_CARDS} v. 1..{WIN_CARDS} and of {WIN_HANDS} random pairs"
    )
    wrong = f"payoff=win: some card earns {check.deviation} more or less than the value"
    item = "uniform play is also optimal for the chance of winning"
    yield judged(figure(FETTERMAN, "Footnote 5", item), check.optimal, reason, wrong)
    spread = spread_of_replies(4, ODD_PAYOFFS)
    reason = f"{ODD_PAYOFFS} payoffs drawn for each of the 24 matchings; all matchings stay equally likely"
    item = "4 v. 4 cards, any payoff of the matching: most that a reply to uniform gains"
    yield Row("Footnote 5", item, None, str(spread), None, Verdict.NEW, reason)


def check_winning(cards: int, pairs: int) -> UniformCheck:
    """Uniform play for the chance of winning, at every state of 1..cards v. 1..cards and of random hands.

    States in which the winner is known are left out: any play is optimal there.
    """
    games = [DinosaurWar(num_cards=cards, payoff="win")]
    games += [DinosaurWar(hand_0=own, hand_1=other, payoff="win") for own, other in random_hands(pairs, MOST_CARDS)]
    checks = [
        check_uniform_play(cast(StateSolution, solve(game, exact=True)), full_graph(game).states) for game in games
    ]
    return UniformCheck(sum(check.states for check in checks), max(check.deviation for check in checks))


def spread_of_replies(size: int, payoffs: int) -> Fraction:
    """How much replies to uniform play differ at most, for random payoffs of whole matchings."""
    generator = random.Random(SEED)
    matchings = [frozenset(enumerate(order)) for order in permutations(range(size))]
    worst = Fraction(0)
    for _ in range(payoffs):
        paid = {matching: Fraction(generator.randint(-9, 9)) for matching in matchings}
        least, most = replies_to_uniform(size, paid.__getitem__)
        worst = max(worst, most - least)
    return worst
