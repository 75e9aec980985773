"""Hidden information over several moves beside OpenSpiel's C++: seconds and figures, in one run.

python -m lab.benchmarks.hidden_information [--seconds 5] [--largest]

Prints a row per game: exploitability of uniform play (first call with enumeration; further policies; OpenSpiel), an
iteration of CFR+, exploitability after equal CPU seconds of CFR+, and the solution. `--largest` adds 6 cards in
descending order, which takes a minute.
"""

from __future__ import annotations

import argparse
import resource
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import pyspiel

import baselines
from baselines.oracles.tree.histories import sequence_form
from baselines.oracles.tree.regrets import minimise_regrets
from cardwar_envs import Game, make_game

# Our game, OpenSpiel's name of it, and our points for one of OpenSpiel's.
GOOFSPIEL = "goofspiel(imp_info=True,num_cards={},points_order={},returns_type=point_difference)"
CASES = [
    ("openspiel:kuhn_poker", {}, "kuhn_poker", 1),
    ("openspiel:leduc_poker", {}, "leduc_poker", 1),
    *(
        ("goofspiel", {"num_cards": n, "prizes": order, "bids": "hidden"}, GOOFSPIEL.format(n, order), 2)
        for n, order in ((4, "descending"), (5, "descending"), (4, "random"))
    ),
]


def clock(work: Callable[[], Any], times: int = 1) -> tuple[float, Any]:
    begin = time.process_time()
    for _ in range(times):
        result = work()
    return (time.process_time() - begin) / times, result


def theirs(name: str, seconds: float) -> tuple[float, float, float, float]:
    """Seconds of exploitability and of an iteration, exploitability of uniform play and after CFR+."""
    game = pyspiel.load_game(name)
    if game.get_type().dynamics == pyspiel.GameType.Dynamics.SIMULTANEOUS:
        game = pyspiel.convert_to_turn_based(game)
    spent, uniform = clock(lambda: pyspiel.exploitability(game, pyspiel.UniformRandomPolicy(game)))
    solver, until, iterations = pyspiel.CFRPlusSolver(game), time.process_time() + seconds, 0
    while time.process_time() < until:
        solver.evaluate_and_update_policy()
        iterations += 1
    return spent, seconds / iterations, uniform, pyspiel.exploitability(game, solver.average_policy())


def ours(game: Game[Any], seconds: float) -> tuple[float, float, float, float, float]:
    """Seconds of the first and a further call and of an iteration, exploitability of uniform play and after CFR+."""
    first, uniform = clock(lambda: baselines.exploitability(game, "uniform"))
    further, _ = clock(lambda: baselines.exploitability(game, "uniform"), 5)
    form = sequence_form(game)
    step, found = clock(lambda: minimise_regrets(form, None, 20, target=0.0))
    step /= found.iterations
    learned = minimise_regrets(form, None, int(seconds / step), target=0.0)
    return first, further, step, uniform, learned.nash_conv / 2


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--largest", action="store_true")
    arguments = parser.parse_args()
    small = make_game("openspiel:goofspiel(imp_info=true,num_cards=3)")  # imports are not measured
    baselines.exploitability(small, "uniform")
    baselines.solve(small)
    for name, parameters, spiel, points in CASES:
        t_theirs, step_theirs, uniform_theirs, learned_theirs = theirs(spiel, arguments.seconds)
        t_game, game = clock(partial(make_game, name, **parameters))
        first, further, step, uniform, learned = ours(game, arguments.seconds)
        t_solve, solution = clock(partial(baselines.solve, game))
        apart = abs(uniform - points * uniform_theirs)
        print(
            f"{spiel}: exploitability of uniform {uniform:.6f} (difference {apart:.0e}); "
            f"OpenSpiel {t_theirs:.4f} s, ours first {t_game + first:.4f} s, further {further:.5f} s; "
            f"CFR+ iteration {1e3 * step_theirs:.2f} and {1e3 * step:.3f} ms, after {arguments.seconds} s "
            f"{points * learned_theirs:.1e} and {learned:.1e}; {solution.method} {t_solve:.2f} s, value "
            f"{solution.value:.6f}, gap {solution.gap:.0e}",
            flush=True,
        )
    if arguments.largest:
        game = make_game("goofspiel", num_cards=6, prizes="descending", bids="hidden")
        first, uniform = clock(lambda: baselines.exploitability(game, "uniform"))
        further, _ = clock(lambda: baselines.exploitability(game, "uniform"))
        t_solve, solution = clock(lambda: baselines.solve(game))
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"6 descending: first {first:.1f} s, further {further:.3f} s, exploitability of uniform {uniform:.6f}")
        print(f"{solution.method} {t_solve:.1f} s, gap {solution.gap:.1e}; peak memory {peak:.0f} MB")


if __name__ == "__main__":
    main()
