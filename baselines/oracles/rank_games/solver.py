"""Duels with deterministic tricks at full size: 13-card Jujitsu has 705,157 matrix games.

Only the interleaving of two hands matters, so a state is an interleaving (see `interleavings.py`), the carried ties and
the score. `layers.py` describes how states are solved; `kernel.py` is the compiled part.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter, deque
from collections.abc import Callable
from pathlib import Path
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from baselines.matrix_game import solve_matrices
from baselines.matrix_game.optimal_sets import evenly_if_optimal
from baselines.oracles.answers.protocol import PLAIN, CanonicalTable, Request, SolvedState, Starts, solve_table
from baselines.oracles.answers.results import StateSolution
from baselines.oracles.rank_games.engine import Engine, Threads
from baselines.oracles.rank_games.interleavings import fits
from baselines.oracles.rank_games.layers import DuelLayers, Layers
from baselines.oracles.rank_games.prizes import GoofspielLayers
from baselines.oracles.rank_games.sizes import MAX_GAMES, ranks_matter, require_matrix_games
from baselines.oracles.rank_games.strategies import Games, strategies_at
from baselines.system.layer_files import LayerFolder
from cardwar_envs.core.game import Game
from cardwar_envs.core.rules import TooLargeError
from cardwar_envs.games.duel import Duel, DuelState
from cardwar_envs.games.goofspiel import Goofspiel, GoofspielState

T = TypeVar("T")
L = TypeVar("L", bound=Layers[Any])

# Where layers are solved: on this machine's processors, or on a Ray cluster.
ENGINES = ("threads", "ray")
# Number of solved starts to cache besides the game's own.
MAX_DETOURS = 16
# The binding limit is memory, which the layers check.
MAX_STATES = 3_000_000_000
# Enumerating more interleavings than this takes long.
MANY_WORDS = 50_000_000
# Number of cached strategies.
MAX_KEPT = 100_000
# Up to this many observations are answered faster one by one.
FEW = 16
# Number of matrix games solved at once; they take some ten megabytes.
BATCH = 1 << 13


def engine_named(name: str) -> Engine:
    """Returns the engine of that name; raises a ValueError if there is none, a ModuleNotFoundError without Ray."""
    if name == "threads":
        return Threads()
    if name == "ray":
        from baselines.oracles.rank_games.cluster import RayCluster

        return RayCluster()
    raise ValueError(f"engine ({name}) must be {' or '.join(ENGINES)}")


class WordTable(CanonicalTable, Generic[L]):
    """Values and strategies at every state of a game that `Layers` solve; options as for `baselines.solve`.

    Strategies are computed on demand from the values of successor states; for the choice among several see
    `baselines.oracles.state_graph.selection`. A state that is unreachable from the start, or whose layers are not kept,
    is solved as a start of its own.

    Attributes:
        layers: Values, counts and gaps of everything that can follow the game's start.

    Raises:
        ValueError: If `keep_layers` is less than `least_layers`, there is no such engine, or the folder holds layers of
            another game.
        ModuleNotFoundError: If Ray is requested and not installed.
    """

    most_states = MAX_STATES
    least_layers = 2  # for play at the start

    def __init__(
        self, game: Game[Any], *, keep_layers: int | None = None, folder: Path | None = None, engine: str = "threads"
    ) -> None:
        super().__init__(game)
        if keep_layers is not None and keep_layers < self.least_layers:
            raise ValueError(f"keep_layers ({keep_layers}) must be at least {self.least_layers}")
        solver = engine_named(engine)
        store = None if folder is None else LayerFolder(folder, self._identity())
        self.layers = self._layers_from(game.initial()[0].state, keep=keep_layers, store=store, engine=solver)
        self._detours: deque[L] = deque(maxlen=MAX_DETOURS)
        self._solved: dict[Any, SolvedState] = {}

    @abstractmethod
    def _identity(self) -> dict[str, Any]:
        """Returns the parameters of the game that values depend on."""

    @abstractmethod
    def _layers_from(self, state: Any, **options: Any) -> L:
        """Returns the layers from a start; options as in `Layers`."""

    @property
    def states(self) -> int:
        """The number of matrix games that `solve` solves if it finds none on disk."""
        return sum(size.games for size in self.layers.sizes)

    @property
    def states_at_least(self) -> int:
        """A lower bound on `states`, known before they are enumerated: one of each pair of mirror images is solved."""
        words = self.layers.words
        return words // 2 if words > MANY_WORDS else 0

    def solve(self, starts: Starts | None = None, request: Request = PLAIN) -> int:
        """Solves everything that can follow the game's start, except layers already in the folder.

        Raises:
            ValueError: If there are too many states, or exact results or another start are requested.
        """
        if request.exact or (starts is not None and list(starts) != list(self.game.initial())):
            raise ValueError(
                f"{self.game.facts.name}: the solver over interleavings supports neither exact arithmetic "
                "nor a custom start state"
            )
        most = request.max_states or self.most_states
        if self.states > most:
            raise TooLargeError(
                f"{self.game.facts.name} has {self.states:,} matrix games to solve, more than max_states ({most:,})"
            )
        before = self.layers.solved
        self.layers.solve(request.progress)
        return self.layers.solved - before

    def _answer(self, state: Any, ask: Callable[[L, Any], T | None]) -> tuple[T, L]:
        """Queries the solved layers, and solves the game from the state if they lack it; also returns the layers."""
        for layers in (self.layers, *self._detours):
            if (answer := ask(layers, state)) is not None:
                return answer, layers
        layers = self._layers_from(state)
        layers.solve()
        self._detours.appendleft(layers)
        answer = ask(layers, state)
        assert answer is not None  # `state` is the start of these layers
        return answer, layers

    def _solve_state(self, representative: Any) -> SolvedState:
        solved = self._solved.get(representative)
        if solved is None:
            solved = self._solve_one(representative)
            if len(self._solved) >= MAX_KEPT:
                self._solved.clear()  # other threads may be reading
            self._solved[representative] = solved
        return solved

    def _solve_one(self, state: Any) -> SolvedState:
        matrix, layers = self._answer(state, type(self.layers).matrix)
        matrices = matrix[None]
        masks = np.ones(matrices.shape[:2], dtype=np.bool_), np.ones(matrices.shape[::2], dtype=np.bool_)
        solution = solve_matrices(matrices, *masks)
        both = solution.row_strategies, solution.column_strategies
        if self.game.uniform_is_optimal():
            held = [np.array([list(Counter(hand).values())], dtype=np.float64) for hand in state.hands]
            both = evenly_if_optimal(matrices, solution, (held[0], held[1]), masks)
        strategies = np.zeros((2, self.game.facts.num_actions))
        for player, strategy in enumerate(both):
            # A representative treats interchangeable cards as one rank.
            strategies[player, list(self.game.legal_actions(state, player))] = strategy[0]
        gap = layers.gap(len(state.hands[0]) - 1) + float(solution.gaps[0])
        return SolvedState(float(solution.values[0]), gap, strategies)

    def all_seen(self, observations: NDArray[np.float32]) -> NDArray[np.float64]:
        """Returns `seen` of many observations, `[batch, num_actions]`, layer by layer."""
        if len(observations) <= FEW:
            return super().all_seen(observations)
        ranks = self.game.facts.num_actions
        own, other = observations[:, :ranks], observations[:, ranks : 2 * ranks]
        cards, undecided = own.sum(axis=1).astype(np.int64), ~self._decided_seen(observations)
        evenly = self.game.uniform_is_optimal()
        answers, known = np.zeros(own.shape), np.zeros(len(own), dtype=np.bool_)
        for count in np.unique(cards[cards > 0]):
            rows = np.flatnonzero((cards == count) & undecided)
            for some in np.split(rows, range(BATCH, len(rows), BATCH)):
                games = self._games(int(count), observations[some]) if len(some) else None
                if games is not None:
                    scores = self._scores(observations[some])
                    answers[some], known[some] = strategies_at(games, own[some], other[some], scores, evenly)
        answers[~known] = super().all_seen(observations[~known])
        return answers

    @abstractmethod
    def _games(self, cards: int, observations: NDArray[np.float32]) -> Games | None:
        """Returns the matrix games at states with this many cards left; None if a required layer is not kept."""

    @abstractmethod
    def _scores(self, observations: NDArray[np.float32]) -> NDArray[np.int64]:
        """Returns `[batch]`: the observer's lead, 0 where it does not matter."""

    @abstractmethod
    def _decided_seen(self, observations: NDArray[np.float32]) -> NDArray[np.bool_]:
        """Returns `[batch]`: whether the game is decided although cards are left."""


