"""Every policy against every other in both seats: `cardwar playoffs`, exact wherever the game allows it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
import typer
from numpy.typing import NDArray
from rich.table import Table

from baselines import cross_play, exploitability, head_to_head
from baselines.sweeps import counts_rounds
from cardwar_envs import Game, Policy
from cardwar_envs.core.policy import named_policy, needs_others, policy_names
from train.arguments import game_from, policy_from, split_words
from train.console import AsJson, GameName, advancing, out
from train.evaluate import game_in_words

# Two intervals that each hold with this probability hold together with 95 %.
CONFIDENCE_OF_EACH = 0.975


class Pairing(NamedTuple):
    """What happens between two policies, from the side of the one in seat 0.

    Attributes:
        win: Probability that it gets more than the other.
        loss: Probability that it gets less.
        tie: Probability that both get the same.
        mean: Its expected payoff, payoff points.
        low: The least that the mean can be: itself if it is exact, else the lower end of an interval
            that holds the mean with at least 95 %.
        high: The most that it can be.
    """

    win: float
    loss: float
    tie: float
    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class PlayOffs:
    """Every policy against every other.

    Attributes:
        game: What they play.
        names: Of the policies.
        pairings: `[row][column]`: the row's policy in seat 0, the column's in seat 1.
        exploitability: Of each policy, exact, payoff points; None if results are sampled.
        games: Played for each pairing; None if results are exact.
    """

    game: Game[Any]
    names: tuple[str, ...]
    pairings: tuple[tuple[Pairing, ...], ...]
    exploitability: tuple[float, ...] | None
    games: int | None

    @cached_property
    def means(self) -> NDArray[np.float64]:
        """`[row, column]`: mean payoff to the row's policy in seat 0, payoff points."""
        return np.array([[pairing.mean for pairing in row] for row in self.pairings])

    @cached_property
    def averages(self) -> NDArray[np.float64]:
        """Mean payoff of each policy over both seats and all others, payoff points; NaN without others."""
        others = len(self.names) - 1
        both = (self.means - self.means.T) / 2
        return both.sum(axis=1) / others if others else np.full(1, np.nan)


def play_all(game: Game[Any], policies: dict[str, Policy], games: int | None = None, seed: int = 0) -> PlayOffs:
    """Plays every pairing, each policy against itself too.

    Args:
        game: A two-player zero-sum game.
        policies: By name.
        games: To play for each pairing, in a game with a limit of rounds; None for exact results.
        seed: Of what is drawn in them.

    Raises:
        ValueError: If the game is of another kind, or too large for exact results; if `games` is given
            for a game that does not want it.
    """
    if game.facts.num_players != 2 or not game.facts.zero_sum:
        raise ValueError(f"{game.facts.name}: play-offs are for two-player zero-sum games")
    if games is not None and not counts_rounds(game):
        raise ValueError(f"--games ({games}) is of no use for {game.facts.name}: its results are exact")
    try:
        return _played(game, policies, games, seed)
    except ValueError as error:
        if games is None and counts_rounds(game):
            raise ValueError(f"{error}; --games samples so many games instead") from None
        raise


def _played(game: Game[Any], policies: dict[str, Policy], games: int | None, seed: int) -> PlayOffs:
    players = list(policies.values())
    with advancing("pairings", lambda: len(players) ** 2) as progress:
        rows = []
        for row, first in enumerate(players):
            rows.append(tuple(_pairing(game, first, second, games, seed) for second in players))
            if progress is not None:
                progress((row + 1) * len(players))
    measured = tuple(exploitability(game, player) for player in players) if games is None else None
    return PlayOffs(game, tuple(policies), tuple(rows), measured, games)


def _pairing(game: Game[Any], first: Policy, second: Policy, games: int | None, seed: int) -> Pairing:
    if games is None:
        exact = head_to_head(game, first, second)
        return Pairing(exact.win, exact.loss, exact.tie, exact.mean, exact.mean, exact.mean)
    played = cross_play(game, (first, second), games=games, seed=seed)
    win, loss = (wins / played.games for wins in played.wins)
    tie = (played.nobody + played.unfinished) / played.games
    mean = win - loss  # who has lost pays one point to who has won
    if played.rounds is not None:  # the only course that there is
        return Pairing(win, loss, tie, mean, mean, mean)
    from scipy.stats import binomtest  # takes most of a second to import

    wins, losses = (
        binomtest(number, played.games).proportion_ci(CONFIDENCE_OF_EACH, method="exact") for number in played.wins
    )
    return Pairing(win, loss, tie, mean, wins.low - losses.high, wins.high - losses.low)


