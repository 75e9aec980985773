"""Prints optimal play: mixed strategies by action or private information, and the payoff matrix."""

from __future__ import annotations

import math
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.table import Table

import baselines
from baselines.display.at_state import verdict
from baselines.display.html import ROUNDED, Number, number, short
from cardwar_cli.console import new_table, out, say
from cardwar_cli.state_words import state_in_words
from cardwar_envs import Transition

if TYPE_CHECKING:
    from baselines.display.at_state import PlayAt

MAX_ROWS = 40
# Maximum number of actions listed with ranges in a line.
MAX_NAMED = 6
# Maximum size of the payoff matrix shown at the start.
MAX_CELLS = 64
# Maximum number of initial states shown.
MAX_STARTS = 6


def show_start(solution: baselines.Solution, command: str) -> None:
    """Shows both players' strategies, at the start of the game or by private information; `command` solves the game."""
    if not isinstance(solution, baselines.StateSolution):
        _show_behaviour(solution)
    if isinstance(solution, baselines.PrivateSolution) and solution.quick_ranges:
        _say_freedom_of(solution)
    elif isinstance(solution, baselines.StateSolution):
        starts = solution.game.initial()
        several = len(starts) > 1
        if several:
            say(f"{len(starts):,} initial states")
        for start, play in plays_at_starts(solution, MAX_STARTS):
            if several:
                say(f"\nwith probability {start.probability}, worth {number(play.value, play.exact)} to player_0:")
                say(play.description)
            if play.matrix.size > MAX_CELLS:
                size = " x ".join(map(str, play.matrix.shape))
                say(f"The payoff matrix, {size}, is not shown; --json has it, and --state prints it for one state.")
            _show_play(play, "at the start ", MAX_CELLS)
        if several:
            more = f"{len(starts) - MAX_STARTS:,} more initial states; " if len(starts) > MAX_STARTS else ""
            text = shlex.quote(state_in_words(starts[: MAX_STARTS + 1][-1].state))
            say(f"\n{more}to show play at one of them: {command} --state {text}")


def _show_behaviour(solution: baselines.Solution) -> None:
    if isinstance(solution, baselines.TreeSolution):
        for player, strategy in enumerate(solution.labelled()):
            out.print(_information_states(player, strategy))
    else:
        out.print(behaviour_table(solution.labelled()))


def plays_at_starts(solution: baselines.StateSolution, most: int) -> Iterator[tuple[Transition[Any], PlayAt]]:
    """The first initial states in which a player acts, each with optimal play."""
    for start in solution.game.initial()[:most]:
        if solution.game.acting_players(start.state):
            yield start, solution.at(start.state)


def show_state(play: PlayAt) -> None:
    """Shows the state, its value, the payoff matrix, and both mixed strategies with their uniqueness."""
    say(play.description)
    say(f"value to go {number(play.value, play.exact)} to player_0")
    _show_play(play, "", math.inf)


def _show_play(play: PlayAt, where: str, most: float) -> None:
    """Shows the matrix if it has at most that many cells, the strategies, and whether they are the only optimal ones.

    If they are not, it prints ranges: `3 anywhere in 0.1..0.45`.
    """
    for line in matrix_lines(play) if play.matrix.size <= most else ():
        say(line)
    out.print(strategy_table(play, where))
    for player, mix in enumerate(play.mixes):
        if mix.actions:
            _say_freedom(player, mix.unique, mix.free())


def _say_freedom(player: int, unique: bool | None, ranges: Sequence[tuple[str, Number, Number]]) -> None:
    how = "; use --exact" if unique is None else ""
    free = f": {_anywhere(ranges)}" if ranges else ""
    say(f"player_{player} plays {verdict(unique)}{how}{free}")


