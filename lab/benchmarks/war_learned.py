"""Measures learners on the full deck of WAR: the estimates and bounds in docs/measurements.md.

    python -m lab.benchmarks.war_learned --out runs/war_learned

Trains the policies, plays them against the paper's strategies, and trains exploiters of the strategies and of the
league's policy, in about three hours on one core. The same command continues a run that was stopped. The tables of
the page are written to `war_learned.md` in the folder.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

from baselines import cross_play, match, play_games, share_interval
from baselines.system.files import write_atomically
from cardwar_envs import Game, Policy, make_game
from train.algorithms.registry import ALGORITHMS
from train.policies.files import load_policy, save_policy
from train.policies.networks import GreedyPolicy, SoftmaxPolicy
from train.reports.markdown import table as in_markdown
from train.runs.exploit import exploit
from train.runs.loop import run

# Games of a match for two, and against random play in all other seats.
GAMES, MANY_GAMES = 2_000, 10_000
TABLE_STRATEGIES = ("simple_minded_1", "simple_minded_2")
STRATEGIES = ("dummie", "min", "max", *TABLE_STRATEGIES)
ADVERSARIES = ("general_purpose_adversary", "general_purpose_adversary_as_written")
LEAGUE = "simple_minded_1,simple_minded_2,max,min,uniform,past"
# Random play in all other seats of every game.
AGAINST_RANDOM = {
    "entropy": 0.02, "final_entropy": 1.0, "opponents": "uniform", "opponent_share": 1.0, "steps": 600_000,
    "evaluate_every": 100_000,
}  # fmt: skip


class Learned(NamedTuple):
    """A policy to train by PPO with seed 0.

    Attributes:
        name: The name of its folder.
        players: The number of players.
        args: The arguments that differ from the defaults.
    """

    name: str
    players: int
    args: dict[str, Any]

    @property
    def game(self) -> Game[Any]:
        """The full deck."""
        return make_game("war", num_players=self.players)


LEARNED = (
    Learned("two-default", 2, {}),
    Learned(
        "two-league",
        2,
        {"entropy": 0.02, "final_entropy": 1.0, "opponents": LEAGUE, "steps": 1_500_000, "evaluate_every": 250_000,
         "matches": 200, "against": "uniform,max,min,simple_minded_1,simple_minded_2"},
    ),
    Learned("four-default", 4, {}),
    Learned("four-against-random", 4, AGAINST_RANDOM),
    Learned("eleven-against-random", 11, AGAINST_RANDOM | {"matches": 100}),
)  # fmt: skip
EXPLOITED = "two-league"
MANY = (4, 11)


def learn(learned: Learned, out: Path) -> Path:
    """Trains the policy and returns the folder of its run."""
    folder = out / learned.name
    args = ALGORITHMS["ppo"].args(learned.game, **learned.args)
    run(learned.game, "ppo", args, folder, seed=0, resume=(folder / "config.json").exists(), echo=sys.stderr)
    greedy = folder.with_name(f"{learned.name}-greedy.safetensors")
    policy = load_policy(folder, learned.game)
    assert isinstance(policy, SoftmaxPolicy)
    save_policy(greedy, GreedyPolicy(learned.game, policy.network))
    return folder


def kept(path: Path, work: Callable[[], Any]) -> Any:
    """Caches the result of `work` in a file."""
    if not path.exists():
        begin = perf_counter()
        result = work()
        write_atomically(path, json.dumps({"result": result, "seconds": perf_counter() - begin}).encode())
    return json.loads(path.read_text())


def match_row(game: Game[Any], policy: Policy, others: str, games: int = GAMES) -> list[float]:
    """Cells for the number of games, the mean payoff and the share won, both with intervals."""
    played = match(game, policy, others, games=games, seed=2017)
    return [played.games, *played.payoff, *played.wins]


def two_players(out: Path) -> str:
    """Each learned policy against each strategy."""
    rows = []
    for learned in (each for each in LEARNED if each.players == 2):
        game = learned.game
        sampled = load_policy(out / learned.name, game)
        greedy = load_policy(out / f"{learned.name}-greedy.safetensors", game)
        for label, policy, others in (
            (learned.name, sampled, STRATEGIES),
            (f"{learned.name}, greedy", greedy, (*STRATEGIES, *ADVERSARIES)),
        ):
            for other in others:
                path = out / f"match-{label.replace(', ', '-')}-{other}.json"
                result = kept(path, partial(_against, game, policy, other))
                rows.append([label, other, *_match_cells(result["result"])])
    return in_markdown(["policy", "against", "games", "mean payoff (99 %)", "share won (99 %)"], rows)


def _against(game: Game[Any], policy: Policy, other: str) -> list[float]:
    if other not in ADVERSARIES:
        return match_row(game, policy, other)
    payoffs = play_games(game, [policy, other], 1)[0].tolist()  # both play with certainty
    won = float(payoffs[0] > payoffs[1])
    return [1, *[payoffs[0]] * 3, *[won] * 3]


def many_players(out: Path) -> str:
    """Learned policies and the paper's strategies against random play in all other seats."""
    rows = []
    for players in MANY:
        game = make_game("war", num_players=players)
        names = [learned.name for learned in LEARNED if learned.players == players]
        played = {name: partial(_wins, game, out / name) for name in names}
        played |= {name: partial(_simulated, game, name) for name in TABLE_STRATEGIES}
        for label, work in played.items():
            result = kept(out / f"share-{players}-{label}.json", work)
            share, low, high = result["result"]
            cells = [f"{MANY_GAMES:,}", f"{share:.4f} ({low:.4f} to {high:.4f})", f"{result['seconds']:.0f}"]
            rows.append([str(players), label, *cells])
    return in_markdown(["players", "policy", "games", "share won (99 %)", "seconds"], rows)


