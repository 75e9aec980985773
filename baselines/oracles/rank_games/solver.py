"""Duels with deterministic tricks at full size: 13-card Jujitsu has 705,157 matrix games.

Only the interleaving of two hands matters, so a state is an interleaving (see `interleavings.py`), the carried ties and
the score. `layers.py` says how states are solved; `kernel.py` is the compiled part.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from baselines.matrix_game import solve_matrices
from baselines.matrix_game.optimal_sets import evenly_if_optimal
from baselines.oracles.protocol import PLAIN, CanonicalTable, Request, SolvedState, Starts
from baselines.oracles.rank_games.engine import Engine, Threads
from baselines.oracles.rank_games.layer_files import LayerFolder
from baselines.oracles.rank_games.layers import DuelLayers
from baselines.oracles.rank_games.strategies import strategies_at
from cardwar_envs.games.duel import Duel, DuelState

T = TypeVar("T")

# Where the work may be done: on this machine's processors, or on a Ray cluster.
ENGINES = ("threads", "ray")
# Solved starts other than the game's own that are cached.
MAX_DETOURS = 16
# Memory is the real bound, which the layers check.
MAX_STATES = 3_000_000_000
# Cached strategies.
MAX_KEPT = 100_000
# Up to this many observations are answered faster one by one.
FEW = 16
# Matrix games solved at once; they take some ten megabytes.
BATCH = 1 << 13


def engine_named(name: str) -> Engine:
    """The engine of that name; raises a ValueError if there is none, a ModuleNotFoundError without Ray."""
    if name == "threads":
        return Threads()
    if name == "ray":
        from baselines.oracles.rank_games.cluster import RayCluster

        return RayCluster()
    raise ValueError(f"engine ({name}) must be {' or '.join(ENGINES)}")


class DuelTable(CanonicalTable):
    """Values and strategies at every state of a duel with deterministic tricks; options as for `baselines.solve`.

    Strategies are computed on demand from the values of the states that follow; for the choice among several see
    `baselines.oracles.state_graph.selection`. A state whose layers are not kept, or that is unreachable from the
    start, is solved as a start of its own.

    Attributes:
        layers: Values, counts and gaps of everything that can follow the game's start.

    Raises:
        ValueError: If `keep_layers` is less than 2 (strategies at the start need the values of two layers), there is
            no such engine, or the folder holds layers of another game.
        ModuleNotFoundError: If Ray is requested and not installed.
    """

    def __init__(
        self, game: Duel, *, keep_layers: int | None = None, folder: Path | None = None, engine: str = "threads"
    ) -> None:
        super().__init__(game)
        if keep_layers is not None and keep_layers < 2:
            raise ValueError(f"keep_layers ({keep_layers}) must be at least 2")
        self._carry, self._win = game.ties == "carry", game.payoff == "win"
        solver = engine_named(engine)
        parameters = {"hand_0": list(game.hands[0]), "hand_1": list(game.hands[1]), "ties": game.ties}
        store = None if folder is None else LayerFolder(folder, {**parameters, "payoff": game.payoff})
        start = DuelState(game.hands)
        self.layers = DuelLayers(start, carry=self._carry, win=self._win, keep=keep_layers, store=store, engine=solver)
        self._detours: deque[DuelLayers] = deque(maxlen=MAX_DETOURS)
        self._solved: dict[DuelState, SolvedState] = {}

    @property
    def states(self) -> int:
        """How many matrix games `solve` solves if it finds none on disk."""
        return sum(size.games for size in self.layers.sizes)

    def solve(self, starts: Starts | None = None, request: Request = PLAIN) -> int:
        """Solves everything that can follow the game's start, except layers that the folder has.

        Raises:
            ValueError: If there are too many states, or rationals or another start are requested.
        """
        if request.exact or (starts is not None and list(starts) != list(self.game.initial())):
            raise ValueError(
                f"{self.game.facts.name}: the word solver supports neither exact arithmetic nor a custom start state"
            )
        most = request.max_states or MAX_STATES
        if self.states > most:
            raise ValueError(
                f"{self.game.facts.name} has more than {most} states to decide in ({self.states}); "
                "this oracle takes smaller games only"
            )
        before = self.layers.solved
        self.layers.solve(request.progress)
        return self.layers.solved - before

    def _value(self, state: Any) -> float:
        return self._answer(state, DuelLayers.value)[0]

    def _gap(self, state: Any) -> float:
        return self._answer(state, DuelLayers.value)[1].gap(len(state.hands[0]))

    def all_seen(self, observations: NDArray[np.float32]) -> NDArray[np.float64]:
        """`seen` of many observations, `[batch, num_actions]`, layer by layer."""
        if len(observations) <= FEW:
            return super().all_seen(observations)
        ranks = self.game.facts.num_actions
        own, other = observations[:, :ranks], observations[:, ranks : 2 * ranks]
        numbers = observations[:, 2 * ranks :].astype(np.int64)
        cards = own.sum(axis=1).astype(np.int64)
        decided = (np.abs(numbers[:, 0]) > cards + numbers[:, 1]) if self._win else np.zeros_like(cards, dtype=bool)
        evenly = self.game.uniform_is_optimal()
        answers, known = np.zeros(own.shape), np.zeros(len(own), dtype=np.bool_)
        for count in np.unique(cards):
            solved = self.layers.solved_layer(int(count)) if count else None
            if solved is not None:
                rows = np.flatnonzero((cards == count) & ~decided)
                for some in np.split(rows, range(BATCH, len(rows), BATCH)):
                    answers[some], known[some] = strategies_at(solved, own[some], other[some], numbers[some], evenly)
        answers[~known] = super().all_seen(observations[~known])
        return answers

    def _answer(self, state: DuelState, ask: Callable[[DuelLayers, DuelState], T | None]) -> tuple[T, DuelLayers]:
        """Queries the solved layers; if none has the state, solves the duel from there. Returns also the layers."""
        for layers in (self.layers, *self._detours):
            if (answer := ask(layers, state)) is not None:
                return answer, layers
        layers = DuelLayers(state, carry=self._carry, win=self._win)
        layers.solve()
        self._detours.appendleft(layers)
        answer = ask(layers, state)
        assert answer is not None  # it is the start
        return answer, layers

    def _solve_state(self, representative: Any) -> SolvedState:
        solved = self._solved.get(representative)
        if solved is None:
            solved = self._solve_one(representative)
            if len(self._solved) >= MAX_KEPT:
                self._solved.clear()  # other threads may be reading
            self._solved[representative] = solved
        return solved

    def _solve_one(self, state: DuelState) -> SolvedState:
        matrices = self._answer(state, DuelLayers.matrix)[0][None]
        masks = np.ones(matrices.shape[:2], dtype=np.bool_), np.ones(matrices.shape[::2], dtype=np.bool_)
        solution = solve_matrices(matrices, *masks)
        both = solution.row_strategies, solution.column_strategies
        if self.game.uniform_is_optimal():
            held = [np.array([list(Counter(hand).values())], dtype=np.float64) for hand in state.hands]
            both = evenly_if_optimal(matrices, solution, (held[0], held[1]), masks)
        strategies = np.zeros((2, self.game.facts.num_actions))
        for player, strategy in enumerate(both):
            # A representative holds interchangeable cards as one rank.
            strategies[player, list(self.game.legal_actions(state, player))] = strategy[0]
        return SolvedState(self.value_to_go(state), self.gap_at(state), strategies)
