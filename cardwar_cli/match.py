"""`cardwar match`: plays policies against each other; exact where the game tree can be enumerated."""

from __future__ import annotations

import dataclasses
import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import numpy as np
import typer
from rich.table import Column, Table

import baselines
from baselines.matches.games import SEEDS, Played, sampled_games
from baselines.matches.line_ups import GAMES, stopped_after, summary_of
from baselines.oracles.answers.guards import tables_counted
from baselines.system.files import require_writable, write_atomically
from cardwar_cli.arguments import AgentSeconds, GameName, MaxStates, count
from cardwar_cli.console import (
    AsJson,
    advancing,
    is_duel,
    out,
    print_json,
    queries_in_words,
    say,
    say_aside,
    say_identity,
    timed,
)
from cardwar_envs import Game, Policy, play_episode
from cardwar_envs.core.parameters import whole_number
from cardwar_envs.core.process import Stopwatch
from cardwar_envs.core.texts import counted
from train.policies.agent_process import AgentError
from train.policies.by_word import accept_moves, is_program, line_up_from
from train.policies.learned_policy import labelled
from train.text.game_names import game_with_players, json_parameters
from train.text.parsing import parameters_and_names
from train.text.printing import points

if TYPE_CHECKING:
    from baselines.matches.line_ups import CrossPlay

# Entries of sampled results in --json.
FIGURES = ("games", "wins", "nobody", "unfinished", "mean_rounds", "std_rounds", "mean_rounds_won", "mean_payoffs")


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
    record: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Sample games and write the completed ones to FILE, for cardwar judge."),
    ] = None,
    max_states: MaxStates = None,
    agent_seconds: AgentSeconds = None,
    as_json: AsJson = False,
) -> None:
    """Play policies against each other.

    Odds are exact for two-player games without a round limit. Other games are sampled. With --games, games of a program
    (agent:COMMAND) are sampled too.
    """
    parameters, policies = parameters_and_names(words)
    rules = game_with_players(game, parameters, len(policies))
    given = {option: value for option, value in (("games", games), ("seed", seed)) if value is not None}
    exact = baselines.has_exact_results(rules)
    programs = any(map(is_program, policies))
    exact = exact and record is None and not (games is not None and programs)
    if exact and given:
        option, value = next(iter(given.items()))
        raise ValueError(f"--{option} ({value}) does not apply to {game}: its results are exact")
    if max_states is not None and not exact:
        raise ValueError(
            f"--max-states ({max_states}) does not apply to {game}: its games are sampled, so no states are enumerated"
        )
    if forfeit and (games is None or not (programs and is_duel(rules))):
        raise ValueError("--forfeit requires --games, a program (agent:COMMAND), and a two-player zero-sum game")
    line_up = line_up_from(policies, rules)
    names = list(map(labelled, policies, line_up))
    title = " ".join([game, *(f"{key}={text}" for key, text in parameters.items()), *names])
    match_ = _Match(rules, names, line_up, title, as_json, record, [])
    if record is not None:
        from cardwar_play.recorded.played import game_of

        game_of(rules.facts.name, json_parameters(rules))  # as the reader of the record does
        require_writable(record)
    if exact:
        _exact(match_, max_states)
    elif programs or record is not None:
        accept_moves(line_up)
        _in_order(match_, games or GAMES, whole_number("seed", seed or 0, SEEDS), forfeit)
    else:
        with advancing("games played") as progress:
            result, seconds = timed(lambda: baselines.cross_play(rules, line_up, **given, progress=progress))
        _show_played(match_, result, counted(result.games, "game"), {"seed": seed or 0, "seconds": seconds})
    if not as_json:
        say_identity(rules)


class _Match(NamedTuple):
    """The players of a match by seat, with their names, how to show the results, and the games if they are recorded."""

    game: Game[Any]
    names: list[str]
    policies: list[Policy]
    title: str
    as_json: bool
    record: Path | None
    lines: list[str]

    def print_json(self, **entries: Any) -> None:
        print_json(self.game, policies=self.names, **entries)


def _exact(match: _Match, max_states: int | None) -> None:
    game, policies = match.game, match.policies
    result, seconds = timed(lambda: baselines.head_to_head(game, *policies, max_states=max_states))
    figures = dataclasses.asdict(result)
    del figures["queries"]
    headings = ["P(win)", "P(loss)", "P(tie)", "mean payoff"]
    if not game.facts.zero_sum:  # the payoff of player_0 does not determine that of player_1
        figures["mean_1"] = baselines.nash_conv(game, policies, max_states=max_states).payoffs[1]
        headings += ["mean payoff of player_1"]
    if match.as_json:
        match.print_json(**figures, asked=result.queries.as_data(), seconds=seconds)
        return
    say(f"{match.title}, exact")
    say(f"odds and mean payoff (points) of player_0 ({match.names[0]})")
    table = Table(*(Column(heading, justify="right") for heading in headings))
    table.add_row(*map(points, figures.values()))
    out.print(table)
    say(queries_in_words(result.queries))


