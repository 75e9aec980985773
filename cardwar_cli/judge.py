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
from baselines.system.files import require_plain, require_writable
from cardwar_cli.console import AsJson, advancing, new_table, out, say, say_aside
from cardwar_envs import Game
from cardwar_envs.core.texts import counted
from train.text.game_names import game_in_words, json_parameters
from train.text.printing import points

if TYPE_CHECKING:
    from cardwar_play.judged import Finding, Judged
    from cardwar_play.recorded.played import Played

DIGITS = 4
FINDINGS = {
    "dearest_moves": "The most expensive moves, exact",
    "dearest_states": "Information states where most was lost in all games, exact",
}
# Entries of --json by the kind of figure.
EXACT = ("value", "moves", "free", "unjudged", "total_cost", *FINDINGS)
SAMPLED = ("cost_per_game", "payoff_per_game", "results", "elo", "nash_average", "cost_by_move")
# Findings and damaged games that are printed; --json has more.
MOST_SHOWN = 5


def judge(
    files: Annotated[list[Path], typer.Argument(metavar="FILE ...", help="Files of recorded games.")],
    folder: Annotated[
        Path | None,
        typer.Option("--out", metavar="DIR", file_okay=False, help="Folder for CSV files and a picture."),
    ] = None,
    skip: Annotated[
        bool, typer.Option("--skip-damaged", help="Leave out games that the rules do not allow, and list them.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Compute equilibria that take longer than a minute.")] = False,
    as_json: AsJson = False,
) -> None:
    """Judge recorded games: what each move cost against an optimal reply, exactly.

    Reads records of `cardwar play`, replays of Kaggle environments, traces of OpenSpiel, and a plain format, which any
    program can write: one JSON object a line.
    """
    written = []
    if folder is not None:
        from cardwar_play.judged_files import FILES, write_judged  # if matplotlib is missing, fail before judging

        written = [folder / name for name in FILES]
    for path in files:  # before the first is judged, so that a missing one loses no work
        require_plain(path)
    for path in written:
        require_writable(path, new_folders=True)
    work = _Work(skip, yes)
    interrupted = work.read(files)
    judged = [each for each in work.judged.values() if each.games]
    if not judged and interrupted is None:
        why = dict.fromkeys([*work.reasons.values(), *work.refused])
        raise ValueError(f"no game could be judged: {'; '.join(why)}")
    if as_json:
        print(json.dumps(_plain(work, judged) | {"interrupted": interrupted is not None}))
    else:
        _show_all(work, judged)
    if folder is not None and judged:
        write_judged(judged, folder)
        if not as_json:
            say("Written: " + ", ".join(map(str, written)))
    if interrupted is not None:
        say_aside("the figures are those of the games judged before the interruption")
        raise interrupted


class _Work:
    """Judged games by their rules, games that cannot be judged, and damaged ones."""

    def __init__(self, skip: bool, yes: bool) -> None:
        self._skip, self._yes = skip, yes
        self.judged: dict[Game[Any], Judged] = {}
        self.reasons: dict[Game[Any], str] = {}
        self.left_out: Counter[Game[Any]] = Counter()
        self.refused: list[str] = []

    def read(self, files: Sequence[Path]) -> KeyboardInterrupt | None:
        """Judges the games in all files until it is interrupted; raises ValueError for one damaged unless skipped."""
        from cardwar_play.readers import documents, read_game

        games = chain.from_iterable(map(documents, files))
        try:
            with advancing("games") as progress:
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
        from cardwar_play.judge import Judge
        from cardwar_play.judged import Judged
        from cardwar_play.seating import PATIENCE, TooLongError, find_equilibrium

        game = played.game
        if game not in self.judged and game not in self.reasons:
            seconds = math.inf if self._yes else PATIENCE
            try:
                with advancing(f"states of {game_in_words(game)}") as progress:
                    self.judged[game] = Judged(Judge(find_equilibrium(game, progress, seconds)))
            except TooLongError as wait:
                self.reasons[game] = f"computing its equilibrium {wait}; --yes computes it"
            except ValueError as error:
                self.reasons[game] = str(error)
        if game in self.judged:
            self.judged[game].add(played)
        else:
            self.left_out[game] += 1


def _show_all(work: _Work, judged: Sequence[Judged]) -> None:
    for each in judged:
        _show(each)
    for game, reason in work.reasons.items():
        say(f"Not judged: {counted(work.left_out[game], 'game')} of {game_in_words(game)}: {reason}")
    if work.refused:
        say("\n".join([f"Left out: {counted(len(work.refused), 'damaged game')}", *work.refused[:MOST_SHOWN]]))


def _show(judged: Judged) -> None:
    figures = judged.figures()
    title, value = game_in_words(judged.game), points(float(judged.judge.value(0)))
    say(f"{title}, {counted(len(judged.games), 'game')}; value {value} to player_0")
    say("Values and costs of moves are exact; means over games (with 99 % intervals), Elo and Nash averages sampled.")
    say("All but Elo are payoff points.")
    costs = new_table("what moves cost", "player", "moves", "without cost", "total cost", "cost per game")
    results = new_table("results", "player", "payoff per game", "won/tied/lost", "Elo", "Nash\naverage")
    for name, each in figures.items():
        total, average = points(each.total_cost, DIGITS), points(each.nash_average, DIGITS)
        costs.add_row(name, f"{each.moves:,}", f"{each.free:,}", total, _interval(each.cost_per_game))
        won = "/".join(f"{number:,}" for number in each.results)
        results.add_row(name, _interval(each.payoff_per_game), won, points(each.elo, 0), average)
    out.print(costs, results)
    if unjudged := sum(each.unjudged for each in figures.values()):
        say(f"{counted(unjudged, 'move')} not judged, because the opponent's equilibrium strategy never leads there.")
    for heading, findings in zip(FINDINGS.values(), judged.findings(), strict=True):
        _show_findings(heading, findings[:MOST_SHOWN])


def _show_findings(heading: str, findings: Sequence[Finding]) -> None:
    if findings:
        say(f"{heading}:")
    for number, each in enumerate(findings, 1):
        best, total = " or ".join(each.best), points(each.total, DIGITS)
        seat = f" (player_{each.seat})"  # the name of a player who plays against itself has it
        said = f"{each.player.removesuffix(seat)}{seat} played {each.played}, best was {best}: cost {points(each.cost)}"
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
            "players": {
                name: own._asdict() | {"elo": own.elo if math.isfinite(own.elo or 0.0) else None}
                for name, own in each.figures().items()
            },
            **{
                name: [finding._asdict() for finding in findings]
                for name, findings in zip(FINDINGS, each.findings(), strict=True)
            },
        }
        for each in judged
    ]
    return {"judged": groups, "not_judged": left_out, "refused": work.refused, "exact": EXACT, "sampled": SAMPLED}
