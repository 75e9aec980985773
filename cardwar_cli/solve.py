"""`cardwar solve`: computes an equilibrium and shows it."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Annotated, Any

import typer

import baselines
from baselines.display.html import fraction, number
from baselines.oracles.answers.estimates import Announced
from baselines.oracles.answers.results import RANGE_TOLERANCE
from cardwar_cli.arguments import GameName, MaxStates, Words
from cardwar_cli.console import AsJson, advancing, print_json, say, say_aside, say_identity
from cardwar_cli.mixes import plays_at_starts, show_start, show_state
from cardwar_cli.state_words import state_from, state_in_words
from cardwar_envs import Game
from cardwar_envs.core.rules import TooLargeError
from train.text.game_names import game_from_words

NEWLINE = "\n"
# Maximum number of initial states in --json.
MOST_STARTS = 100


@contextmanager
def _ray_aside(engine: str | None) -> Iterator[None]:
    """Keeps other output off stdout, which is reserved for the result, and Ray's errors to one line.

    Raises:
        OSError: If the cluster failed, for instance because the node of this process was lost.
    """
    with redirect_stdout(_FirstLines() if engine == "ray" else sys.stderr):
        try:
            yield
        except Exception as error:
            ray = sys.modules.get("ray") if engine == "ray" else None
            # Ray's own OSErrors are about its sockets.
            lost = isinstance(error, OSError) and error.errno is None
            if ray is None or not (lost or isinstance(error, ray.exceptions.RayError)):
                raise
            cause = getattr(error, "cause", None)  # of an error in a task
            raise cause or OSError(f"Ray cluster: {str(error).partition(NEWLINE)[0]}") from error
        finally:
            if engine == "ray" and (ray := sys.modules.get("ray")):
                ray.shutdown()


class _FirstLines(StringIO):
    """Passes the first line of each message to stderr: Ray adds some twenty lines of its log if a node is lost."""

    def write(self, text: str) -> int:
        end = NEWLINE if text.endswith(NEWLINE) else ""
        sys.stderr.write(text.partition(NEWLINE)[0] + end)
        return len(text)


def solve(
    game: GameName,
    words: Words = None,
    exact: Annotated[bool | None, typer.Option(help="Use exact rational arithmetic (small games).")] = None,
    engine: Annotated[
        str | None, typer.Option(metavar="threads|ray", help="Parallel backend for large duels; default threads.")
    ] = None,
    keep_layers: Annotated[
        int | None,
        typer.Option(help="Number of layers whose values stay in memory, most cards first (large duels); default all."),
    ] = None,
    cache: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="Store values in this folder and resume from them (large duels, hidden moves)."
        ),
    ] = None,
    state: Annotated[
        str | None,
        typer.Option(metavar="TEXT", help='Show play at this state, e.g. "hands=1,3/2,3 score=1 ties=0".'),
    ] = None,
    selection: Annotated[
        str,
        typer.Option(
            metavar="default|max_entropy|exploit:POLICY", help="Which optimal strategy to show if there are several."
        ),
    ] = "default",
    max_states: MaxStates = None,
    as_json: AsJson = False,
) -> None:
    """Compute an equilibrium, the value of the game, and a certified error bound.

    Shows both players' strategies at the start, or at another state with --state. In --json, `strategies` has one entry
    per player; if the game has several starts or private information, that maps each start or type to a strategy.
    """
    rules = game_from_words(game, words or [])
    shown_state = None if state is None else checked_state(state, rules)
    settings: dict[str, Any] = {"selection": selection, "exact": exact, "max_states": max_states}
    try:
        unit = "iterations" if not rules.facts.public_state else "matrix games" if exact else "states"
        with _ray_aside(engine), advancing(unit) as progress:
            announced = Announced(say_aside, progress)
            solution = baselines.solve(
                rules, progress=announced, engine=engine, keep_layers=keep_layers, cache=cache, **settings
            )
    except TooLargeError as error:
        from cardwar_play.seating import smaller_instead  # imports much that other calls do not need

        raise ValueError(f"{error}{smaller_instead(rules, **settings)}") from None
    play = None
    if shown_state is not None and isinstance(solution, baselines.StateSolution):
        play = solution.at(shown_state)
    if as_json:
        more: dict[str, Any] = {} if engine is None else {"engine": engine}
        more |= {} if selection == "default" else {"selection": selection}
        more |= {} if play is None else {"state": state_in_words(shown_state), "at_state": play.as_data()}
        print_json(rules, **solution_data(solution), **more)
        return
    _say_how(" ".join([game, *(words or [])]), solution)
    say_identity(rules)
    if play is None:
        given = {"--exact": exact, f"--selection={selection}": selection != "default"}
        options = [option for option, is_given in given.items() if is_given]
        show_start(solution, shlex.join(["cardwar", "solve", game, *(words or []), *options]))
    else:
        show_state(play)


def _say_how(title: str, solution: baselines.Solution) -> None:
    """Prints the value and how it was computed."""
    say(f"{title}: value {number(solution.value, solution.exact)} to player_0{solution.other_value}")
    stored = "" if solution.solved == solution.states else f" ({solution.solved:,} now, the others before)"
    say(
        f"{solution.states:,} {solution.unit}{stored} by {solution.method} in {solution.seconds:.2f} s, "
        f"{solution.certificate}"
    )


def checked_state(text: str, game: Game[Any]) -> Any:
    """The state given by --state.

    Raises:
        ValueError: If players do not see the state, the text is not a state, or the game is over in that state.
    """
    if not game.facts.public_state:
        raise ValueError(
            f"--state ({text}) does not apply to {game.facts.name}: players do not see the state; "
            "without --state, strategies are shown by information state"
        )
    state = state_from(text, game)
    if not game.acting_players(state):
        raise ValueError(f"--state ({text}): the game is over in this state")
    return state


def with_leaves(tree: Any, convert: Callable[[Any], Any]) -> Any:
    """Converts every number in nested sequences and dicts."""
    if isinstance(tree, dict):
        return {key: with_leaves(part, convert) for key, part in tree.items()}
    return [with_leaves(part, convert) for part in tree] if isinstance(tree, list | tuple) else convert(tree)


def _labelled(solution: baselines.StateSolution) -> list[dict[str, Any]]:
    """Both players' strategies at the start; if there are several, a dict from start to strategy for each player."""
    if len(solution.game.initial()) == 1:
        return solution.labelled()
    states = [start.state for start, _ in plays_at_starts(solution, MOST_STARTS)]
    at_starts = {state_in_words(state): solution.labelled(state) for state in states}
    return [{state: strategies[player] for state, strategies in at_starts.items()} for player in (0, 1)]


