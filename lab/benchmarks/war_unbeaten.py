"""Measures that no strategy of "WAR with Auction Rounds" (2017) beats `weighted_cards` on the full deck.

    python -m lab.benchmarks.war_unbeaten --out runs/war_unbeaten

Each strategy plays against one `weighted_cards` and alone against ten. It beats them with 99 % confidence if the 99 %
interval of its mean payoff is above 0. A mixture of the strategies, drawn once per game, earns a mean of their payoffs.

The adversaries must know what the others will play, and `weighted_cards` draws its cards. Two versions of each are
measured: one asks for a draw of its own, as the paper's program does, and one expects the most likely play. Names that
end in `_as_written` are variants by the paper's text (see `baselines.opponents.war`), and are measured as well.

The table is written to `war_unbeaten.md` in the folder; docs/measurements.md quotes it. The same command continues a
run that was stopped.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from time import process_time

import numpy as np

from baselines import make_policy, match
from baselines.system.files import write_atomically
from cardwar_envs import Policy
from cardwar_envs.core.policy import Masks, Observations, Probabilities
from cardwar_envs.games.war import War
from train.reports.markdown import table

POLICY, SEED = "weighted_cards", 2017
STRATEGIES = (
    *("dummie", "min", "max", "simple_minded_1", "simple_minded_2"),
    *("simple_minded_1_as_written", "simple_minded_2_as_written"),
)
ADVERSARIES = ("general_purpose_adversary", "general_purpose_adversary_as_written")
# Games of a strategy and of an adversary, which is slow, by the number of players.
GAMES = {2: (4_000, 1_000), 11: (2_000, 1_000)}


class Drawn:
    """Answers with one action, drawn from the policy's probabilities with its own generator."""

    def __init__(self, policy: Policy, seed: int) -> None:
        self._policy, self._rng = policy, np.random.default_rng(seed)

    def action_probabilities(self, observations: Observations, action_masks: Masks) -> Probabilities:
        up_to = self._policy.action_probabilities(observations, action_masks).cumsum(axis=1)
        drawn = self._rng.random((len(up_to), 1)) * up_to[:, -1:]
        return _certain((up_to <= drawn).sum(axis=1), up_to.shape[1])


class MostLikely:
    """Answers with the policy's most likely action, the first of several."""

    def __init__(self, policy: Policy) -> None:
        self._policy = policy

    def action_probabilities(self, observations: Observations, action_masks: Masks) -> Probabilities:
        probabilities = self._policy.action_probabilities(observations, action_masks)
        return _certain(probabilities.argmax(axis=1), probabilities.shape[1])


def _certain(actions: np.ndarray, num_actions: int) -> Probabilities:
    return np.asarray(np.arange(num_actions) == actions[:, None], dtype=np.float64)


def opponents(game: War) -> Iterator[tuple[str, Policy]]:
    """Yields the paper's strategies, by label."""
    for name in STRATEGIES:
        yield name, make_policy(name, game)
    policy = make_policy(POLICY, game)
    for name in ADVERSARIES:
        for label, known in (("draws", Drawn(policy, SEED)), ("most likely", MostLikely(policy))):
            yield f"{name}, {label}", make_policy(name, game, others=[known] * (game.num_players - 1))


def measure(out: Path) -> list[list[str]]:
    """Returns the rows of the table; results are kept in the folder, one file for each."""
    out.mkdir(parents=True, exist_ok=True)
    rows = []
    for players, (games, slow_games) in GAMES.items():
        game = War(num_players=players)
        for label, opponent in opponents(game):
            path = out / f"{players}-{label.replace(', ', '-').replace(' ', '-')}.json"
            if not path.exists():
                begin = process_time()
                played = match(game, opponent, POLICY, games=slow_games if "," in label else games, seed=SEED)
                result = [played.games, *played.payoff, *played.wins, process_time() - begin]
                write_atomically(path, json.dumps(result).encode())
            rows.append(_row(players, label, *json.loads(path.read_text())))
    return rows


def _row(players: int, label: str, games: int, *numbers: float) -> list[str]:
    mean, low, high, won, won_low, won_high, seconds = numbers
    payoff, share = f"{mean:.3f} ({low:.3f} to {high:.3f})", f"{won:.3f} ({won_low:.3f} to {won_high:.3f})"
    return [str(players), label, f"{games:,}", payoff, share, "yes" if low > 0.0 else "no", f"{seconds:.0f}"]


def main() -> None:
    """Computes the missing results, and writes the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path("runs/war_unbeaten"))
    out = parser.parse_args().out
    headings = ["players", "strategy", "games", "mean payoff (99 %)", "share won (99 %)", "beats it", "CPU s"]
    text = table(headings, measure(out))
    write_atomically(out / "war_unbeaten.md", f"{text}\n".encode())
    print(text)


if __name__ == "__main__":
    main()
