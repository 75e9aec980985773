"""Solving a game: the door to all solvers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from baselines.oracle import Progress, Request, Selection, require_two_zero_sum
from baselines.oracles import solver_for
from baselines.results import Solution
from cardwar_envs.core.game import Game, require_game
from cardwar_envs.core.kept import kept_for_games
from cardwar_envs.core.policy import Policy, plays


def solve(
    game: Game[Any],
    *,
    selection: Selection = "default",
    exact: bool | None = None,
    max_states: int | None = None,
    progress: Progress | None = None,
    engine: str | None = None,
    keep_layers: int | None = None,
    cache: str | Path | None = None,
) -> Solution:
    """Finds an equilibrium.

    The certificate `gap` is about the rules as the game tells them. Whether they tell the truth (facts, claims,
    observations) is for `cardwar_envs.check_game` to say.

    Args:
        game: A two-player zero-sum game of public state that always ends, or one in which both
            players move once on private information.
        selection: Which optimal strategy to play where there are several: "default",
            "max_entropy", "exploit:POLICY" with the name of a policy, or an `Exploit` with a
            policy object; see `baselines.graph.selection`. Values are the same for all. The default plays
            every card alike in games where that is optimal at every state (Dinosaur War, Dice Wars).
        exact: Compute in rationals (small games): `Solution.exact` is then the value as a
            fraction, and values and strategies are roundings of exact ones. If None, only where
            that costs nothing (games on private information with few types).
        max_states: Give up beyond so many matrix games. The default is a million, or three thousand
            million for a duel that is solved by words. In a game of many rounds the limit is on
            positions; the default is four million.
        progress: Called now and then with the number of states done. If it has a method `expect`, that is
            called first with how many there will be, where this is known.
        engine: Where a large duel is solved: "threads" (the default) or "ray". This and the next two are
            for duels in which only the order of ranks matters.
        keep_layers: Keep the values of the states with most cards left, so many numbers of cards; all if None.
        cache: Folder that keeps values; those that are there and whole are not computed again.

    Returns:
        A `StateSolution`, or a `PrivateSolution` of a game on private information, with its certificate.

    Raises:
        ValueError: If the game is of another kind or too large, there is no such selection, an option does
            not fit the game, or rationals are asked for with another selection than the default.
        ModuleNotFoundError: If Ray is asked for and not installed.
    """
    require_game(game)
    require_two_zero_sum(game, "solving")
    folder = None if cache is None else Path(cache)
    request = Request(selection, exact, max_states, progress, engine, keep_layers, folder)
    return solver_for(game, request).solve(request)


def _is_zero_sum_for_two(game: Game[Any]) -> bool:
    return game.facts.num_players == 2 and game.facts.zero_sum


@plays(_is_zero_sum_for_two)
@kept_for_games(8)
def equilibrium(game: Game[Any], selection: str = "default") -> Policy:
    """The policy `equilibrium` or `equilibrium:SELECTION`; kept for the next time it is asked for."""
    return solve(game, selection=selection).policy