def solution_data(solution: baselines.Solution) -> dict[str, Any]:
    """The solution as JSON data; if players see the state, it includes optimal play at initial states."""
    starts: dict[str, Any] = {}
    if isinstance(solution, baselines.StateSolution):
        starts["starts"] = [
            {"probability": str(start.probability), "state": state_in_words(start.state), **play.as_data()}
            for start, play in plays_at_starts(solution, MOST_STARTS)
        ]
        strategies = _labelled(solution)
    else:
        strategies = solution.labelled()
        if isinstance(solution, baselines.PrivateSolution) and solution.quick_ranges:
            ranges = [solution.ranges(player) for player in (0, 1)]
            starts["determined"] = [found is not None for found in ranges]
            starts["ranges"] = [found and with_leaves(found, float) for found in ranges]
            if solution.exact is None:
                starts["ranges_tolerance"] = RANGE_TOLERANCE
            else:
                starts["exact_ranges"] = with_leaves(ranges, fraction)
    return {
        "value": solution.value,
        **({"values": solution.values} if solution.other_value else {}),
        "gap": solution.gap,
        **({} if solution.exact is None else {"exact": fraction(solution.exact)}),
        "strategies": with_leaves(strategies, float),
        **({} if solution.exact is None or not strategies else {"exact_strategies": with_leaves(strategies, fraction)}),
        **starts,
        "states": solution.states,
        "solved_now": solution.solved,
        "seconds": solution.seconds,
        "method": solution.method,
    }
