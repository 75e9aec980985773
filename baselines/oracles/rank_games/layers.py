"""Computes all values of a duel with deterministic tricks, layer by layer.

The layer of k cards depends only on the layer of k - 1 cards. A state is an interleaving (see `interleavings.py`), the
carried ties and the score. Only one of an interleaving and its mirror image is solved. Decided states are not solved,
nor are states unreachable from two full decks (from other starts, a few unreachable states are solved).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from baselines.matrix_game import solve_matrix
from baselines.matrix_game.limits import RELATIVE_GAP
from baselines.oracles.answers.protocol import Progress
from baselines.oracles.rank_games.engine import (
    PIECES_PER_THREAD,
    Engine,
    LayerRules,
    Rules,
    Threads,
    ValueLayer,
    kernel,
    kernel_for,
    pieces_of,
    work_for,
)
from baselines.oracles.rank_games.interleavings import (
    MOST_ROWS,
    Hands,
    Letters,
    interleavings_kernel,
    letters_of,
    packed_interleaving,
    plain_seconds,
    rank_counts,
    read_only,
)
from baselines.oracles.rank_games.strategies import letter_numbers
from baselines.system.layer_files import LayerFolder
from cardwar_envs.core.kernels import map_in_threads, processors
from cardwar_envs.core.rules import TooLargeError
from cardwar_envs.games.duel import DuelState

LEAST_TO_LAY_OUT = 1 << 16  # interleavings, which take about 3 ms


class Held(Protocol):
    """A state with hands."""

    @property
    def hands(self) -> Hands:
        """The cards of both players, ascending."""


S = TypeVar("S", bound=Held)


class Size(NamedTuple):
    """The size of a layer."""

    words: int
    rows: int
    values: int
    games: int


class Layers(ABC, Generic[S]):
    """Values at all states that can follow a start, in a game where only the order of ranks matters.

    Args:
        start: The state to start from.
        tolerance: As in `LayerRules`, like the next four, which matter only in duels.
        work: Number of matrix games of an interleaving, relative to a duel.
        keep: Number of layers to keep, counted from the start; all if None.
        store: Stores layers, if given.
        engine: Solves the pieces; this process's threads if None.

    Attributes:
        solved: Number of matrix games solved so far, without those read from a store.
        failures: Number of those on which the compiled simplex failed and `solve_matrix` took over.
    """

    def __init__(
        self,
        start: S,
        tolerance: float,
        *,
        carry: bool = False,
        win: bool = False,
        score: int = 0,
        ties: int = 0,
        work: float = 1.0,
        keep: int | None = None,
        store: LayerFolder | None = None,
        engine: Engine | None = None,
    ) -> None:
        counts = rank_counts(start.hands)
        rules = LayerRules(
            cards=len(start.hands[0]),
            carry=carry,
            win=win,
            full_deck=score == ties == 0 and all(count == (1, 1) for count in counts),
            score=score,
            ties=ties,
            pairs=sum(map(min, counts)),
            step=2 if carry else 1,
            shift=int(carry),
            start=np.array(counts, dtype=np.int64).T.copy(),
            tolerance=tolerance,
        )
        self._rules = read_only(rules)
        self._hands, self._keep, self._store, self._engine = start.hands, keep, store, engine or Threads()
        self._layers: dict[int, ValueLayer] = {}
        self._gaps = np.zeros(self._rules.cards + 1)
        self.solved, self.failures, self._seconds = 0, 0, work * plain_seconds(start.hands)

    def _kernel(self, share: float) -> Any:
        """Returns the kernels; compiles them only if plain Python is too slow for this share of all the work."""
        return kernel(share * self._seconds)

    @cached_property
    def letters(self) -> Letters:
        return letters_of(self._hands)

    @cached_property
    def words(self) -> int:
        """The number of interleavings in all layers; raises a TooLargeError if a layer has too many rows."""
        words = [int(self._offsets(cards)[-1]) for cards in range(1, self._rules.cards + 1)]
        # Each pair of mirror images has at least one row, so too many are found before any are counted.
        _require_rows(self._rules.cards, max(words, default=0) // 2)
        return sum(words)

    @cached_property
    def sizes(self) -> list[Size]:
        """The size of each layer, from 1 card left to all."""
        sizes = []
        for cards, (_, (rows, values, games)) in enumerate(self._pieces, start=1):
            sizes.append(self._size(cards, Size(int(self._offsets(cards)[-1]), rows, max(values, 1), games)))
        return sizes

    @cached_property
    def _pieces(self) -> list[tuple[list[list[int]], list[int]]]:
        """The pieces that each layer is laid out in, `[first, last, rows before, values before]`, and its counts."""
        nothing, layers = (np.zeros(0, dtype=np.int32), np.zeros(0, dtype=np.int64)), []
        for cards in range(1, self._rules.cards + 1):
            offsets = self._offsets(cards)
            ends = np.array(pieces_of(offsets, PIECES_PER_THREAD * processors(), LEAST_TO_LAY_OUT))
            counts = self._lay_out(cards, offsets, [[*piece, 0, 0] for piece in ends.tolist()], *nothing)
            _require_rows(self._rules.cards, int(counts[:, 0].sum()))
            before = (counts.cumsum(axis=0) - counts)[:, :2]
            layers.append((np.hstack([ends, before]).tolist(), counts.sum(axis=0).tolist()))
        return layers

    def _lay_out(
        self,
        cards: int,
        offsets: NDArray[np.int64],
        pieces: list[list[int]],
        row_of: NDArray[np.int32],
        base: NDArray[np.int64],
    ) -> NDArray[np.int64]:
        """Lays out pieces of a layer in threads; returns `[pieces, 3]` numbers of rows, values and matrix games."""
        rules, compute = (self.letters, self._rules, cards, offsets, row_of, base), self._kernel(0.01)
        return np.array(list(map_in_threads(lambda piece: compute.lay_out(*piece, *rules), pieces)))

    def solve(self, progress: Progress | None = None) -> None:
        """Solves every layer missing from the store; `progress` receives the number of games done."""
        below = self._layers[0] = read_only(self.empty_layer(0))
        done = 0
        for cards, size in enumerate(self.sizes, start=1):
            layer = self.empty_layer(cards)
            stored = self._store.read(cards, size.values) if self._store else None
            if stored is not None:
                layer, gap = layer._replace(values=stored[0]), stored[1]
            else:
                gap = self._solve_layer(layer, below, progress, done)
                if self._store:
                    self._store.write(cards, layer.values, gap)
            done += size.games
            self._gaps[cards] = self._gaps[cards - 1] + gap
            self._layers[cards] = below = read_only(layer)
            if self._keep is not None and cards - 1 <= self._rules.cards - self._keep:
                del self._layers[cards - 1]
            if progress:
                progress(done)

    def _offsets(self, cards: int) -> NDArray[np.int64]:
        letters = self.letters
        offsets = np.zeros((1 << letters.width * letters.length - letters.cut) + 1, dtype=np.int64)
        interleavings_kernel(self._hands).number_interleavings(letters, cards, offsets)
        return offsets

    def empty_layer(self, cards: int) -> ValueLayer:
        """Returns a layer laid out, with all values 0."""
        size = self.sizes[cards - 1] if cards else Size(0, 0, 1, 0)
        offsets = self._offsets(cards) if cards else np.zeros(1, dtype=np.int64)
        row_of = np.full(size.words, self._kernel(0.0).NO_ROW, dtype=np.int32)
        layer = ValueLayer(cards, offsets, row_of, np.empty(size.rows, dtype=np.int64), np.zeros(size.values))
        if cards:
            self._lay_out(cards, offsets, self._pieces[cards - 1][0], row_of, layer.base)
        return read_only(layer)._replace(values=layer.values)

    def _solve_layer(self, layer: ValueLayer, below: ValueLayer, progress: Progress | None, done: int) -> float:
        """Solves all games of a layer after `done` others; returns the largest gap."""
        games, gap = 0, 0.0
        for counts, piece_gap, failed in self._engine.solve(
            self.letters, self.rules_of(layer.cards), layer, below, self._seconds / self._rules.cards
        ):
            games += int(counts[0])
            self.failures += int(counts[1])
            gap = max(gap, piece_gap)
            for missing in failed.tolist():
                gap = max(gap, self._solve_failed(missing, layer))
            if progress:
                progress(done + games)
        self.solved += games
        return gap

    def _size(self, cards: int, size: Size) -> Size:
        """Returns the size of a layer; `size` is computed from `_rules` alone, and subclasses can correct it."""
        return size

    @abstractmethod
    def rules_of(self, cards: int) -> Rules:
        """Returns the rules of a layer for compiled code."""

    @abstractmethod
    def _solve_failed(self, missing: list[int], layer: ValueLayer) -> float:
        """Solves one entry of `Solved.failed` by the slower methods; returns the gap."""

    def _matrix(self, word: int, first: int, second: int, cards: int) -> NDArray[np.float64]:
        """Returns the matrix game of an interleaving; `first` and `second` are as in `Solved.failed`."""
        rules = self.rules_of(cards)
        compute = kernel_for(rules, 1e-4)
        work = work_for(cards, compute)
        rows, columns = compute.matrix_at(word, first, second, self.letters, rules, self._layers[cards - 1], work)
        return work.matrix[: rows * columns].reshape(rows, columns)

    def layer(self, cards: int) -> ValueLayer:
        """Returns a solved layer, which must be kept."""
        return self._layers[cards]

    def has_games(self, cards: int) -> bool:
        """Returns whether the layers are kept that the matrix games with this many cards left need."""
        return {cards, cards - 1} <= self._layers.keys()

    def games(
        self, cards: int, rows: NDArray[np.int64], first: NDArray[np.int64], second: NDArray[np.int64]
    ) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Returns the matrix games at `[states, 2 * ranks]` cards of each rank, as `strategies.Games` does.

        `first` and `second`, `[states]`, are as in `Solved.failed`.
        """
        rules = self.rules_of(cards)
        matrices, sizes = np.zeros((len(rows), cards, cards)), np.zeros((len(rows), 2), dtype=np.int64)
        compute = kernel_for(rules, 1e-5 * matrices.size)
        compute.fill_games(
            rows, rows.shape[1] // 2, np.ascontiguousarray(first), np.ascontiguousarray(second),
            letter_numbers(self.letters), self.letters, rules, self._layers[cards], self._layers[cards - 1],
            work_for(cards, compute), matrices, sizes,
        )  # fmt: skip
        return matrices, sizes

    @abstractmethod
    def matrix(self, state: S) -> NDArray[np.float64] | None:
        """Returns the matrix game at a state, with one row or column for each run of equal cards.

        None if the state cannot follow from the start, or a layer with its values is not kept.
        """

    def gap(self, cards: int) -> float:
        """Returns a certified bound on the error of values with this many cards left, in payoff points."""
        return float(self._gaps[cards])


