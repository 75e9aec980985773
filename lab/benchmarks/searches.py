"""Measures policies that search, for `docs/tree_search.md`: exactly, except speeds.

    python -m lab.benchmarks.searches [PART ...]
    python -m lab.pages

The first command measures what `docs/search.csv` lacks, and adds each figure when it has it; the second one writes the
tables and the picture. The parts are "curves" (exploitability against simulations), "matches" (payoffs between searches
with equal simulations), "leaf" (exploitability with the values of a trained network) and "speed" (beside OpenSpiel's
MCTS, with the extra `openspiel`); the default is all of them.
"""

from __future__ import annotations

import argparse
import csv
import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from baselines import exploitability, head_to_head, make_policy
from baselines.search.policy import SELECTIONS, SearchPolicy
from baselines.system.files import csv_bytes
from cardwar_envs import Game
from train.algorithms.registry import ALGORITHMS
from train.policies.by_word import policy_from
from train.runs.loop import run
from train.text.game_names import game_from_words

FILE = Path("docs/search.csv")
RUNS = Path("runs/searches")
SEEDS = 3
JUJITSU, GOOFSPIEL = "jujitsu num_cards=5", "goofspiel num_cards=4"
COUNTS = (10, 100, 1_000, 10_000, 100_000)
# Games, and the most simulations: all states are searched, so large games allow fewer.
GAMES = {
    JUJITSU: 100_000,
    GOOFSPIEL: 10_000,
    "goofspiel num_cards=4 prizes=descending": 10_000,
    "goofspiel num_cards=5 prizes=descending": 10_000,
    "oshi_zumo coins=10 size=2": 10_000,
    "dice_wars num_cards=5 payoff=win ties=carry": 1_000,
    "war ranks=3 discards=1 max_rounds=8": 10_000,
    "goofspiel num_cards=5": 10_000,
    "jujitsu num_cards=8 view=word": 10_000,
}
MATCHES = {JUJITSU: (100, 1_000, 10_000), GOOFSPIEL: (100, 1_000)}
LEARNER, TRAINING = "minimax_q", 60.0  # CPU seconds
LEARNED = (10, 100)
# The games whose roots are searched for speed, and OpenSpiel's name of the same game.
TURNS = "turn_based_simultaneous_game(game=goofspiel(imp_info=False,num_cards={},points_order=descending))"
SPEED = {
    JUJITSU: None,
    "goofspiel num_cards=5 prizes=descending": TURNS.format(5),
    "jujitsu num_cards=13": None,
    "goofspiel num_cards=13 prizes=descending": TURNS.format(13),
}
SPEED_SIMULATIONS = 100_000
OPENSPIEL = "OpenSpiel MCTSBot"


class Row(NamedTuple):
    """A figure.

    Attributes:
        kind: What was measured: "curves", "matches", "leaf" or "speed".
        game: The game in words.
        policy: A selection, two of them (the first against the second), or another policy.
        simulations: Those of each search; 0 for a policy that does not search.
        seed: The policy's seed.
        figure: Exploitability or the first policy's mean payoff, in payoff points, or simulations per CPU second.
        micros: CPU microseconds per simulation; 0 if they are not measured.
    """

    kind: str
    game: str
    policy: str
    simulations: int
    seed: int
    figure: float
    micros: float = 0.0


class Task(NamedTuple):
    """Measures the figure, and the microseconds, of a row that begins with `key`."""

    key: tuple[str, str, str, int, int]
    measure: Callable[[], tuple[float, float]]


def read_rows(path: Path = FILE) -> list[Row]:
    """Returns the stored rows, sorted; there are none before anything is measured."""
    if not path.exists():
        return []
    with path.open(newline="", encoding="utf-8") as file:
        return sorted(
            Row(kind, game, policy, int(simulations), int(seed), float(figure), float(micros))
            for kind, game, policy, simulations, seed, figure, micros in list(csv.reader(file))[1:]
        )


class Timed:
    """A policy whose queries are counted and timed, in CPU seconds."""

    def __init__(self, policy: Any) -> None:
        self.stands_for, self.seconds, self.queries = policy, 0.0, 0

    def action_probabilities(self, observations: Any, action_masks: Any) -> Any:
        """Queries the policy."""
        begin = time.process_time()
        answer = self.stands_for.action_probabilities(observations, action_masks)
        self.seconds += time.process_time() - begin
        self.queries += len(np.unique(observations, axis=0))
        return answer


def measured(game: Game[Any], policy: Any, simulations: int) -> tuple[float, float]:
    """Returns a policy's exploitability, and CPU microseconds per simulation."""
    timed = Timed(policy)
    figure = float(exploitability(game, timed))
    return figure, 1e6 * timed.seconds / (timed.queries * simulations) if simulations else 0.0


def curves() -> Iterator[Task]:
    """All selections on all games, small numbers of simulations first."""
    for words in GAMES:
        yield Task(("curves", words, "uniform", 0, 0), partial(_uniform, words))
    for count in COUNTS:
        for words in (words for words, most in GAMES.items() if count <= most):
            for seed in range(SEEDS):
                for selection in SELECTIONS:
                    key = "curves", words, selection, count, seed
                    yield Task(key, partial(_searched, *key[1:]))


