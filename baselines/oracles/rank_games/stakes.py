"""What is at stake in a trick, besides the cards: prizes, the score and carried points.

A *context* is all that matters besides the hands before a prize is turned up: the prizes left and, where they matter,
the score and the points carried. In a duel every prize is 1 point, so carried points are carried ties.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from baselines.matrix_game.limits import RELATIVE_GAP
from baselines.oracles.rank_games.interleavings import read_only
from cardwar_envs.games.duel import Duel
from cardwar_envs.games.duel.interleaving import Hand
from cardwar_envs.games.goofspiel import Goofspiel, GoofspielState
from cardwar_envs.games.goofspiel.state import next_prizes

# A score beyond all points of a game: its sign is decided, and its size does not matter.
DECIDED = 1 << 20


class Context(NamedTuple):
    """All that matters besides the hands before a prize is turned up; fields as in `GoofspielState`."""

    prizes: Hand
    score: int = 0
    carried: int = 0

    @property
    def swapped(self) -> Context:
        """The context with the seats swapped."""
        return self._replace(score=-self.score)


class Scoring(NamedTuple):
    """How prizes are turned up, won and paid.

    Attributes:
        order: As in `Goofspiel.prizes`.
        carry: Whether tied prizes are carried.
        win: Whether winning is paid instead of the margin.
        scored: Whether contexts include the score.
        shown: Whether players see the score. If not, all scores that decide the winner are one context.
        tolerance: Accepted duality gap of a matrix game, in payoff points.
    """

    order: str
    carry: bool
    win: bool
    scored: bool
    shown: bool
    tolerance: float


class PrizeRules(NamedTuple):
    """The stakes of one layer, for compiled code.

    Attributes:
        turned: `[contexts]`, the number of prizes that can be turned up next, all equally likely.
        paid: `[contexts, prizes, 3]` payoff points to player 0 if nobody, player 0 or player 1 wins the prize; includes
            all remaining payments once the game is settled.
        ahead: `[contexts, prizes, 3]` the sign of the score if the game is then settled, else 0.
        following: `[contexts, prizes, 3]`, the context in the layer below; -1 if the game is settled.
        swapped: `[contexts of the layer below]`, the context with the seats swapped.
        own: `[contexts]` bool, whether swapping the seats leaves the context of this layer unchanged.
        tolerance: As in `Scoring`.
    """

    turned: NDArray[np.int64]
    paid: NDArray[np.float64]
    ahead: NDArray[np.float64]
    following: NDArray[np.int64]
    swapped: NDArray[np.int64]
    own: NDArray[np.bool_]
    tolerance: float


class Stakes(NamedTuple):
    """The contexts of a layer by number, and the rules for compiled code."""

    contexts: dict[Context, int]
    rules: PrizeRules


def scoring_of(game: Duel | Goofspiel, *, scored: bool, shown: bool) -> Scoring:
    """Returns the scoring of a game; `scored` and `shown` are as in `Scoring`."""
    win, goofspiel = game.payoff == "win", isinstance(game, Goofspiel)
    most = 1.0 if win else 4.0 * game.facts.num_actions  # the errors of all layers add up
    order = game.prizes if isinstance(game, Goofspiel) else "descending"
    return Scoring(order, game.ties == "carry", win, scored, shown, RELATIVE_GAP * (most if goofspiel else 1.0))


def stakes_of(scoring: Scoring, start: Context) -> list[Stakes]:
    """Returns the stakes of each layer that can follow a start, from all cards left down to one."""
    contexts, layers = both_ways([start]), []
    for _ in start.prizes:
        stakes, contexts = next_stakes(scoring, contexts, contexts)
        layers.append(stakes)
    return layers


def both_ways(contexts: Iterable[Context]) -> list[Context]:
    """Returns the contexts, and those with the seats swapped, in ascending order."""
    return sorted({each for context in contexts for each in (context, context.swapped)})


def next_stakes(
    scoring: Scoring, contexts: Sequence[Context], reached: Iterable[Context]
) -> tuple[Stakes, list[Context]]:
    """Returns the stakes of a layer with these contexts, and the contexts that can follow those that are reached."""
    numbers = {context: number for number, context in enumerate(contexts)}
    outcomes = {
        (numbers[context], place): _outcomes(scoring, context, prize, left)
        for context in reached
        for place, (_, prize, left) in enumerate(next_prizes(scoring.order, context.prizes))
    }
    following = both_ways(after for three in outcomes.values() for _, _, after in three if after is not None)
    below = {context: number for number, context in enumerate(following)}
    turned = np.array([len(next_prizes(scoring.order, context.prizes)) for context in contexts], dtype=np.int64)
    shape = len(contexts), int(turned.max(initial=0)), 3
    rules = PrizeRules(
        turned=turned,
        paid=np.zeros(shape),
        ahead=np.zeros(shape),
        following=np.full(shape, -1),
        swapped=np.array([below[context.swapped] for context in following], dtype=np.int64),
        own=np.array([context == context.swapped for context in contexts], dtype=np.bool_),
        tolerance=scoring.tolerance,
    )
    for place, three in outcomes.items():
        rules.paid[place] = [paid for paid, _, _ in three]
        rules.ahead[place] = [ahead for _, ahead, _ in three]
        rules.following[place] = [-1 if after is None else below[after] for _, _, after in three]
    return Stakes(numbers, read_only(rules)), following


def _outcomes(scoring: Scoring, context: Context, prize: int, left: Hand) -> list[tuple[float, float, Context | None]]:
    """Returns what follows if nobody, player 0 or player 1 wins a prize.

    Each outcome is the payment to player 0, the sign of the final score, and the next context. The context is None if
    the game is settled; the payment then includes all remaining ones. Until then the sign is 0.
    """
    outcomes: list[tuple[float, float, Context | None]] = []
    stake = prize + context.carried
    for won in (0, stake, -stake):
        carried = stake if won == 0 and scoring.carry else 0
        score = context.score + won if scoring.scored else 0
        paid, ahead = 0.0 if scoring.win else float(won), float(np.sign(score))
        decided = abs(score) > sum(left) + carried
        if not left or (scoring.win and decided):
            outcomes.append((paid + ahead if scoring.win else paid, ahead, None))
        else:
            if decided and not scoring.shown:
                score = DECIDED if score > 0 else -DECIDED
            outcomes.append((paid, 0.0, Context(left, score, carried)))
    return outcomes


def rest_of_observations(game: Duel | Goofspiel, scoring: Scoring, contexts: Iterable[Context]) -> NDArray[np.float32]:
    """Returns `[contexts * prizes, 2 seats, rest]`: what each player sees besides the hands."""
    rows: list[list[list[float]]] = []
    for prizes, score, carried in contexts:
        own_scores = (float(score), float(0 - score)) if scoring.shown else (0.0, 0.0)
        for _, prize, left in next_prizes(scoring.order, prizes):
            if isinstance(game, Duel):
                rows.append([[own, carried] for own in own_scores])
                continue
            later = [float(card in left) for card in game.cards]
            points = [float(carried)] if game.ties == "carry" else []
            rows.append([[*later, float(prize), *([own] if scoring.shown else []), *points] for own in own_scores])
    return np.array(rows, dtype=np.float32) if rows else np.zeros((0, 2, 0), dtype=np.float32)


def prizes_of(state: GoofspielState) -> Hand:
    """Returns the prizes not won yet, ascending, including the one turned up."""
    return tuple(sorted((state.prize, *state.prizes)))
