"""How far policies are from optimal play: NashConv and exploitability."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any, Literal, cast, overload

from baselines.oracles.answers.guards import consistent
from baselines.oracles.answers.protocol import ExactOracle, Seats
from baselines.oracles.answers.results import NashConv
from baselines.oracles.choice import oracle_for
from baselines.oracles.tree.oracle import TreeOracle
from cardwar_envs.core.constant_sum import payoff_sum, zero_sum_form
from cardwar_envs.core.game import Game
from cardwar_envs.core.policy import Policy
from cardwar_envs.core.policy_names import as_policies


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
    form, half = zero_sum_form(game), payoff_sum(game) / 2
    oracle = cast(ExactOracle, oracle_for(form, max_states, exact))
    check, seats = None if exact else oracle.check_invariances, policies_for(game, policy, illegal, exact)
    with consistent(game, check, seats, illegal) as profile:
        payoffs, responses = cast(Any, oracle.exact_payoffs if exact else oracle.payoffs)(profile.policies)
    gains = tuple(best - payoff for best, payoff in zip(responses, payoffs, strict=True))
    payoffs = tuple(payoff + half for payoff in payoffs)
    recall = oracle.recall() if isinstance(oracle, TreeOracle) else None
    result = NashConv(
        float(sum(gains)),
        tuple(map(float, gains)),
        tuple(map(float, payoffs)),
        profile.removed,
        profile.queries,
        recall=recall,
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
    oracle_for(game, max_states, exact, "exploitability")  # rejects games for which it is undefined
    result = nash_conv(game, policy, max_states=max_states, illegal=illegal, exact=exact)
    return (result.total if result.exact is None else result.exact) / 2


def policies_for(game: Game[Any], policy: Seats, illegal: str, exact: bool) -> list[Policy]:
    """Returns one policy per seat; with `exact`, the name `equilibrium` stands for one in rational arithmetic."""
    if not exact:
        return as_policies(policy, game)
    if illegal != "raise":
        raise ValueError(f"illegal ({illegal!r}) must be 'raise' if exact=True")
    from baselines.solving import solve

    def found(seat: Policy | str) -> Policy | str:
        return solve(game, exact=True).policy if seat == "equilibrium" else seat

    return as_policies(found(policy) if isinstance(policy, str | Policy) else [found(seat) for seat in policy], game)
