"""Exact computations: equilibrium, best response, NashConv, exploitability, head-to-head result."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal, cast, overload

from baselines.oracles.answers.estimates import Refusing
from baselines.oracles.answers.guards import InvarianceCheck, consistent
from baselines.oracles.answers.protocol import ExactOracle, Oracle, Progress, Request, Seats, Selection
from baselines.oracles.answers.results import BestResponse, HeadToHead, NashConv, Solution
from baselines.oracles.choice import exact_oracle_for, oracle_for, solver_for
from cardwar_envs.core.cached import cached_by_game
from cardwar_envs.core.game import Game, require_game, require_two_zero_sum
from cardwar_envs.core.parameters import whole_number
from cardwar_envs.core.policy import Policy
from cardwar_envs.core.policy_names import as_policies, plays, seated_policies


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
        game: A two-player zero-sum game that always ends and has a public state, or one in which both players move
            once, with private information.
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
            Goofspiel in which only the order of ranks matters.
        keep_layers: Number of layers whose values stay in memory, starting with the most cards left; all if None.
        cache: Folder in which values are stored between runs.

    Returns:
        A `StateSolution`, or a `PrivateSolution` for a game with private information, with its certificate.

    Raises:
        ValueError: If the game is unsupported or too large, the selection is unknown, an option does not fit the game,
            or `exact` is combined with a selection other than the default.
        ModuleNotFoundError: If Ray is requested and not installed.
    """
    require_game(game)
    require_two_zero_sum(game, "solving", "; nash_conv (cardwar exploit) measures policies of other games")
    folder = None if cache is None else Path(cache)
    request = Request(selection, exact, max_states, progress, engine, keep_layers, folder)
    return solver_for(game, request).solve(request)


@plays(lambda game: game.facts.num_players == 2 and game.facts.zero_sum)
@cached_by_game(8)
def equilibrium(game: Game[Any], selection: str = "default") -> Policy:
    """Plays optimally: nobody can win more from it than from another perfect player.

    The name is `equilibrium` or `equilibrium:SELECTION`. Raises a ValueError if solving would take long.
    """
    refusing = Refusing(
        f"the equilibrium of {game.facts.name}", "solve the game first, and pass baselines.solve(game).policy"
    )
    return solve(game, selection=selection, progress=refusing).policy


def best_response(
    game: Game[Any],
    policy: Seats,
    player: int = 0,
    *,
    max_states: int | None = None,
    illegal: str = "raise",
    exact: bool = False,
) -> BestResponse:
    """Computes an exact best response: its value and policy.

    Args:
        game: Either a game that always ends and has a public state and few enough states to enumerate (in a two-player
            game of many rounds: positions), or a game with private information in which both players move once. A duel
            in which only the order of ranks matters can have some ten million states. If it shows interleavings
            (`view="word"`) or the policy declares `by_words` (it plays the same in all states with the same
            interleaving), the computation runs over interleavings, of which there are far fewer. The same holds for
            Goofspiel, with up to 10 cards in random order; other policies of Goofspiel are measured at the states that
            they reach, unless `max_states` is given.
        policy: The others' policies: one for all seats, or one per seat (that of `player` is ignored). In a game of
            many rounds a policy is queried once per number of rounds left, or only once if it declares `stationary`.
        player: The player who responds.
        max_states: Maximum number of states (a million by default; 50 million for Goofspiel, and for duels in which
            only the order of ranks matters), or of positions in a game of many rounds (four million). The limit does
            not apply to games with private information, whose states are not enumerated.
        illegal: How to treat probability on illegal actions, which policies trained without masks can have. "raise"
            raises an error. "renormalise" removes it and rescales the rest; the figure is then that of the changed
            policy, and a warning and the result say how much was removed.
        exact: Whether to use rational arithmetic (games with private information, and games of up to 30,000 states
            unless `max_states` is given); the result then also has fractions. The policies must have exact
            probabilities: `uniform`, strategies without chance, an equilibrium solved with `exact=True` (as
            `"equilibrium"` is here), a `TablePolicy` of fractions, or your own with a method `exact_probabilities` that
            returns rows of fractions. Without that method, floats count if their values are the decimals that they
            are printed as, such as 0.5; others are refused.

    Raises:
        ValueError: If the game is unsupported or too large, the player does not exist, or a policy does not return
            probabilities. With "renormalise" also if a policy gives all probability to illegal actions somewhere. With
            `exact` also if a probability or payoff was rounded.
    """
    require_game(game)
    player = whole_number("player", player, range(game.facts.num_players))
    oracle, policies = _prepared(game, policy, max_states, illegal, exact)
    with consistent(game, _invariances(oracle, exact), policies, illegal, responder=player) as profile:
        response = (oracle.exact_response if exact else oracle.response)(profile.policies, player)
    return replace(response, removed=profile.removed, queries=profile.queries)