def shipped_policies(game: Game[Any]) -> dict[str, Policy]:
    """All policies with a name that can play a game against any other."""
    policies = {}
    for name in policy_names():
        if not needs_others(name):
            try:
                policies[name] = named_policy(name, game)
            except ValueError:
                continue  # it plays other games
    return policies


def _policies(words: Sequence[str], game: Game[Any]) -> dict[str, Policy]:
    """Policies by name; a run folder goes by its last part, if that is enough to tell it from the others."""
    short = [Path(word).name if Path(word).exists() else word for word in words]
    policies: dict[str, Policy] = {}
    for word, name in zip(words, short, strict=True):
        if word in words[: len(policies)]:
            raise ValueError(f"{word} is given twice")
        if word in policy_names() and needs_others(word):
            raise ValueError(f"{word} must know what the other plays, and cannot play against all")
        taken = short.count(name) > 1 or (name in policy_names() and name != word)
        policies[word if taken else name] = policy_from(word, game)
    return policies


def playoffs(
    game: GameName,
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[KEY=VALUE ...] [POLICY ...]",
            help="Parameters of the game; names of policies, run folders or policy files, all shipped ones if none.",
        ),
    ] = None,
    folder: Annotated[
        Path | None, typer.Option("--out", metavar="DIR", help="For tables and picture; default runs/playoffs-GAME.")
    ] = None,
    shipped: Annotated[bool, typer.Option("--shipped", help="Also all shipped policies that play the game.")] = False,
    games: Annotated[
        int | None, typer.Option(help="Sample so many for each pair, where a deck is too large for exact results.")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Of what is drawn in them; 0 if not given.")] = None,
    as_json: AsJson = False,
) -> None:
    """Play every policy against every other in both seats: odds, mean payoffs, and how exploitable each is."""
    parameters, options, given = split_words(words or [])
    if options:
        raise ValueError(f"no such option: --{next(iter(options))}")
    rules = game_from(game, parameters)
    policies = _policies(given, rules)
    if shipped or not policies:
        policies = {**shipped_policies(rules), **policies}
    if games is None and seed is not None:
        raise ValueError(f"--seed ({seed}) is of no use without --games: exact results are not drawn")
    result = play_all(rules, policies, games, seed or 0)

    from train.playoffs_files import write_playoffs  # needs matplotlib

    if folder is None:
        folder = Path("runs") / "-".join(["playoffs", game, *(f"{key}={text}" for key, text in parameters.items())])
    files = write_playoffs(result, folder)
    if as_json:
        print(json.dumps(plain(result, seed or 0, files)))
        return
    out.print(standing_table(result))
    means = means_table(result)
    if out.measure(means).minimum <= out.width:  # else it is in the files
        out.print(means)
    out.print("Written: " + ", ".join(map(str, files)), highlight=False, soft_wrap=True)


def standing_table(result: PlayOffs) -> Table:
    """Each policy's average over all others and both seats, and its exploitability."""
    exact = "exact" if result.games is None else f"{result.games:,} games for each pair"
    table = Table(title=f"{game_in_words(result.game)}, {exact}")
    table.add_column("policy", overflow="fold")
    table.add_column("average payoff", justify="right")
    if result.exploitability is not None:
        table.add_column("exploitability", justify="right")
    for row, name in enumerate(result.names):
        last = () if result.exploitability is None else (points(result.exploitability[row]),)
        table.add_row(f"{row + 1} {name}", points(result.averages[row]), *last)
    return table


def means_table(result: PlayOffs) -> Table:
    """Mean payoffs, policies by number."""
    table = Table(title="mean payoff to the row as player_0", box=None, padding=(0, 0, 0, 1))
    table.add_column("", justify="right", no_wrap=True)
    for column in range(len(result.names)):
        table.add_column(str(column + 1), justify="right", no_wrap=True)
    for row in range(len(result.names)):
        table.add_row(str(row + 1), *map(points, result.means[row]))
    return table


def points(payoff: float) -> str:
    """Payoff points to a thousandth, without the sign of a zero that is only rounding."""
    return "" if np.isnan(payoff) else f"{round(payoff, 3) + 0.0:.3f}"


def plain(result: PlayOffs, seed: int, files: Sequence[Path]) -> dict[str, Any]:
    """The same as plain data."""
    matrices = {
        field: [[getattr(pairing, field) for pairing in row] for row in result.pairings]
        for field in Pairing._fields
        if result.games is not None or field not in ("low", "high")
    }
    sampled = {} if result.games is None else {"games": result.games, "seed": seed}
    averages = [None if np.isnan(average) else float(average) for average in result.averages]
    return {
        "game": result.game.facts.name,
        "parameters": result.game.parameters(),
        "policies": list(result.names),
        **matrices,
        "averages": averages,
        "exploitability": None if result.exploitability is None else list(result.exploitability),
        **sampled,
        "files": [str(path) for path in files],
    }
