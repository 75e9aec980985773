"""`cardwar judge`: reads recorded games and reports the exact cost of every move."""

from __future__ import annotations

import json
import math
import textwrap
from collections import Counter
from collections.abc import Sequence
from itertools import chain, count
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from baselines.matches.intervals import Interval
from baselines.system.files import require_writable
from cardwar_cli.console import AsJson, advancing, new_table, out, say, say_aside
from cardwar_envs import Game
from cardwar_envs.core.texts import counted
from train.text.game_names import game_in_words, json_parameters
from train.text.printing import points

if TYPE_CHECKING:
    from cardwar_play.judged import Finding, Judged
    from cardwar_play.recorded.played import Played

DIGITS = 4
FINDINGS = ("The most expensive moves, exact", "Information states where most was lost in all games, exact")
# Entries of --json by the kind of figure.
EXACT = ("value", "free", "total_cost", "moves", "states")
SAMPLED = ("cost_per_game", "payoff_per_game", "results", "variance_ratio", "cost_by_move", "elo")
# Findings and damaged games that are shown; --json has more findings, and all damaged games.
MOST_SHOWN, MOST_IN_JSON = 5, 100
# Players whose costs at each move are printed; those of more are in --json and the picture.
MOST_SIDE_BY_SIDE = 3


def _print_schema(wanted: bool) -> None:
    if wanted:
        from cardwar_play.recorded.plain import PlainGame

        print(json.dumps(PlainGame.model_json_schema(), indent=2))
        raise typer.Exit