class DuelTable(WordTable[DuelLayers]):
    """The table of a duel with deterministic tricks."""

    game: Duel

    def __init__(self, game: Duel, **options: Any) -> None:
        self._carry, self._win = game.ties == "carry", game.payoff == "win"
        super().__init__(game, **options)

    @property
    def states_at_least(self) -> int:
        """With scores and ties, an interleaving has on average 2.6 matrix games at 16 cards, and more at more cards."""
        return super().states_at_least * (5 if self._carry and self._win else 1)

    def _identity(self) -> dict[str, Any]:
        hands = {f"hand_{player}": list(hand) for player, hand in enumerate(self.game.hands)}
        return {**hands, "ties": self.game.ties, "payoff": self.game.payoff}

    def _layers_from(self, state: DuelState, **options: Any) -> DuelLayers:
        return DuelLayers(state, carry=self._carry, win=self._win, **options)

    def _value(self, state: Any) -> float:
        return self._answer(state, DuelLayers.value)[0]

    def _gap(self, state: Any) -> float:
        return self._answer(state, DuelLayers.value)[1].gap(len(state.hands[0]))

    def _games(self, cards: int, observations: NDArray[np.float32]) -> Games | None:
        ties = self._numbers(observations)[:, 1]
        if not self.layers.has_games(cards):
            return None
        return lambda rows, scores: self.layers.games(cards, rows, ties, scores)

    def _scores(self, observations: NDArray[np.float32]) -> NDArray[np.int64]:
        return self._numbers(observations)[:, 0] * self._win

    def _decided_seen(self, observations: NDArray[np.float32]) -> NDArray[np.bool_]:
        ranks, seen = self.game.facts.num_actions, self._numbers(observations)
        return np.asarray(self._win & (np.abs(seen[:, 0]) > observations[:, :ranks].sum(axis=1) + seen[:, 1]))

    def _numbers(self, observations: NDArray[np.float32]) -> NDArray[np.int64]:
        """Returns `[batch, 2]`: the observer's lead and the carried ties."""
        return observations[:, 2 * self.game.facts.num_actions :].astype(np.int64)