def _anywhere(ranges: Sequence[tuple[str, Number, Number]]) -> str:
    free = [f"{action} anywhere in {short(low, 4)}..{short(high, 4)}" for action, low, high in ranges]
    more = f" and {len(free) - MAX_NAMED} more" if len(free) > MAX_NAMED else ""
    return f"{', '.join(free[:MAX_NAMED])}{more}"


def _say_freedom_of(solution: baselines.PrivateSolution) -> None:
    for player in (0, 1):
        unique = solution.unique(player)
        _say_freedom(player, unique, ())
        if unique is False:
            _say_freedom_by_type(solution.ranges(player) or {})


def _say_freedom_by_type(ranges: Mapping[str, Mapping[str, tuple[Number, Number]]]) -> None:
    """Prints a line for each type: `with type 3: call anywhere in 0..1`."""
    for type_, bounds in ranges.items():
        free = [(action, low, high) for action, (low, high) in bounds.items() if low < high]
        fixed = ", ".join(f"{action} {short(low, 4)}" for action, (low, _) in bounds.items() if low)
        say(f"  with type {type_}: {_anywhere(free) if free else f'{fixed} in all of them'}")


def matrix_lines(play: PlayAt) -> list[str]:
    """Formats the payoff matrix in columns."""
    rows, columns = play.headings
    payoffs = play.matrix.tolist() if play.exact_matrix is None else play.exact_matrix
    cells = [[short(payoff, 4) for payoff in row] for row in payoffs]
    width = max(len(text) for text in (*columns, *(cell for row in cells for cell in row)))
    left = max(map(len, rows))
    lines = ["payoff to player_0, to go; player_0 plays a row, player_1 a column"]
    for heading, row in zip(("", *rows), (columns, *cells), strict=True):
        lines.append("  ".join([heading.rjust(left), *(cell.rjust(width) for cell in row)]))
    return lines


def _add_row(table: Table, name: str, probabilities: Iterable[Number | None]) -> None:
    """Adds a row, and a caption if a fraction in it was rounded."""
    cells = ["" if probability is None else number(probability) for probability in probabilities]
    table.add_row(name, *cells)
    if any(cell.startswith(ROUNDED) for cell in cells):
        table.caption = f"{ROUNDED}: a fraction too long to show; --json prints it"


def behaviour_table(strategies: list[dict[str, Any]]) -> Table:
    """Probabilities with a row per private information and a column per action."""
    shown = list(dict.fromkeys(type_ for strategy in strategies for type_ in strategy))
    actions = list(dict.fromkeys((p, action) for p in (0, 1) for mix in strategies[p].values() for action in mix))
    table = new_table("equilibrium (probability)", "sees", *(f"player_{player} {action}" for player, action in actions))
    for type_ in shown[:MAX_ROWS]:
        _add_row(table, type_, (strategies[p].get(type_, {}).get(a) for p, a in actions))
    if len(shown) > MAX_ROWS:
        table.caption = f"the first {MAX_ROWS} of {len(shown)}; --json prints all"
    return table


def _information_states(player: int, strategy: Mapping[str, Mapping[str, Number]]) -> Table:
    """A player's probabilities with a row per information state, whose names can be long."""
    table = new_table(f"equilibrium of player_{player} (probability)", "sees", "plays", show_lines=True)
    for seen, mix in list(strategy.items())[:MAX_ROWS]:
        table.add_row(seen, "\n".join(f"{action} {number(share)}" for action, share in mix.items() if share))
    if len(strategy) > MAX_ROWS:
        table.caption = f"the first {MAX_ROWS} of {len(strategy)}; --json prints all"
    return table


def strategy_table(play: PlayAt, where: str) -> Table:
    """Probabilities with a row per action, so that long hands fit a narrow terminal."""
    strategies: list[dict[str, Any]] = [mix.labelled() for mix in play.mixes]
    table = new_table(f"equilibrium {where}(probability)", "play", "player_0", "player_1")
    for action in play.actions:
        _add_row(table, action, (strategy.get(action) for strategy in strategies))
    return table
