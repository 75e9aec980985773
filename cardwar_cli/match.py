"""`cardwar match`: plays policies against each other; exact where the game tree can be enumerated."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import numpy as np
import typer
from rich.table import Column, Table

import baselines
from baselines.matches.games import SEEDS, Played, sampled_games
from baselines.matches.line_ups import GAMES, stopped_after, summary_of
from cardwar_cli.console import (
    AgentSeconds,
    AsJson,
    GameName,
    MaxStates,
    advancing,
    count,
    out,
    print_json,
    queries_in_words,
    say,
    say_aside,
    say_identity,
    timed,
)
from cardwar_envs import Game, Policy
from cardwar_envs.core.parameters import whole_number
from cardwar_envs.core.stopwatch import Stopwatch
from cardwar_envs.core.texts import counted
from train.policies.agent_process import AgentError
from train.policies.by_word import accept_moves, is_program, line_up_from
from train.policies.unfinished import labelled
from train.text.game_names import game_for
from train.text.parsing import parameters_and_names
from train.text.printing import points

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

    Odds are exact for two-player games without a round limit, if the state is public or each player moves once. Other
    games are sampled. With --games, games of a program (agent:COMMAND) are sampled too.
    """
    parameters, policies = parameters_and_names(words)
    rules = game_for(game, parameters, len(policies))
    given = {option: value for option, value in (("games", games), ("seed", seed)) if value is not None}
    exact = baselines.has_exact_results(rules)
    programs = any(map(is_program, policies))
    exact = exact and not (games is not None and programs)
    if exact and given:
        option, value = next(iter(given.items()))
        raise ValueError(f"--{option} ({value}) does not apply to {game}: its results are exact")
    if max_states is not None and not exact:
        raise ValueError(
            f"--max-states ({max_states}) does not apply to {game}: its games are sampled, so no states are enumerated"
        )
    if forfeit and (games is None or not (programs and _can_forfeit(rules))):
        raise ValueError("--forfeit requires --games, a program (agent:COMMAND), and a two-player zero-sum game")
    line_up = line_up_from(policies, rules)
    policies = list(map(labelled, policies, line_up))
    title = " ".join([game, *(f"{key}={text}" for key, text in parameters.items()), *policies])
    if exact:
        _exact_match(rules, policies, line_up, max_states, title, as_json)
    elif programs:
        accept_moves(line_up)
        match_ = _play_in_order(rules, line_up, games or GAMES, whole_number("seed", seed or 0, SEEDS), forfeit)
        _show_match_of_programs(rules, match_, policies, title, seed or 0, as_json)
    else:
        _played_match(rules, policies, line_up, given, title, as_json)
    if not as_json:
        say_identity(rules)


def _can_forfeit(game: Game[Any]) -> bool:
    return game.facts.num_players == 2 and game.facts.zero_sum


def _exact_match(
    game: Game[Any], names: list[str], line_up: list[Policy], max_states: int | None, title: str, as_json: bool
) -> None:
    result, seconds = timed(lambda: baselines.head_to_head(game, *line_up, max_states=max_states))
    figures = dataclasses.asdict(result)
    del figures["queries"]
    headings = ["P(win)", "P(loss)", "P(tie)", "mean payoff"]
    if not game.facts.zero_sum:  # the payoff of player_0 does not determine that of player_1
        figures["mean_1"] = baselines.nash_conv(game, line_up, max_states=max_states).payoffs[1]
        headings += ["mean payoff of player_1"]
    if as_json:
        print_json(game, policies=names, **figures, asked=result.queries.as_data(), seconds=seconds)
        return
    say(f"{title}, exact")
    say(f"odds and mean payoff (points) of player_0 ({names[0]})")
    table = Table(*(Column(heading, justify="right") for heading in headings))
    table.add_row(*map(points, figures.values()))
    out.print(table)
    say(queries_in_words(result.queries))


def _played_match(
    game: Game[Any], names: list[str], line_up: list[Policy], given: dict[str, int], title: str, as_json: bool
) -> None:
    with advancing("games played") as progress:
        result, seconds = timed(lambda: baselines.cross_play(game, line_up, **given, progress=progress))
    if as_json:
        print_json(game, policies=names, **_figures(result), seed=given.get("seed", 0), seconds=seconds)
    else:
        _show_played(result, names, f"{title}, {counted(result.games, 'game')}")


class _Match(NamedTuple):
    """The games played with programs, in order.

    Attributes:
        games: The completed ones, and the forfeited ones if programs may forfeit.
        asked: Number of games to play.
        forfeits: Number of forfeited games per seat; None if a program's failure ends the match.
        ended: What ended the match early.
        seconds: Time of play.
    """

    games: list[Played]
    asked: int
    forfeits: list[int] | None
    ended: AgentError | KeyboardInterrupt | None
    seconds: float