def _require_rows(cards: int, rows: int) -> None:
    if rows > MOST_ROWS:
        raise TooLargeError(f"{cards} cards: a layer of at least {rows:,} rows is more than {MOST_ROWS:,}")


class DuelLayers(Layers[DuelState]):
    """The layers of a duel; a state is an interleaving, the carried ties and the score."""

    def __init__(self, start: DuelState, *, win: bool, **more: Any) -> None:
        tolerance = RELATIVE_GAP * (1.0 if win else len(start.hands[0]))
        super().__init__(start, tolerance, win=win, score=start.score, ties=start.ties, **more)

    def rules_of(self, cards: int) -> LayerRules:
        return self._rules

    def _solve_failed(self, missing: list[int], layer: ValueLayer) -> float:
        word, ties, score = missing
        solution = solve_matrix(self._matrix(word, ties, score, layer.cards))
        compute = kernel(1e-5)
        # An interleaving that is its own mirror image has values at both scores; in any other, both places are one.
        mirror = compute.mirrored(word, self.letters), -score, -solution.value
        for image, points, value in ((word, score, solution.value), mirror):
            place, sign = compute.place_of(image, ties, points, self.letters, self._rules, read_only(layer))
            layer.values[place] = sign * value
        return solution.gap

    # -- queries of a solved start ------------------------------------------------------

    def value(self, state: DuelState) -> float | None:
        """Returns the continuation value, in payoff points; None if the state is not in a layer that was kept."""
        located = self._locate(state)
        if located is None:
            return None
        layer, place, sign = located
        return float(sign * layer.values[place])

    def matrix(self, state: DuelState) -> NDArray[np.float64] | None:
        cards = len(state.hands[0])
        if self._locate(state) is None or cards - 1 not in self._layers:
            return None
        score = state.score if self._rules.win else 0
        return self._matrix(packed_interleaving(state.hands, self.letters), state.ties, score, cards)

    def _locate(self, state: DuelState) -> tuple[ValueLayer, int, int] | None:
        layer = self._layers.get(len(state.hands[0]))
        if layer is None:
            return None
        try:
            word = packed_interleaving(state.hands, self.letters)
        except ValueError:
            return None
        score = state.score if self._rules.win else 0
        place, sign = kernel(1e-5).place_of(word, state.ties, score, self.letters, self._rules, layer)
        return None if place < 0 else (layer, place, sign)
