"""`cardwar judge`: reads recorded games and reports the exact cost of every move."""

from __future__ import annotations

import json
import math
import textwrap
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Column, Table

from baselines.matches.intervals import Interval
from baselines.system.files import require_writable
from cardwar_cli.arguments import count
from cardwar_cli.console import AsJson, advancing, new_table, out, say, say_aside
from cardwar_envs import Game
from cardwar_envs.core.texts import counted
from train.text.game_names import game_in_words, json_parameters
from train.text.printing import points

if TYPE_CHECKING:
    from cardwar_play.judged import Figures, Finding, Judged
    from cardwar_play.recorded.played import Played

DIGITS = 4
# Damaged games that are listed.
MOST_LISTED = 20
EXACT = ("value", "cost", "total", "free")
SAMPLED = ("cost_per_game", "payoff_per_game", "elo", "variance_ratio", "cost_by_move")


def judge(
    files: Annotated[
        list[Path] | None,
        typer.Argument(metavar="FILE ...", help="Files of recorded games; - reads from stdin.", show_default=False),
    ] = None,
    folder: Annotated[
        Path | None,
        typer.Option("--out", metavar="DIR", file_okay=False, help="Folder for CSV files and a picture."),
    ] = None,
    top: Annotated[
        int, typer.Option(parser=count(0), metavar="N", help="How many of the most expensive moves to show.")
    ] = 5,
    skip: Annotated[
        bool, typer.Option("--skip-damaged", help="Leave out games that the rules do not allow, and list them.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Compute equilibria that take longer than a minute.")] = False,
    schema: Annotated[bool, typer.Option("--schema", help="Print the JSON schema of the plain format.")] = False,
    as_json: AsJson = False,
) -> None:
    """Judge recorded games: what each move cost against an optimal reply, exactly.

    Reads records of `cardwar play`, and the plain format, which any program can write: one JSON object a line.
    """
    if schema:
        from cardwar_play.recorded.plain import PlainGame

        print(json.dumps(PlainGame.model_json_schema(), indent=2))
        return
    if not files:
        raise ValueError("no FILE is given; name files of recorded games, or - for stdin")
    if folder is not None:
        from cardwar_play.judged_files import FILES, write_judged  # if matplotlib is missing, fail before judging

        for name in FILES:
            require_writable(folder / name, new_folders=True)
    work = _Work(skip, yes)
    interrupted: KeyboardInterrupt | None = None
    try:
        work.read(files)
    except KeyboardInterrupt as error:
        interrupted = error
    judged = work.judged()
    if as_json:
        print(json.dumps(_plain(work, judged, top) | {"interrupted": interrupted is not None}))
    else:
        for each in judged:
            _show(each, top)
        work.show_others()
        if interrupted is not None:
            say("Interrupted: the figures are those of the games judged so far.")
    if folder is not None and judged:
        write_judged(judged, folder)
        if not as_json:
            say("Written: " + ", ".join(str(folder / name) for name in FILES))
    if interrupted is not None:
        raise interrupted
    if not judged:
        raise ValueError(f"no game could be judged: {next(iter([*work.reasons.values(), *work.refused]))}")


class _Work:
    """Judged games by their rules, games that cannot be judged, and damaged ones."""

    def __init__(self, skip: bool, yes: bool) -> None:
        self._skip, self._yes = skip, yes
        self._by_game: dict[Game[Any], Judged] = {}
        self.reasons: dict[Game[Any], str] = {}
        self.left_out: Counter[Game[Any]] = Counter()
        self.refused: list[str] = []

    def read(self, files: Sequence[Path]) -> None:
        """Judges the games in all files; raises a ValueError for a damaged one unless these are skipped."""
        from cardwar_play.readers import documents, read_game

        done = 0
        with advancing("games") as progress:
            for path in files:
                games = documents(path)
                while True:
                    try:
                        self._add(read_game(*next(games)))
                    except StopIteration:
                        break
                    except ValueError as error:
                        if not self._skip:
                            raise ValueError(f"{error}; --skip-damaged judges the others") from None
                        self.refused.append(str(error))
                    progress(done := done + 1)

    def _add(self, played: Played) -> None:
        game = played.game
        if game not in self._by_game and game not in self.reasons:
            self._solve(game)
        if game in self.reasons:
            self.left_out[game] += 1
        else:
            self._by_game[game].add(played)

    def _solve(self, game: Game[Any]) -> None:
        from cardwar_play.judge import Judge
        from cardwar_play.judged import Judged
        from cardwar_play.seating import PATIENCE, TooLongError, find_equilibrium

        try:
            solution = find_equilibrium(game, seconds=math.inf if self._yes else PATIENCE)
        except TooLongError as wait:
            self.reasons[game] = f"computing its equilibrium {wait}; --yes computes it"
        except ValueError as error:
            self.reasons[game] = str(error)
        else:
            self._by_game[game] = Judged(Judge(solution))

    def judged(self) -> list[Judged]:
        """The judged games by their rules."""
        return [each for each in self._by_game.values() if each.games]

    def show_others(self) -> None:
        """Says which games were not judged, and why."""
        for game, reason in self.reasons.items():
            say(f"Not judged: {counted(self.left_out[game], 'game')} of {game_in_words(game)}: {reason}")
        if self.refused:
            say(f"Left out: {counted(len(self.refused), 'damaged game')}")
            for problem in self.refused[:MOST_LISTED]:
                say_aside(problem)