def _play_in_order(game: Game[Any], line_up: list[Policy], games: int, seed: int, forfeit: bool) -> _Match:
    """Plays one game at a time, so that a failure costs one game; after a forfeit the program is restarted."""
    played, forfeits = list[Played](), [0] * len(line_up)
    ended: AgentError | KeyboardInterrupt | None = None
    watch = Stopwatch()
    with advancing("games played", games) as progress:
        for number in range(games):
            try:
                for each in line_up:
                    if getattr(each, "failed", False):
                        each.restart()  # type: ignore[attr-defined]  # only programs fail
                played.append(sampled_games(game, line_up, 1, [seed, number], at_end=stopped_after(game)))
            except AgentError as error:
                if not forfeit:
                    ended = error
                    break
                seat = next(seat for seat, each in enumerate(line_up) if getattr(each, "failed", False))
                say_aside(f"game {number + 1}: player_{seat} forfeits: {error}")
                payoffs = np.full((1, 2), -game.facts.min_payoff)
                payoffs[0, seat] = game.facts.min_payoff
                played.append(Played(payoffs, []))
                forfeits[seat] += 1
            except KeyboardInterrupt as error:
                ended = error
                break
            progress(number + 1)
    return _Match(played, games, forfeits if forfeit else None, ended, watch.seconds)


def _show_match_of_programs(
    game: Game[Any], match: _Match, names: list[str], title: str, seed: int, as_json: bool
) -> None:
    """Shows the games that were played, and then raises what ended the match early."""
    done, early = len(match.games), match.ended is not None
    title += f", the first {done:,} of {match.asked:,} games" if early else f", {counted(done, 'game')}"
    told = {"games_asked": match.asked, "ended": str(match.ended) or "interrupted"} if early else {}
    if done and match.forfeits is not None:
        _show_with_forfeits(game, match, names, title, {"seed": seed, **told} if as_json else None)
    elif done and as_json:
        figures = _figures(summary_of(match.games))
        print_json(game, policies=names, **figures, seed=seed, seconds=match.seconds, **told)
    elif done:
        _show_played(summary_of(match.games), names, title)
    if isinstance(match.ended, AgentError):
        can_forfeit = match.forfeits is None and _can_forfeit(game)
        hint = "; with --forfeit it would lose that game, and the match would continue" if can_forfeit else ""
        raise AgentError(f"{match.ended}; {done:,} of {match.asked:,} games were completed{hint}")
    if match.ended is not None:
        raise match.ended


def _show_with_forfeits(
    game: Game[Any], match: _Match, names: list[str], title: str, entries: dict[str, Any] | None
) -> None:
    assert match.forfeits is not None
    payoffs = np.concatenate([each.payoffs for each in match.games])[:, 0]
    games = len(payoffs)
    mean, spread = float(payoffs.mean()), float(payoffs.std(ddof=min(games - 1, 1)) / np.sqrt(games))
    if entries is not None:
        figures = {"games": games, "mean": mean, "mean_error": spread, "forfeits": match.forfeits}
        print_json(game, policies=names, **figures, **entries)
        return
    say(f"{title}, sampled")
    say(f"mean payoff of player_0 {points(mean, 4)} ± {points(spread, 4)} (standard error), forfeits counted as lost")
    say(f"forfeits: {match.forfeits[0]:,} by player_0, {match.forfeits[1]:,} by player_1")


def _figures(result: CrossPlay) -> dict[str, Any]:
    keys = ("games", "wins", "nobody", "unfinished", "mean_rounds", "std_rounds", "mean_rounds_won", "mean_payoffs")
    course = () if result.rounds is None else ("rounds", "winner")
    errors = result.payoff_errors and [error if math.isfinite(error) else None for error in result.payoff_errors]
    return {**{key: getattr(result, key) for key in (*keys, *course)}, "payoff_errors": errors}


def _show_played(result: CrossPlay, names: Sequence[str], title: str) -> None:
    out.print(_played_table(result, names, title))
    say(_rounds_in_words(result))


def _played_table(result: CrossPlay, names: Sequence[str], title: str) -> Table:
    """A table with each player's wins, their mean length in rounds, and its payoffs."""
    numbers = [Column(heading, justify="right") for heading in ("won", "share", "mean rounds when it won")]
    if result.mean_payoffs is not None:
        numbers.append(Column("mean payoff ± its standard error", justify="right"))
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