class GoofspielTable(WordTable[GoofspielLayers]):
    """The table of Goofspiel; layers hold values before a prize is turned up, so a state's own value is recomputed."""

    game: Goofspiel
    work = 1 / 3  # docs/measurements.md, 13 cards
    least_layers = 3  # the start's successors have a prize turned up, so their values need one layer more
    most_states = 4 * MAX_STATES  # its matrices are smaller, and there is less to store

    def _identity(self) -> dict[str, Any]:
        names = ("num_cards", "prizes", "ties", "payoff")
        return {"game": self.game.facts.name, **{name: getattr(self.game, name) for name in names}}

    def _layers_from(self, state: GoofspielState, **options: Any) -> GoofspielLayers:
        return GoofspielLayers(self.game, state, **options)

    def _value(self, state: Any) -> float:
        representative, seats = self.game.canonical(state)
        value = self._solve_state(representative).value
        return value if seats == (0, 1) else 0.0 - value

    def _gap(self, state: Any) -> float:
        return self._solve_state(self.game.canonical(state)[0]).gap

    def _games(self, cards: int, observations: NDArray[np.float32]) -> Games | None:
        return self.layers.games_of([self.game.state_of(observation)[0] for observation in observations])

    def _scores(self, observations: NDArray[np.float32]) -> NDArray[np.int64]:
        place = 3 * self.game.num_cards + 1
        return observations[:, place].astype(np.int64) if self.game.keeps_score else np.zeros(len(observations), int)

    def _decided_seen(self, observations: NDArray[np.float32]) -> NDArray[np.bool_]:
        if not self.game.keeps_score:
            return np.zeros(len(observations), dtype=np.bool_)
        return np.array([self.game.settled(self.game.state_of(each)[0]) is not None for each in observations])


def solves_ranks(game: Game[Any], request: Request) -> bool:
    """Supports duels and Goofspiel, in floats, for any equilibrium, if a duel's interleavings fit into tables."""
    return request.plain and ranks_matter(game) and (not isinstance(game, Duel) or fits(game.hands))


def solve_ranks(game: Game[Any], request: Request) -> StateSolution:
    """Returns the equilibrium of a game that `solves_ranks` supports."""
    options: dict[str, Any] = {"keep_layers": request.keep_layers, "folder": request.cache}
    options["engine"] = request.engine or ENGINES[0]
    if isinstance(game, Goofspiel):
        require_matrix_games(game, request.max_states or MAX_GAMES, "can be solved")
    table: WordTable[Any] = DuelTable(game, **options) if isinstance(game, Duel) else GoofspielTable(game, **options)
    return solve_table(table, "backward induction over words", request)
