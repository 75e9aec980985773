"""The reachable positions of duels and Goofspiel, and what is at stake there: a sweep from the first trick to the last.

A *position* is a pair of hands and a *context*: all that matters besides the hands before a prize is turned up. These
are the prizes left and, where they matter, the score and the points carried. In a duel every prize is 1 point, so
carried points are carried ties. A *state* is a position with its prize turned up. A layer holds the positions with the
same number of cards left.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from baselines.oracles.answers.protocol import BATCH
from cardwar_envs.core.kernels import kernels, map_in_threads, processors
from cardwar_envs.games.duel import Duel
from cardwar_envs.games.duel.interleaving import Hand, interleaving
from cardwar_envs.games.goofspiel import Goofspiel
from cardwar_envs.games.goofspiel.state import next_prizes

# A score beyond all points of a game: its sign is decided, and its size does not matter.
DECIDED = 1 << 20
# In plain Python, for a single thread.
SECONDS_PER_JOINT_ACTION = 2e-5
# Parts of a layer that threads expand, each with a hash table of its own, and the fewest pairs of a part.
MOST_PARTS, LEAST_PER_PART = 4, 1024

Piece = tuple[int, int]  # a range of pairs of hands


def kernel(seconds: float) -> Any:
    """Returns the kernels, compiled only if the work would take plain Python (about `seconds`) too long."""
    return kernels("baselines.oracles.rank_games.evaluation_kernel", seconds)


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
    """

    order: str
    carry: bool
    win: bool
    scored: bool
    shown: bool


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
        tolerance: Accepted duality gap of a matrix game, in payoff points, where matrix games are solved.
    """

    turned: NDArray[np.int64]
    paid: NDArray[np.float64]
    ahead: NDArray[np.float64]
    following: NDArray[np.int64]
    swapped: NDArray[np.int64]
    own: NDArray[np.bool_]
    tolerance: float = 0.0


def scoring_of(game: Duel | Goofspiel, *, scored: bool, shown: bool) -> Scoring:
    """Returns the scoring of a game; `scored` and `shown` are as in `Scoring`."""
    order = game.prizes if isinstance(game, Goofspiel) else "descending"
    return Scoring(order, game.ties == "carry", game.payoff == "win", scored, shown)


def both_ways(contexts: Iterable[Context]) -> list[Context]:
    """Returns the contexts, and those with the seats swapped, in ascending order."""
    return sorted({each for context in contexts for each in (context, context.swapped)})


def next_stakes(
    scoring: Scoring, contexts: Sequence[Context], reached: Iterable[int]
) -> tuple[PrizeRules, list[Context]]:
    """Returns the stakes of a layer with these contexts, and the contexts that can follow those that are reached."""
    outcomes = {
        (number, place): _outcomes(scoring, contexts[number], prize, left)
        for number in reached
        for place, (_, prize, left) in enumerate(next_prizes(scoring.order, contexts[number].prizes))
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
    )
    for place, three in outcomes.items():
        rules.paid[place] = [paid for paid, _, _ in three]
        rules.ahead[place] = [ahead for _, ahead, _ in three]
        rules.following[place] = [-1 if after is None else below[after] for _, _, after in three]
    return rules, following


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


class Shape(NamedTuple):
    """How pairs of hands are stored, for compiled code.

    Attributes:
        ranks: Number of ranks in a row.
        packed: Whether ranks are renumbered after every trick.
        symmetric: Whether a pair and its mirror image are one row, because both seats start alike and play alike.
    """

    ranks: int
    packed: bool
    symmetric: bool


class Layer(NamedTuple):
    """The reachable undecided positions with the same number of cards left; arrays as in `evaluation_kernel.py`.

    Attributes:
        cards: The number of cards left.
        rows: `[pairs, width]` pairs of hands.
        marks: `[pairs, words]` the contexts that are reached, and numbers of positions.
        positions: The number of positions.
        prizes: The number of prizes that can be turned up.
        rules: What is at stake.
        rest: `[contexts * prizes, 2 seats, rest]`: what each player sees besides the hands.
    """

    cards: int
    rows: NDArray[np.uint8]
    marks: NDArray[np.int64]
    positions: int
    prizes: int
    rules: PrizeRules
    rest: NDArray[np.float32]

    @property
    def states(self) -> int:
        """The number of states."""
        return self.positions * self.prizes

    def table(self) -> NDArray[np.int32]:
        """Returns the hash table of the rows."""
        table = np.full(1 << (2 * len(self.rows)).bit_length(), -1, dtype=np.int32)
        kernel(1e-6 * len(self.rows)).fill_table(self.rows.view(np.uint64), len(self.rows), table)
        return table

    def pieces(self) -> list[Piece]:
        """Cuts the pairs into pieces of about `BATCH` states."""
        first = (self.marks[:, 0] >> 32) * self.prizes
        cuts = np.unique(np.searchsorted(first, np.arange(0, max(self.states, 1), BATCH)))
        return list(pairwise([*cuts[cuts < len(self.rows)].tolist(), len(self.rows)]))

    def queries(self, piece: Piece) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Returns the pair, context, and row of `rest` of each state of some pairs."""
        first = np.append(self.marks[:, 0] >> 32, self.positions)
        pairs, contexts = np.empty((2, first[piece[1]] - first[piece[0]]), dtype=np.int64)
        kernel(1e-6 * self.marks.size).list_positions(self.marks, *piece, pairs, contexts)
        pairs, contexts = np.repeat(pairs, self.prizes), np.repeat(contexts, self.prizes)
        return pairs, contexts, contexts * self.prizes + np.arange(len(pairs)) % max(self.prizes, 1)


