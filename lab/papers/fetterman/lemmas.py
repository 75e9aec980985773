"""Fetterman 2023, Lemmas 1 to 3 and footnote 5, on random hands and at every state of a game."""

from __future__ import annotations

import random
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import pairwise, permutations

from baselines.oracles.answers.protocol import Progress
from baselines.oracles.state_graph.game_graph import full_graph
from baselines.solving import solve
from cardwar_envs.games.dinosaur_war import DinosaurWar
from cardwar_envs.games.duel import DuelState
from lab.papers.fetterman import PAPER
from lab.papers.fetterman.matchings import Hand, dominance, replies_to_uniform, value_by_recursion
from lab.papers.findings import Finding, judge, new
from lab.papers.uniform_play import Matrix, UniformCheck, card_sums, check_uniform_play, solve_exactly

SEED = 2023
HANDS, MOST_CARDS, HIGHEST_RANK = 100, 6, 7
WIN_CARDS, WIN_HANDS = 7, 20
ODD_PAYOFFS = 20

printed = PAPER.figure


def check_lemmas() -> tuple[list[Finding], dict[str, bool]]:
    """Compares the lemmas with solutions of random hands: findings, and checks of the computation itself."""
    to_d = even = d_over_n = by_recursion = in_floats = 0
    for hands in random_hands(HANDS, MOST_CARDS):
        matrix, value, start = solved_start(hands)
        score, size, sums = dominance(*hands), len(hands[0]), card_sums(matrix, start)
        to_d += all(total == score for total in sums)
        even += all(total == size * value for total in sums)
        d_over_n += value == Fraction(score, size)
        by_recursion += value == value_by_recursion(*hands)
        in_floats += abs(solve(DinosaurWar(hand_0=hands[0], hand_1=hands[1])).value - float(value)) <= 1e-9
    where = f"of {HANDS} random pairs of hands of 1..{MOST_CARDS} cards with duplicates"

    def claim(place: str, item: str, held: int) -> Finding:
        return judge(printed(place, item), held == HANDS, f"for {held} {where}")

    findings = [
        claim("Lemma 1", "rows and columns of the payoff matrix sum to D(A, B)", to_d),
        claim("Lemma 2", "uniform play by both is an equilibrium", even),
        *lemma_2_slips(),
        claim("Lemma 3", "the value is D(A, B)/n", d_over_n),
        *footnote_5(),
    ]
    checks = {
        "solver and trick-by-trick recursion agree on all random hands": by_recursion == HANDS,
        "the solver in floats agrees with rationals to 1e-9": in_floats == HANDS,
    }
    return findings, checks


def random_hands(count: int, most_cards: int) -> Iterator[tuple[Hand, Hand]]:
    """Returns pairs of equal size; ranks are drawn with replacement, so duplicates are common."""
    generator = random.Random(SEED)
    for _ in range(count):
        size = generator.randint(1, most_cards)
        own, other = (tuple(sorted(generator.choices(range(1, HIGHEST_RANK + 1), k=size))) for _ in range(2))
        yield own, other


@cache
def solved_start(hands: tuple[Hand, Hand], progress: Progress | None = None) -> tuple[Matrix, Fraction, DuelState]:
    """Solves a game exactly; returns the payoff matrix and the value at its initial state, and that state."""
    game = DinosaurWar(hand_0=hands[0], hand_1=hands[1])
    solution, start = solve_exactly(game, progress), game.initial()[0].state
    return solution.exact_payoff_matrix(start), solution.exact_value_at(start), start


def lemma_2_slips() -> Iterator[Finding]:
    """Checks two statements of Lemma 2 numerically."""
    matrix, _, start = solved_start(((2, 3, 6), (1, 3, 5)))
    item = "{2,3,6} v. {1,3,5}, payoff of a row against uniform play (given as D)"
    row_sum = card_sums(matrix, start)[0]
    wrong = f"{row_sum} is the row's sum D; against uniform play the row pays D/n"
    yield judge(printed("Lemma 2", item), row_sum / 3, "D", wrong)

    # P_A leaves uniform play in Figure 2c; P_B answers with one column.
    matrix, value, _ = solved_start(((2, 4), (1, 3)))
    first, second = ((3 * low + high) / 4 for low, high in zip(*matrix, strict=True))
    wrong = f"if P_A plays 2 with 3/4 in Figure 2c, columns pay it {first} and {second}: P_B gains by the lower one"
    item = "case 2: P_B gains by a column above the mean"
    yield judge(printed("Lemma 2", item), max(first, second) < value, "it pays P_A less", wrong)


def neighbours_pay_alike() -> bool:
    """Returns whether neighbouring cards with none of the other hand between them have equal rows, in all hands."""
    for own, other in random_hands(HANDS, MOST_CARDS):
        matrix, _, _ = solved_start((own, other))
        for i, (low, high) in enumerate(pairwise(sorted(set(own)))):
            if not any(low <= rank <= high for rank in other) and matrix[i] != matrix[i + 1]:
                return False
    return True


def footnote_5() -> Iterator[Finding]:
    """Judges footnote 5: the probability of winning instead of the margin, and arbitrary payoffs."""
    check = check_winning(WIN_CARDS, WIN_HANDS)
    reason = (
        f"payoff=win: every card earns the solver's value against uniform play in {check.states:,} undecided states, "
        f"all of 1..{WIN_CARDS} v. 1..{WIN_CARDS} and of {WIN_HANDS} random pairs"
    )
    wrong = f"payoff=win: some card earns {check.deviation} more or less than the value"
    item = "uniform play is also optimal for the chance of winning"
    yield judge(printed("Footnote 5", item), check.optimal, reason, wrong)
    spread = spread_of_replies(4, ODD_PAYOFFS)
    reason = f"{ODD_PAYOFFS} payoffs drawn for each of the 24 matchings; all matchings stay equally likely"
    item = "4 v. 4 cards, any payoff of the matching: most that a reply to uniform gains"
    yield new("Footnote 5", item, spread, reason)


def check_winning(cards: int, pairs: int) -> UniformCheck:
    """Checks that uniform play maximises the probability of winning, for 1..cards v. 1..cards and random hands.

    Skips states in which the winner is already decided, because there every policy is optimal.
    """
    games = [DinosaurWar(num_cards=cards, payoff="win")]
    games += [DinosaurWar(hand_0=own, hand_1=other, payoff="win") for own, other in random_hands(pairs, MOST_CARDS)]
    checks = [check_uniform_play(solve_exactly(game), full_graph(game).states) for game in games]
    return UniformCheck(sum(check.states for check in checks), max(check.deviation for check in checks))


def spread_of_replies(size: int, payoffs: int) -> Fraction:
    """Returns the maximum difference between replies to uniform play, for random payoffs of whole matchings."""
    generator = random.Random(SEED)
    matchings = [frozenset(enumerate(order)) for order in permutations(range(size))]
    worst = Fraction(0)
    for _ in range(payoffs):
        paid = {matching: Fraction(generator.randint(-9, 9)) for matching in matchings}
        least, most = replies_to_uniform(size, paid.__getitem__)
        worst = max(worst, most - least)
    return worst