def _uniform(words: str) -> tuple[float, float]:
    game = _game(words)
    return measured(game, make_policy("uniform", game), 0)


def _searched(words: str, selection: str, count: int, seed: int) -> tuple[float, float]:
    game = _game(words)
    exploitability(game, SearchPolicy(game, selection, 2))  # loads what is compiled
    return measured(game, SearchPolicy(game, selection, count, seed=seed), count)


def matches() -> Iterator[Task]:
    """Each selection against each other one, with equal simulations."""
    for words, counts in MATCHES.items():
        for count in counts:
            for seed in range(SEEDS):
                for pair in combinations(SELECTIONS, 2):
                    key = "matches", words, " ".join(pair), count, seed
                    yield Task(key, partial(_payoff, *key[1:]))


def _payoff(words: str, pair: str, count: int, seed: int) -> tuple[float, float]:
    game = _game(words)
    first, second = (SearchPolicy(game, selection, count, seed=seed) for selection in pair.split())
    return 0.5 * (head_to_head(game, first, second).mean - head_to_head(game, second, first).mean), 0.0


def leaf() -> Iterator[Task]:
    """Exact matrix games at the nodes, with the values of a trained network, and the network's own policy."""
    for seed in range(SEEDS):
        for count in (0, *LEARNED):
            key = "leaf", JUJITSU, "matrix" if count else LEARNER, count, seed
            yield Task(key, partial(_with_learned_values, count, seed))


def _with_learned_values(count: int, seed: int) -> tuple[float, float]:
    game, folder = _game(JUJITSU), RUNS / f"{LEARNER}-{seed}"
    args = ALGORITHMS[LEARNER].args_type()(cpu_seconds=TRAINING, steps=10**9, evaluations=1)
    run(game, LEARNER, args, folder, seed, resume=folder.exists())
    name = f"search:matrix,simulations={count},seed={seed},leaf={folder}" if count else str(folder)
    return measured(game, policy_from(name, game), count)


def speed() -> Iterator[Task]:
    """Simulations at the root; the candidates take turns, so that other load disturbs all of them."""
    for words, theirs in SPEED.items():
        for seed in range(SEEDS):
            for selection in SELECTIONS:
                key = "speed", words, selection, SPEED_SIMULATIONS, seed
                yield Task(key, partial(_ours, words, selection, seed))
            if theirs:
                yield Task(("speed", words, OPENSPIEL, SPEED_SIMULATIONS, seed), partial(_theirs, theirs, seed))


def _ours(words: str, selection: str, seed: int) -> tuple[float, float]:
    game = _game(words)
    state = game.initial()[0].state
    seen = game.observation(state, 0)[None], game.action_mask(state, 0)[None]
    SearchPolicy(game, selection, 2).action_probabilities(*seen)  # loads what is compiled
    policy = SearchPolicy(game, selection, SPEED_SIMULATIONS, seed=seed)
    return _per_second(lambda: policy.action_probabilities(*seen))


def _theirs(name: str, seed: int) -> tuple[float, float]:
    """OpenSpiel's compiled MCTS with one random game per new node, as here, and memory for all nodes."""
    import pyspiel

    game = pyspiel.load_game(name)
    evaluator = pyspiel.RandomRolloutEvaluator(1, seed)
    bot = pyspiel.MCTSBot(game, evaluator, 2.0, SPEED_SIMULATIONS, 4_000, False, seed, False)
    state = game.new_initial_state()
    while state.is_chance_node():
        state.apply_action(state.legal_actions()[0])
    return _per_second(lambda: bot.step(state))


def _per_second(search: Callable[[], Any]) -> tuple[float, float]:
    begin = time.process_time()
    search()
    seconds = time.process_time() - begin
    return SPEED_SIMULATIONS / seconds, 1e6 * seconds / SPEED_SIMULATIONS


PARTS = {"curves": curves, "matches": matches, "leaf": leaf, "speed": speed}


def _game(words: str) -> Game[Any]:
    name, *parameters = words.split()
    return game_from_words(name, parameters)


def add(tasks: Iterable[Task], path: Path = FILE) -> None:
    """Measures the rows that a file lacks, and appends each; other processes may append rows too."""
    for task in tasks:
        if task.key not in {row[:5] for row in read_rows(path)}:
            figure, micros = task.measure()
            new = Row(*task.key, float(f"{figure:.9g}"), float(f"{micros:.4g}"))
            print(*new, flush=True)
            header = [] if path.exists() else [Row._fields]
            with path.open("ab") as file:
                file.write(csv_bytes([*header, new]))


def main() -> None:
    """Measures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--game", help="only this game, as in the file")
    asked = parser.parse_args()
    if unknown := set(asked.parts) - set(PARTS):
        parser.error(f"{', '.join(sorted(unknown))}: a part must be one of {', '.join(PARTS)}")
    for part in asked.parts or PARTS:
        add(task for task in PARTS[part]() if asked.game in (None, task.key[1]))


if __name__ == "__main__":
    main()
