"""`cardwar match`: plays policies against each other; exact where the game tree can be enumerated."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer
from rich.table import Column, Table

import baselines
from baselines.matches.games import sampled_games
from cardwar_envs import Game, Policy
from train.agents import AGENT
from train.agents.process import AgentError
from train.command.console import (
    AgentSeconds,
    AsJson,
    GameName,
    MaxStates,
    advancing,
    asked_in_words,
    count,
    out,
    print_json,
    say,
    say_aside,
    say_identity,
    timed,
)
from train.policies.by_word import accept_moves, line_up_from
from train.words import game_for, parameters_and_names, points

if TYPE_CHECKING:
    from baselines.matches.line_ups import CrossPlay


def match(
    game: GameName,
    words: Annotated[
        list[str],
        typer.Argument(metavar="[KEY=VALUE ...] POLICY POLICY ...", help="Parameters of the game, then the policies."),
    ],
    games: Annotated[
        int | None,
        typer.Option(parser=count(1), metavar="N", help="Games to play if the result is not exact; default 1000."),
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Random seed of sampled games; default 0.")] = None,
    forfeit: Annotated[
        bool,
        typer.Option(
            "--forfeit",
            help="With programs and --games: a program that fails loses that game, and the match continues.",
        ),
    ] = False,
    max_states: MaxStates = None,
    agent_seconds: AgentSeconds = None,
    as_json: AsJson = False,
) -> None:
    """Play policies against each other.

    Odds are exact for two-player games without a round limit. Other games are sampled. With --games, games of a
    program (agent:COMMAND) are sampled too.
    """
    parameters, policies = parameters_and_names(words)
    rules = game_for(game, parameters, len(policies))
    given = {option: value for option, value in (("games", games), ("seed", seed)) if value is not None}
    # Enumerating the histories of a game with a round limit could take practically forever.
    exact = rules.facts.num_players == 2 and rules.facts.max_rounds is None
    exact = exact and not (games is not None and any(word.startswith(AGENT) for word in policies))
    if exact and given:
        option, value = next(iter(given.items()))
        raise ValueError(f"--{option} ({value}) does not apply to {game}: its results are exact")
    if max_states is not None and not exact:
        raise ValueError(
            f"--max-states ({max_states}) does not apply to {game}: its games are sampled, so no states are enumerated"
        )
    if forfeit and (exact or not _can_forfeit(rules, games)):
        raise ValueError("--forfeit requires --games, a program (agent:COMMAND), and a two-player zero-sum game")
    line_up, title = line_up_from(policies, rules), " ".join([game, *words])
    if not exact:
        accept_moves(line_up)
    if forfeit:
        _forfeiting_match(rules, policies, line_up, games or 0, seed or 0, title, as_json)
    elif exact:
        _exact_match(rules, policies, line_up, max_states, title, as_json)
    else:
        _played_match(rules, policies, line_up, given, title, as_json)
    if not as_json:
        say_identity(rules)


def _can_forfeit(game: Game[Any], games: int | None) -> bool:
    return games is not None and game.facts.num_players == 2 and game.facts.zero_sum


def _exact_match(
    game: Game[Any], names: list[str], line_up: list[Policy], max_states: int | None, title: str, as_json: bool
) -> None:
    result, seconds = timed(lambda: baselines.head_to_head(game, *line_up, max_states=max_states))
    figures = dataclasses.asdict(result)
    asked = figures.pop("asked")
    headings = ["P(win)", "P(loss)", "P(tie)", "mean payoff"]
    if not game.facts.zero_sum:  # the payoff of player_0 does not determine that of player_1
        figures["mean_1"] = baselines.nash_conv(game, line_up, max_states=max_states).payoffs[1]
        headings += ["mean payoff of player_1"]
    if as_json:
        print_json(game, policies=names, **figures, asked=asked, seconds=seconds)
        return
    say(f"{title}, exact")
    say(f"odds and mean payoff (points) of player_0 ({names[0]})")
    table = Table(*(Column(heading, justify="right") for heading in headings))
    table.add_row(*map(points, figures.values()))
    out.print(table)
    say(asked_in_words(result.asked))


def _played_match(
    game: Game[Any], names: list[str], line_up: list[Policy], given: dict[str, int], title: str, as_json: bool
) -> None:
    with advancing("games played") as progress:
        try:
            result, seconds = timed(lambda: baselines.cross_play(game, line_up, **given, progress=progress))
        except AgentError as error:
            if not _can_forfeit(game, given.get("games")):
                raise
            raise AgentError(f"{error}; with --forfeit it would lose that game, and the match would continue") from None
    if not as_json:
        out.print(_played_table(result, names, title))
        say(_rounds_in_words(result))
        return
    keys = ("games", "wins", "nobody", "unfinished", "mean_rounds", "std_rounds", "mean_rounds_won", "mean_payoffs")
    course = () if result.rounds is None else ("rounds", "winner")
    figures = {key: getattr(result, key) for key in (*keys, *course)}
    errors = result.payoff_errors and [error if math.isfinite(error) else None for error in result.payoff_errors]
    print_json(game, policies=names, **figures, payoff_errors=errors, seed=given.get("seed", 0), seconds=seconds)


def _forfeiting_match(
    game: Game[Any], names: list[str], line_up: list[Policy], games: int, seed: int, title: str, as_json: bool
) -> None:
    """Plays one game at a time; a program that fails gets the game's minimum payoff and is restarted."""
    payoffs, forfeits = np.zeros((games, 2)), [0, 0]
    with advancing("games played", games) as progress:
        for number in range(games):
            try:
                payoffs[number] = sampled_games(game, line_up, 1, [seed, number]).payoffs[0]
            except AgentError as error:
                seat = next(seat for seat, each in enumerate(line_up) if getattr(each, "failed", False))
                say_aside(f"game {number + 1}: player_{seat} forfeits: {error}")
                payoffs[number, seat], payoffs[number, 1 - seat] = game.facts.min_payoff, -game.facts.min_payoff
                forfeits[seat] += 1
                line_up[seat].restart()  # type: ignore[attr-defined]  # only programs fail
            progress(number + 1)
    mean, spread = float(payoffs[:, 0].mean()), float(payoffs[:, 0].std(ddof=min(games - 1, 1)) / np.sqrt(games))
    if as_json:
        print_json(game, policies=names, games=games, mean=mean, mean_error=spread, forfeits=forfeits, seed=seed)
        return
    say(f"{title}, {games:,} games, sampled")
    say(f"mean payoff of player_0 {points(mean, 4)} ± {points(spread, 4)} (standard error), forfeits counted as lost")
    say(f"forfeits: {forfeits[0]:,} by player_0, {forfeits[1]:,} by player_1")