def _wins(game: Game[Any], folder: Path) -> list[float]:
    """The share that a learned policy wins against random play."""
    return match_row(game, load_policy(folder, game), "dummie", MANY_GAMES)[4:]


def _simulated(game: Game[Any], strategy: str) -> list[float]:
    """The share that a strategy wins against random play, from the compiled simulator, which has both players."""
    others = ["dummie"] * (game.facts.num_players - 1)
    return list(share_interval(cross_play(game, [strategy, *others], games=MANY_GAMES, seed=2017).wins[0], MANY_GAMES))


def bounds(out: Path) -> str:
    """Lower bounds on the exploitability of each strategy, and of a learned policy."""
    rows, game = [], make_game("war")
    for name in (*STRATEGIES, EXPLOITED):
        word = str(out / name) if name == EXPLOITED else name
        folder = out / f"exploit-{name}"

        def find(word: str = word, folder: Path = folder) -> dict[str, Any]:
            return asdict(exploit(game, word, folder, resume=True, echo=sys.stderr).bound)

        result = kept(out / f"bound-{name}.json", find)
        bound = result["result"]
        how = "certain, one game" if bound["certain"] else f"{bound['games']:,} games, 99 %"
        cells = [f"{bound['low']:.4f}", how, f"{bound['mean']:.4f}", bound["responder"], f"{result['seconds']:.0f}"]
        rows.append([name, *cells])
    return in_markdown(["policy", "lower bound", "from", "responder's mean payoff", "responder", "seconds"], rows)


def _match_cells(row: Sequence[float]) -> list[str]:
    games, mean, low, high, won, won_low, won_high = row
    certain = low == high
    payoff = f"{mean:.4f}" if certain else f"{mean:.4f} ({low:.4f} to {high:.4f})"
    share = f"{won:.4f}" if certain else f"{won:.4f} ({won_low:.4f} to {won_high:.4f})"
    return [f"{games:,.0f}", payoff, share]


def main() -> None:
    """Computes the missing results, and writes the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path("runs/war_learned"))
    out = parser.parse_args().out
    for learned in LEARNED:
        learn(learned, out)
    parts = {"Two players": two_players(out), "Against random play": many_players(out), "Bounds": bounds(out)}
    text = "\n\n".join(f"## {heading}\n\n{table}" for heading, table in parts.items())
    write_atomically(out / "war_learned.md", f"{text}\n".encode())
    print(text)


if __name__ == "__main__":
    main()