def _prepared(
    game: Game[Any], policy: Seats, max_states: int | None, illegal: str, exact: bool
) -> tuple[ExactOracle, list[Policy]]:
    """Returns an oracle, which computes in fractions only if `exact`, and one policy per seat.

    With `exact`, the name `equilibrium` stands for an equilibrium in rational arithmetic.
    """
    if not exact:
        return cast(ExactOracle, oracle_for(game, max_states)), as_policies(policy, game)
    oracle = exact_oracle_for(game, max_states)
    if illegal != "raise":
        raise ValueError(f"illegal ({illegal!r}) must be 'raise' if exact=True")

    def found(seat: Policy | str) -> Policy | str:
        return solve(game, exact=True).policy if seat == "equilibrium" else seat

    policies = found(policy) if isinstance(policy, str | Policy) else [found(seat) for seat in policy]
    return oracle, as_policies(policies, game)


def _invariances(oracle: Oracle, exact: bool) -> InvarianceCheck:
    """Returns the check of declared invariances; in rational arithmetic, every state is evaluated and none is used."""
    return (lambda policies: 0) if exact else oracle.check_invariances


def nash_conv(
    game: Game[Any], policy: Seats, *, max_states: int | None = None, illegal: str = "raise", exact: bool = False
) -> NashConv:
    """Computes the exact NashConv of a policy: the total and each player's gain.

    Args:
        game: As for `best_response`.
        policy: One policy for all seats, or one per seat; objects or names.
        max_states: As for `best_response`.
        illegal: As for `best_response`.
        exact: As for `best_response`.

    Raises:
        ValueError: If the game is unsupported or too large, or a policy does not return probabilities; with `exact`
            also if a probability or payoff was rounded.
    """
    require_game(game)
    oracle, policies = _prepared(game, policy, max_states, illegal, exact)
    with consistent(game, _invariances(oracle, exact), policies, illegal) as profile:
        payoffs, responses = cast(Any, oracle.exact_payoffs if exact else oracle.payoffs)(profile.policies)
    gains = tuple(best - payoff for best, payoff in zip(responses, payoffs, strict=True))
    result = NashConv(
        float(sum(gains)), tuple(map(float, gains)), tuple(map(float, payoffs)), profile.removed, profile.queries
    )
    return replace(result, exact=sum(gains), exact_per_player=gains, exact_payoffs=payoffs) if exact else result


@overload
def exploitability(
    game: Game[Any],
    policy: Seats,
    *,
    max_states: int | None = None,
    illegal: str = "raise",
    exact: Literal[False] = False,
) -> float: ...


@overload
def exploitability(
    game: Game[Any], policy: Seats, *, max_states: int | None = None, illegal: str = "raise", exact: Literal[True]
) -> Fraction: ...


def exploitability(
    game: Game[Any], policy: Seats, *, max_states: int | None = None, illegal: str = "raise", exact: bool = False
) -> float | Fraction:
    """Computes NashConv / 2 of a policy in a two-player zero-sum game, in payoff points.

    A best response wins this much more than the game's value, averaged over both seats. The arguments are those of
    `nash_conv`; with `exact` the result is a fraction.

    Raises:
        ValueError: Like `nash_conv`; also for games that do not have two players, for which exploitability is undefined
            (use `nash_conv` there).
    """
    require_game(game)
    require_two_zero_sum(game, "exploitability", "; use nash_conv")
    result = nash_conv(game, policy, max_states=max_states, illegal=illegal, exact=exact)
    return (result.total if result.exact is None else result.exact) / 2


def head_to_head(
    game: Game[Any], first: Policy | str, second: Policy | str, *, max_states: int | None = None
) -> HeadToHead:
    """Computes the exact result of two policies against each other, over all trajectories of the game.

    Args:
        game: A two-player game that `best_response` supports.
        first: The policy in seat 0.
        second: The policy in seat 1.
        max_states: As for `best_response`.

    Raises:
        ValueError: If the game is unsupported or too large, or a policy does not return probabilities.
    """
    require_game(game)
    if game.facts.num_players != 2:
        raise ValueError(f"{game.facts.name}: head_to_head supports only two-player games")
    oracle = oracle_for(game, max_states)
    with consistent(game, oracle.check_invariances, seated_policies((first, second), game)) as profile:
        odds = oracle.odds(profile.policies)
    return replace(odds, queries=profile.queries)
