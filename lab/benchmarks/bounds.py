"""Compares lower bounds with exact figures: how often a bound is too high, and what share of the figure it finds.

    python -m lab.benchmarks.bounds --out runs/bounds --jobs 2

Forty policies of games with known exact figures are exploited as by `cardwar exploit --approximate` with its defaults.
The seed of a case is its index in the list. The same command continues a run that was stopped. It writes the table of
the bounds to `bounds.md` in the folder; docs/measurements.md summarises it.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from time import perf_counter
from typing import Any

import baselines
from baselines.system.files import write_atomically
from cardwar_envs import make_game
from train.reports.markdown import table as in_markdown

# A policy of this name is first trained by PPO in self-play for a short time.
LEARNED, LEARNING_STEPS = "learned", 60_000
NAMED = ("uniform", "highest_card", "lowest_card", "second_lowest_card")
LEVELS = ("level:1", "level:2", "level:3", "level:4")
WAR = ("dummie", "min", "max", "simple_minded_1", "simple_minded_2")
UNLIKE = {"hand_0": (2, 3, 6, 7), "hand_1": (1, 3, 5, 8)}
CASES: list[tuple[str, dict[str, Any], str]] = [
    (name, parameters, policy)
    for name, parameters, policies in (
        ("jujitsu", {"num_cards": 4}, (*NAMED, LEARNED)),
        ("jujitsu", {"num_cards": 5}, (*NAMED, *LEVELS, LEARNED)),
        ("jujitsu", {"num_cards": 6}, ("uniform", LEARNED)),
        ("dinosaur_war", UNLIKE, ("highest_card", "lowest_card", LEARNED)),
        ("dinosaur_war", {"num_cards": 5}, ("highest_card", "lowest_card", LEARNED)),
        ("dice_wars", {"num_cards": 4}, ("uniform", "highest_card", "lowest_card", LEARNED)),
        ("dice_poker", {}, ("uniform", "level:1", "level:2", "level:3", LEARNED)),
        ("war", {"ranks": 4, "discards": 1, "max_rounds": 100}, (*WAR, LEARNED)),
        ("war", {"ranks": 5, "discards": 1, "max_rounds": 100}, ("dummie", "simple_minded_2", LEARNED)),
    )
    for policy in policies
]
# A bound counts as good if it is at least `SHARE` of an exact figure that is at least `LEAST`.
SHARE, LEAST = 0.8, 0.05


def case_result(number: int, out: Path) -> dict[str, Any]:
    """The figures of one case, computed or read from its folder."""
    from train.algorithms.registry import ALGORITHMS
    from train.policies.by_word import policy_from
    from train.runs.exploit import exploit
    from train.runs.loop import run
    from train.text.game_names import game_in_words

    name, parameters, policy = CASES[number]
    game, folder = make_game(name, **parameters), out / f"{number:02d}"
    result = folder / "result.json"
    if result.exists():
        return json.loads(result.read_text())
    word = policy
    if policy == LEARNED:
        args = ALGORITHMS["ppo"].args(steps=LEARNING_STEPS, evaluate_every=LEARNING_STEPS)
        word = str(folder / LEARNED)
        run(game, "ppo", args, word, seed=number, resume=(folder / LEARNED / "config.json").exists())
    begin = perf_counter()
    bound = exploit(game, word, folder / "exploit", seed=number, resume=True).bound
    seconds = perf_counter() - begin
    figures = {
        "number": number,
        "game": game_in_words(game),
        "policy": f"PPO, {LEARNING_STEPS:,} steps" if policy == LEARNED else policy,
        "exact": baselines.exploitability(game, policy_from(word, game)),
        "bound": bound.low,
        "responder": bound.responder,
        "games": bound.games,
        "seconds": round(seconds, 1),
    }
    write_atomically(result, json.dumps(figures).encode())
    return figures


def summary(results: Sequence[dict[str, Any]]) -> str:
    """Two sentences about how good the bounds are."""
    too_high = [each for each in results if each["bound"] > each["exact"] + 1e-9]
    large = [each for each in results if each["exact"] >= LEAST]
    near = [each for each in large if each["bound"] >= SHARE * each["exact"]]
    return (
        f"In {len(too_high)} of {len(results)} cases the bound is above the exact figure. "
        f"In {len(near)} of the {len(large)} cases with an exact figure of at least {LEAST}, it is at least "
        f"{SHARE:.0%} of that figure."
    )


def table(results: Sequence[dict[str, Any]]) -> str:
    """All cases as a table in Markdown."""
    headings = ["case and seed", "game", "policy", "exact exploitability", "lower bound", "share", "responder"]
    rows = []
    for each in results:
        share = f"{each['bound'] / each['exact']:.0%}" if each["exact"] > 1e-9 else ""
        cells = [each["number"], each["game"], each["policy"], f"{each['exact']:.4f}", f"{each['bound']:.4f}"]
        cells += [share, each["responder"], f"{each['games']:,}", f"{each['seconds']:.0f}"]
        rows.append(cells)
    return in_markdown([*headings, "games", "seconds"], rows)


def main() -> None:
    """Computes the missing cases and writes the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path("runs/bounds"))
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    with ProcessPoolExecutor(options.jobs, mp_context=get_context("spawn")) as pool:
        results = []
        for each in pool.map(case_result, range(len(CASES)), [options.out] * len(CASES)):
            results.append(each)
            print(f"{each['number']:>3} {each['game']}, {each['policy']}: {each['bound']:.4f} of {each['exact']:.4f}")
    text = f"{summary(results)}\n\n{table(results)}\n"
    write_atomically(options.out / "bounds.md", text.encode())
    print(text)


if __name__ == "__main__":
    main()