def _played_table(result: CrossPlay, names: Sequence[str], title: str) -> Table:
    """A table with each player's wins, their mean length in rounds, and its payoffs."""
    numbers = [Column(heading, justify="right") for heading in ("won", "share", "mean rounds when it won")]
    if result.mean_payoffs is not None:
        numbers.append(Column("mean payoff ± its standard error", justify="right"))
    title += f", {result.games:,} game{'s' if result.games > 1 else ''}"
    table = Table(Column("", no_wrap=True), "policy", *numbers, title=title)
    for seat, (name, wins, rounds) in enumerate(zip(names, result.wins, result.mean_rounds_won, strict=True)):
        row = [f"player_{seat}", name, f"{wins:,}", f"{wins / result.games:.4f}", f"{rounds:.2f}" if rounds else ""]
        if result.mean_payoffs is not None and result.payoff_errors is not None:
            error = result.payoff_errors[seat]
            known = f" ± {points(error, 4)}" if error and math.isfinite(error) else ""
            row.append(points(result.mean_payoffs[seat], 4) + known)
        table.add_row(*row)
    for what, number in (("nobody", result.nobody), ("not finished", result.unfinished)):
        if number:
            table.add_row(what, "", f"{number:,}", f"{number / result.games:.4f}", "")
    return table


def _rounds_in_words(result: CrossPlay) -> str:
    if result.rounds is not None:
        return f"{result.rounds:,} round{'s' if result.rounds > 1 else ''}; this game is deterministic"
    return f"{result.mean_rounds:.2f} rounds on average, standard deviation {result.std_rounds:.2f}"