def _in_order(match: _Match, games: int, seed: int, forfeit: bool) -> None:
    """Plays one game at a time, so that a program's failure costs one game, and shows those that were completed."""
    played, forfeits = list[Played](), [0] * len(match.policies)
    ended: AgentError | KeyboardInterrupt | None = None
    watch = Stopwatch()
    with advancing("games played", games) as progress:
        for number in range(games):
            try:
                played.append(_one_game(match, [seed, number]))
            except (AgentError, KeyboardInterrupt) as error:
                if not forfeit or isinstance(error, KeyboardInterrupt):
                    ended = error
                    break
                seat = next(seat for seat, policy in enumerate(match.policies) if getattr(policy, "failed", False))
                say_aside(f"game {number + 1}: player_{seat} forfeits: {error}")
                payoffs = np.full((1, 2), -match.game.facts.min_payoff)
                payoffs[0, seat] = match.game.facts.min_payoff
                played.append(Played(payoffs, []))
                forfeits[seat] += 1
            progress(number + 1)
    if match.record is not None:
        write_atomically(match.record, "".join(match.lines).encode())
    done, entries = len(played), {"seed": seed}
    how_many = counted(done, "game") if ended is None else f"the first {done:,} of {games:,} games"
    told = {} if ended is None else {"games_asked": games, "ended": str(ended) or "interrupted"}
    if done and forfeit:
        _show_with_forfeits(match, played, forfeits, how_many, entries | told)
    elif done:
        _show_played(match, summary_of(played), how_many, entries | {"seconds": watch.seconds} | told)
    if isinstance(ended, AgentError):
        hint = "; with --forfeit it would lose that game, and the match would continue" if is_duel(match.game) else ""
        raise AgentError(f"{ended}; {done:,} of {games:,} games were completed{hint}")
    if ended is not None:
        raise ended


def _one_game(match: _Match, seed: list[int]) -> Played:
    """Plays a game, after restarting programs that failed in an earlier one."""
    for policy in match.policies:
        if getattr(policy, "failed", False):
            policy.restart()  # type: ignore[attr-defined]  # only programs fail
    at_end = stopped_after(match.game)
    if match.record is None:
        return sampled_games(match.game, match.policies, 1, seed, at_end=at_end)
    from cardwar_play.recorded.plain import line_of

    with tables_counted(match.policies):
        episode = play_episode(match.game, match.policies, np.random.default_rng(seed))
    match.lines.append(line_of(match.game, match.names, episode))
    return Played(np.array([episode.payoffs]), [at_end(episode.states[-1], len(episode.actions))])


def _show_with_forfeits(
    match: _Match, played: list[Played], forfeits: list[int], how_many: str, entries: dict[str, Any]
) -> None:
    payoffs = np.concatenate([game.payoffs for game in played])[:, 0]
    games = len(payoffs)
    mean, spread = float(payoffs.mean()), float(payoffs.std(ddof=min(games - 1, 1)) / np.sqrt(games))
    if match.as_json:
        match.print_json(games=games, mean=mean, mean_error=spread, forfeits=forfeits, **entries)
        return
    say(f"{match.title}, {how_many}, sampled")
    say(f"mean payoff of player_0 {points(mean, 4)} ± {points(spread, 4)} (standard error), forfeits counted as lost")
    say(f"forfeits: {forfeits[0]:,} by player_0, {forfeits[1]:,} by player_1")


def _show_played(match: _Match, result: CrossPlay, how_many: str, entries: dict[str, Any]) -> None:
    """Shows sampled results; `entries` are further entries of the JSON object."""
    errors = result.payoff_errors and [error if math.isfinite(error) else None for error in result.payoff_errors]
    if match.as_json:
        course = () if result.rounds is None else ("rounds", "winner")
        figures = {name: getattr(result, name) for name in (*FIGURES, *course)}
        match.print_json(**figures, payoff_errors=errors, **entries)
        return
    numbers = [Column(heading, justify="right") for heading in ("won", "share", "mean rounds when it won")]
    if result.mean_payoffs is not None:
        numbers.append(Column("mean payoff ± its standard error", justify="right"))
    table = Table(Column("", no_wrap=True), "policy", *numbers, title=f"{match.title}, {how_many}")
    for seat, (name, wins, rounds) in enumerate(zip(match.names, result.wins, result.mean_rounds_won, strict=True)):
        row = [f"player_{seat}", name, f"{wins:,}", f"{wins / result.games:.4f}", f"{rounds:.2f}" if rounds else ""]
        if result.mean_payoffs is not None and errors is not None:
            known = f" ± {points(error, 4)}" if (error := errors[seat]) else ""
            row.append(points(result.mean_payoffs[seat], 4) + known)
        table.add_row(*row)
    for what, number in (("nobody", result.nobody), ("not finished", result.unfinished)):
        if number:
            table.add_row(what, "", f"{number:,}", f"{number / result.games:.4f}", "")
    out.print(table)
    if result.rounds is not None:
        say(f"{result.rounds:,} round{'s' if result.rounds > 1 else ''}; this game is deterministic")
    else:
        say(f"{result.mean_rounds:.2f} rounds on average, standard deviation {result.std_rounds:.2f}")