def _show(judged: Judged, top: int) -> None:
    figures = judged.figures()
    title, value = game_in_words(judged.game), points(float(judged.judge.value(0)))
    say(f"{title}, {counted(len(judged.games), 'game')}; value {value} to player_0")
    say("Costs of moves are exact; means over games are sampled, with 99 % intervals. All are payoff points.")
    headings = ("moves", "without cost", "total cost", "cost per game")
    table = new_table("what moves cost against an optimal reply", "player", *headings)
    for name, each in figures.items():
        table.add_row(name, f"{each.moves:,}", f"{each.free:,}", points(each.total, DIGITS), _interval(each.cost))
    out.print(table)
    ratings, headings = judged.elo(), ("payoff per game", "won", "tied", "lost", "Elo", "variance ratio")
    table = new_table("results, sampled", "player", *headings)
    for name, each in figures.items():
        rating = f"{ratings[name]:.0f}" if name in ratings else ""
        ratio = "" if each.spread is None else f"{each.spread:.2f}"
        table.add_row(name, _interval(each.payoff), *(f"{number:,}" for number in each.results), rating, ratio)
    out.print(table)
    say("variance ratio: of payoffs per game to costs per game; so many times more games does a mean payoff need")
    say("for an interval as narrow. Elo: of these games only.")
    _show_by_number(figures)
    if unjudged := sum(each.unjudged for each in figures.values()):
        say(f"{counted(unjudged, 'move')} without a cost: the opponent's equilibrium strategy never leads there.")
    moves, places = judged.findings()
    _show_findings("The most expensive moves, exact", moves[:top], False)
    _show_findings("Where most was lost in all games together, exact", places[:top], True)


def _show_by_number(figures: dict[str, Figures]) -> None:
    names = (Column(name, justify="right", overflow="fold") for name in figures)
    table = Table("move", *names, title="mean cost of a move, sampled")
    for number in sorted({number for each in figures.values() for number in each.by_number}):
        table.add_row(str(number), *(_interval(each.by_number.get(number)) for each in figures.values()))
    if out.measure(table).minimum <= out.width:  # more players are only in the picture
        out.print(table)


def _show_findings(title: str, findings: Sequence[Finding], in_total: bool) -> None:
    if findings:
        say(f"{title}:")
    for number, each in enumerate(findings, 1):
        decision = each.decision
        cost = f"{points(decision.verdict.cost)}{f', {points(each.total, DIGITS)} in all' if in_total else ''}"
        say(
            f"{number}. {each.name} (player_{decision.seat}) played {decision.action}; best: "
            f"{' or '.join(decision.best)}; cost {cost}; {counted(each.times, 'time')}, first in {each.where}"
        )
        say(textwrap.indent(decision.seen, "   "))


def _interval(interval: Interval | None) -> str:
    if interval is None:
        return ""
    return f"{points(interval.mean, DIGITS)} ({points(interval.low, DIGITS)} to {points(interval.high, DIGITS)})"


def _plain(work: _Work, judged: Sequence[Judged], top: int) -> dict[str, Any]:
    """Returns the report as JSON data."""
    left_out = [
        {"game": game_in_words(game), "games": work.left_out[game], "reason": reason}
        for game, reason in work.reasons.items()
    ]
    kinds = {"exact": EXACT, "sampled": SAMPLED}
    return {"judged": [_group(each, top) for each in judged], "not_judged": left_out, "refused": work.refused, **kinds}


def _group(judged: Judged, top: int) -> dict[str, Any]:
    ratings, (moves, places) = judged.elo(), judged.findings()
    players = {
        name: {
            "games": each.games,
            "moves": each.moves,
            "unjudged": each.unjudged,
            "free": each.free,
            "total": each.total,
            "cost_per_game": each.cost and each.cost._asdict(),
            "payoff_per_game": each.payoff and each.payoff._asdict(),
            **dict(zip(("won", "tied", "lost"), each.results, strict=True)),
            "elo": rating if math.isfinite(rating := ratings.get(name, math.nan)) else None,
            "variance_ratio": each.spread,
            "cost_by_move": {str(number): interval._asdict() for number, interval in each.by_number.items()},
        }
        for name, each in judged.figures().items()
    }
    return {
        "game": judged.game.facts.name,
        "parameters": json_parameters(judged.game),
        "games": len(judged.games),
        "value": float(judged.judge.value(0)),
        "players": players,
        "dearest_moves": [_finding(each) for each in moves[:top]],
        "dearest_positions": [_finding(each) for each in places[:top]],
    }


def _finding(finding: Finding) -> dict[str, Any]:
    decision = finding.decision
    return {
        "player": finding.name,
        "seat": decision.seat,
        "saw": decision.seen,
        "played": decision.action,
        "best": decision.best,
        "cost": decision.verdict.cost,
        "times": finding.times,
        "total": finding.total,
        "first": finding.where,
    }