def judge(
    files: Annotated[
        list[Path] | None,
        typer.Argument(metavar="FILE ...", help="Files of recorded games; - reads from stdin.", show_default=False),
    ] = None,
    folder: Annotated[
        Path | None,
        typer.Option("--out", metavar="DIR", file_okay=False, help="Folder for CSV files and a picture."),
    ] = None,
    skip: Annotated[
        bool, typer.Option("--skip-damaged", help="Leave out games that the rules do not allow, and list them.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Compute equilibria that take longer than a minute.")] = False,
    schema: Annotated[
        bool,
        typer.Option(
            "--schema", help="Print the JSON schema of the plain format.", is_eager=True, callback=_print_schema
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Judge recorded games: what each move cost against an optimal reply, exactly.

    Reads records of `cardwar play`, replays of Kaggle environments, traces of OpenSpiel, and a plain format, which any
    program can write: one JSON object a line.
    """
    if not files:
        raise ValueError("no FILE is given; name files of recorded games, or - for stdin")
    written = [] if folder is None else _files_in(folder)
    work = _Work(skip, yes)
    interrupted = work.read(files)
    judged = [each for each in work.by_game.values() if each.games]
    if not judged and interrupted is None:
        why = dict.fromkeys([*work.reasons.values(), *work.refused])
        raise ValueError(f"no game could be judged: {'; '.join(why)}")
    if as_json:
        print(json.dumps(_plain(work, judged) | {"interrupted": interrupted is not None}))
    else:
        _show_all(work, judged)
    if folder is not None and judged:
        from cardwar_play.judged_files import write_judged

        write_judged(judged, folder)
        if not as_json:
            say("Written: " + ", ".join(map(str, written)))
    if interrupted is not None:
        say_aside("the figures are those of the games judged before the interruption")
        raise interrupted


def _files_in(folder: Path) -> list[Path]:
    """Returns the files to write; fails before the games are judged if that will be impossible."""
    from cardwar_play.judged_files import FILES  # needs matplotlib

    files = [folder / name for name in FILES]
    for path in files:
        require_writable(path, new_folders=True)
    return files


class _Work:
    """Judged games by their rules, games that cannot be judged, and damaged ones."""

    def __init__(self, skip: bool, yes: bool) -> None:
        self._skip, self._yes = skip, yes
        self.by_game: dict[Game[Any], Judged] = {}
        self.reasons: dict[Game[Any], str] = {}
        self.left_out: Counter[Game[Any]] = Counter()
        self.refused: list[str] = []

    def read(self, files: Sequence[Path]) -> KeyboardInterrupt | None:
        """Judges the games in all files until it is interrupted; raises ValueError for one damaged unless skipped."""
        from cardwar_play.readers import documents, read_game

        try:
            with advancing("games") as progress:
                games = chain.from_iterable(map(documents, files))
                for number in count(1):
                    try:
                        self._add(read_game(*next(games)))
                    except ValueError as error:
                        if not self._skip:
                            raise ValueError(f"{error}; --skip-damaged judges the others") from None
                        self.refused.append(str(error))
                    progress(number)
        except KeyboardInterrupt as interruption:
            return interruption
        except StopIteration:
            pass
        return None

    def _add(self, played: Played) -> None:
        game = played.game
        if game not in self.by_game and game not in self.reasons:
            self._solve(game)
        if game in self.reasons:
            self.left_out[game] += 1
        else:
            self.by_game[game].add(played)

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
            self.by_game[game] = Judged(Judge(solution))


def _show_all(work: _Work, judged: Sequence[Judged]) -> None:
    for each in judged:
        _show(each)
    for game, reason in work.reasons.items():
        say(f"Not judged: {counted(work.left_out[game], 'game')} of {game_in_words(game)}: {reason}")
    if work.refused:
        say(f"Left out: {counted(len(work.refused), 'damaged game')}, such as these:")
    for problem in work.refused[:MOST_SHOWN]:
        say(problem)


def _show(judged: Judged) -> None:
    figures, ratings = judged.figures(), judged.elo()
    title, value = game_in_words(judged.game), points(float(judged.judge.value(0)))
    say(f"{title}, {counted(len(judged.games), 'game')}; value {value} to player_0")
    say("Costs of moves are exact. Means over games are sampled, with 99 % intervals. All are payoff points.")
    costs = new_table("what moves cost", "player", "moves", "without cost", "total cost", "cost per game")
    results = new_table("results", "player", "payoff per game", "won / tied / lost", "Elo", "variance ratio")
    for name, each in figures.items():
        total, ratio = points(each.total_cost, DIGITS), points(each.variance_ratio, 2)
        costs.add_row(name, f"{each.moves:,}", f"{each.free:,}", total, _interval(each.cost_per_game))
        won = " / ".join(f"{number:,}" for number in each.results)
        results.add_row(name, _interval(each.payoff_per_game), won, points(ratings.get(name), 0), ratio)
    out.print(costs, results)
    if len(figures) <= MOST_SIDE_BY_SIDE:
        moves = new_table("mean cost of a move", "move", *figures)
        for number in sorted({number for each in figures.values() for number in each.cost_by_move}):
            moves.add_row(str(number), *(_interval(each.cost_by_move.get(number)) for each in figures.values()))
        out.print(moves)
    say("Variance ratio, of payoffs to costs per game: a mean payoff needs so many times more games to be as certain.")
    if unjudged := sum(each.unjudged for each in figures.values()):
        say(f"{counted(unjudged, 'move')} not judged, because the opponent's equilibrium strategy never leads there.")
    for heading, findings in zip(FINDINGS, judged.findings(), strict=True):
        _show_findings(heading, findings[:MOST_SHOWN])


def _show_findings(heading: str, findings: Sequence[Finding]) -> None:
    if findings:
        say(f"{heading}:")
    for number, each in enumerate(findings, 1):
        best, total = " or ".join(each.best), points(each.total, DIGITS)
        said = f"{each.player} (player_{each.seat}) played {each.played}, best was {best}: cost {points(each.cost)}"
        say(f"{number}. {said}; {total} in {counted(each.times, 'move')} here, first in {each.first}")
        say(textwrap.indent(each.saw, "   "))


def _interval(interval: Interval | None) -> str:
    if interval is None:
        return ""
    mean, low, high = (points(end, DIGITS) for end in interval)
    return f"{mean} [{low}, {high}]"


def _plain(work: _Work, judged: Sequence[Judged]) -> dict[str, Any]:
    """Returns the report as JSON data; intervals are lists of the mean and both ends."""
    left_out = [
        {"game": game_in_words(game), "games": work.left_out[game], "reason": reason}
        for game, reason in work.reasons.items()
    ]
    groups = [
        {
            "game": each.game.facts.name,
            "parameters": json_parameters(each.game),
            "games": len(each.games),
            "value": float(each.judge.value(0)),
            "players": {name: figures._asdict() for name, figures in each.figures().items()},
            "elo": {name: rating if math.isfinite(rating) else None for name, rating in each.elo().items()},
            **{
                name: [finding._asdict() for finding in findings[:MOST_IN_JSON]]
                for name, findings in zip(("moves", "states"), each.findings(), strict=True)
            },
        }
        for each in judged
    ]
    return {"judged": groups, "not_judged": left_out, "refused": work.refused, "exact": EXACT, "sampled": SAMPLED}
