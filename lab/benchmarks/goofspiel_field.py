"""Writes the table of docs/games/goofspiel.md: the same figures of Goofspiel, computed here and by OpenSpiel.

python -m lab.benchmarks.goofspiel_field

Each figure is computed in a process of its own, after a warm-up (for OpenSpiel in a smaller game), so everything is
compiled and imported when the clock starts. OpenSpiel is stopped after `LIMIT` seconds, or at `MEMORY` bytes.
"""

import json
import random
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from train.reports.markdown import rewrite, table

COMMAND = "python -m lab.benchmarks.goofspiel_field"
PAGE = Path(__file__).parents[2] / "docs" / "games" / "goofspiel.md"
HEADINGS = ("prizes", "cards", "question", "here, seconds", "OpenSpiel, seconds", "times as fast")
LIMIT, MEMORY = 300, 12 << 30
SIZES = {"random": (3, 4, 5), "descending": (4, 5, 6)}
QUESTIONS = ("NashConv of uniform play", "value")
STEPS = "joint steps per second"
SECONDS = 2.0


def ours(question: str, prizes: str, cards: int) -> tuple[float, float]:
    """Our figure, and its time in seconds."""
    import baselines
    from cardwar_envs import GameBatch, make_game

    game = make_game("goofspiel", num_cards=cards, prizes=prizes)
    if question == STEPS:
        batch = GameBatch(game, 4096, seed=0)
        batch.reset()
        return stepping(lambda: batch.step(batch.uniform_actions()) and 4096)
    begin = time.perf_counter()
    found = baselines.solve(game).value if question == "value" else baselines.nash_conv(game, "uniform_actions").total
    return found, time.perf_counter() - begin


def theirs(question: str, prizes: str, cards: int) -> tuple[float, float]:
    """OpenSpiel's figure in our points, which are twice OpenSpiel's, and its time in seconds."""
    import pyspiel

    game = pyspiel.load_game(f"goofspiel(num_cards={cards},points_order={prizes},returns_type=point_difference)")
    if question == STEPS:
        state, chosen = game.new_initial_state(), random.Random(0)

        def step() -> int:
            nonlocal state
            while state.is_chance_node():
                state.apply_action(chosen.choice(state.legal_actions()))
            if state.is_terminal():
                state = game.new_initial_state()
                return 0
            state.apply_actions([chosen.choice(state.legal_actions(player)) for player in (0, 1)])
            return 1

        return stepping(step)
    if question == "value":
        from open_spiel.python.algorithms import value_iteration  # needs cvxpy and ecos

        begin = time.perf_counter()
        values = value_iteration.value_iteration(game, depth_limit=-1, threshold=1e-9)
        start = game.new_initial_state()
        if start.is_chance_node():
            found = sum(share * values[str(start.child(prize))] for prize, share in start.chance_outcomes())
        else:
            found = values[str(start)]
    else:
        begin = time.perf_counter()
        turns = pyspiel.convert_to_turn_based(game)
        found = 2 * pyspiel.nash_conv(turns, pyspiel.UniformRandomPolicy(turns), True)
    return found, time.perf_counter() - begin


def stepping(step: Callable[[], int]) -> tuple[float, float]:
    """Steps per second, and the time in seconds."""
    begin, steps = time.perf_counter(), 0
    while (passed := time.perf_counter() - begin) < SECONDS:
        steps += step()
    return steps / passed, passed


def measured(who: str, question: str, prizes: str, cards: int) -> tuple[float, float] | str:
    """The figure and its seconds from a new process, or why there is no figure."""
    call = [sys.executable, "-m", "lab.benchmarks.goofspiel_field", who, question, prizes, str(cards)]
    done = subprocess.run(call, capture_output=True, text=True, check=False)
    if done.returncode == -signal.SIGALRM:
        return f"stopped after {LIMIT}"
    if done.returncode:
        return "out of memory (12 GB)" if "bad_alloc" in done.stderr + done.stdout or done.returncode < 0 else "failed"
    found, seconds = json.loads(done.stdout.splitlines()[-1])
    return found, seconds


def rows() -> Iterator[tuple[object, ...]]:
    """Yields a row for each question, order of prizes and size."""
    for prizes, sizes in SIZES.items():
        for cards in sizes:
            for question in (*QUESTIONS, *([STEPS] if cards == sizes[-1] else [])):
                print(prizes, cards, question, file=sys.stderr, flush=True)
                own, other = (measured(who, question, prizes, cards) for who in ("ours", "theirs"))
                assert not isinstance(own, str), own
                if isinstance(other, str):
                    share = f"more than {LIMIT / own[1]:,.0f}" if other.startswith("stopped") else ""
                    yield prizes, cards, question, f"{own[1]:.3f}", other, share
                elif question == STEPS:
                    speeds = (f"{speed:,.0f} a second" for speed in (own[0], other[0]))
                    yield prizes, cards, question, *speeds, f"{own[0] / other[0]:,.0f}"
                else:
                    assert abs(own[0] - other[0]) < 1e-6, (own, other)
                    yield prizes, cards, question, f"{own[1]:.3f}", f"{other[1]:.3f}", f"{other[1] / own[1]:,.0f}"


def main(words: list[str]) -> None:
    """Writes the table, or computes one figure for it."""
    if not words:
        made = table(HEADINGS, list(rows()))
        PAGE.write_text(rewrite(PAGE.read_text(), COMMAND, lambda part: made))
        return
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    work, (_, question, prizes, cards) = {"ours": ours, "theirs": theirs}[words[0]], words
    work(question, prizes, int(cards) if words[0] == "ours" else min(int(cards) - 1, 3))  # compiles or imports
    signal.alarm(LIMIT)  # ends the process
    print(json.dumps(work(question, prizes, int(cards))))


if __name__ == "__main__":
    main(sys.argv[1:])