# From a layer and its number of words of marks in the next layer: the rows and marks of the next layer.
Expand = Callable[[Layer, int], tuple[NDArray[np.uint8], NDArray[np.int64]]]


def expanded(shape: Shape, layer: Layer, words: int, *, most: int) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Returns the rows and marks that follow a layer if both players can play any card.

    Threads find those of different pairs. Their number does not change the order, which is that of the first finds.
    """
    compute = kernel(SECONDS_PER_JOINT_ACTION * len(layer.rows) * layer.cards**2)

    def part(piece: Piece) -> Any:
        begun = nothing_yet(layer.rows.shape[1], words)
        return compute.expand(shape, layer.rules, *piece, layer.rows, layer.marks, *begun, most)

    parts = min(processors(), MOST_PARTS, 1 + len(layer.rows) // LEAST_PER_PART)
    found, *others = map_in_threads(part, list(pairwise(np.linspace(0, len(layer.rows), parts + 1).astype(int))))
    for more_rows, more_marks, _, more in others:
        found = compute.merge(more_rows[:more], more_marks[:more], *found)
    rows, marks, _, count = found
    return rows[:count].copy(), marks[:count].copy()


def nothing_yet(width: int, words: int) -> tuple[NDArray[np.uint8], NDArray[np.int64], NDArray[np.int32]]:
    """Returns the rows, marks and hash table of no pairs."""
    return np.zeros((1024, width), np.uint8), np.zeros((1024, words), np.int64), np.full(2048, -1, np.int32)


def reachable_layers(
    game: Duel | Goofspiel,
    scoring: Scoring,
    shape: Shape,
    most: int,
    expand: Expand,
) -> list[Layer]:
    """Returns the layers from one card left to all; `expand` is like `expanded`.

    Raises a ValueError if there are more than `most` states.
    """
    counts = np.concatenate(starting_counts(game, shape.packed))
    cards, states, found = int(counts.sum()) // 2, 0, list[Layer]()
    contexts = [Context(game.cards if isinstance(game, Goofspiel) else (1,) * cards)]
    rows, marks = np.zeros((1, -(-len(counts) // 8) * 8), dtype=np.uint8), np.ones((1, 1), dtype=np.int64)
    rows[0, : len(counts)] = counts
    for left in range(cards, 0, -1):
        positions = int(kernel(1e-5 * marks.size).number_positions(marks))
        words = np.bitwise_or.reduce(marks, axis=0, initial=0).astype(np.uint32)
        reached = np.flatnonzero(np.unpackbits(words.view(np.uint8), bitorder="little")).tolist()
        rules, following = next_stakes(scoring, contexts, reached)
        rest = rest_of_observations(game, scoring, contexts)
        layer = Layer(left, rows, marks, positions, int(rules.turned.max(initial=0)), rules, rest)
        states += layer.states
        if states > most:
            raise ValueError(f"{game.facts.name} has more than {most:,} undecided states")
        found.append(layer)
        if left > 1:
            rows, marks = expand(layer, max(-(-len(following) // 32), 1))
        contexts = following
    return found[::-1]


def starting_counts(game: Duel | Goofspiel, packed: bool) -> tuple[list[int], list[int]]:
    """Returns both players' cards of each rank at the start."""
    ranks = game.ranks if isinstance(game, Duel) else game.cards
    hands = game.hands if isinstance(game, Duel) else (game.cards, game.cards)
    if packed:
        hands, ranks = interleaving(hands), tuple(range(len(ranks)))
    own, other = ([hand.count(rank) for rank in ranks] for hand in hands)
    return own, other
