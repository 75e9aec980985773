"""Solving games: the equilibrium that `baselines.solve` returns, and the policy that plays it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from baselines.oracles.answers.estimates import Refusing
from baselines.oracles.answers.protocol import Progress, Request, Selection
from baselines.oracles.answers.results import Solution
from baselines.oracles.choice import solver_for
from cardwar_envs.core.cached import cached_by_game
from cardwar_envs.core.constant_sum import is_constant_sum, proved_sums, require_constant_sum, zero_sum_form
from cardwar_envs.core.game import Game
from cardwar_envs.core.policy import Policy
from cardwar_envs.core.policy_names import plays


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
    """Computes an equilibrium.

    The certificate `gap` assumes that the rules are consistent, which `cardwar_envs.check_game` checks.

    Args:
        game: A two-player zero-sum or constant-sum game that always ends. With hidden information over several moves,
            its histories must be few enough to list, and observations must hold everything that a player has seen.
        selection: Which of several equilibria to return: "default", "max_entropy", "exploit:POLICY" with a policy's
            name, or an `Exploit` with a policy object; see `baselines.oracles.state_graph.selection`. All have the same
            value. The default plays uniformly where that is optimal at every state (Dinosaur War, Dice Wars).
        exact: Whether to use rational arithmetic, which suits small games. `Solution.exact` is then the value as a
            fraction, `labelled` returns fractions, and other values and strategies are rounded from exact ones. None
            means True for games with private information and few types, where rationals are cheap, else False.
        max_states: Maximum number of matrix games; by default a million, or three billion for a duel in which only the
            order of ranks matters. In a game of many rounds, the maximum number of positions, by default four million.
        progress: Called with the number of states solved so far. If it has a method `expect`, that is first called with
            the total, where known.
        engine: The parallel backend: "threads" (the default) or "ray". This option and the next two apply to duels and
            Goofspiel in which only the order of ranks matters, `cache` also to hidden information.
        keep_layers: Number of layers whose values stay in memory, starting with the most cards left; all if None.
        cache: Folder in which values are stored between runs. With hidden information over several moves, regret
            minimisation stores its state there and goes on from it.

    Returns:
        A `StateSolution` with its certificate; for a game with private information a `PrivateSolution` if both players
        move once, else a `TreeSolution`.

    Raises:
        ValueError: If the game is unsupported or too large, the selection is unknown, an option does not fit the game,
            or `exact` is combined with a selection other than the default.
        ModuleNotFoundError: If Ray is requested and not installed.
    """
    others = "; for other games there are equilibria (cardwar equilibria) and nash_conv (cardwar exploit)"
    require_constant_sum(game, "solving", others)
    folder = None if cache is None else Path(cache)
    request = Request(selection, exact, max_states, progress, engine, keep_layers, folder)
    form, sums = zero_sum_form(game), proved_sums(game)
    solution = solver_for(form, request)(form, request)
    return solution if sums is None else solution.of_constant_sum(game, sums)


@plays(is_constant_sum)
@cached_by_game(8)
def equilibrium(game: Game[Any], selection: str = "default") -> Policy:
    """Plays optimally: nobody can win more from it than from another perfect player.

    The name is `equilibrium` or `equilibrium:SELECTION`. Raises a ValueError if solving would take long.
    """
    refusing = Refusing(
        f"the equilibrium of {game.facts.name}", "solve the game first, and pass baselines.solve(game).policy"
    )
    return solve(game, selection=selection, progress=refusing).policy
