"""Exact results against given policies: best responses, and head-to-head results."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any, cast

from baselines.oracles.answers.guards import consistent
from baselines.oracles.answers.protocol import ExactOracle, Seats
from baselines.oracles.answers.results import BestResponse, HeadToHead
from baselines.oracles.choice import oracle_for
from baselines.questions import policies_for
from cardwar_envs.core.constant_sum import payoff_sum, zero_sum_form
from cardwar_envs.core.game import Game
from cardwar_envs.core.parameters import whole_number
from cardwar_envs.core.policy import Policy
from cardwar_envs.core.policy_names import seated_policies


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
            game of many rounds: positions), or a game with private information in which both players move once, or
            whose histories can be listed. A duel in which only the order of ranks matters can have some ten million
            states. If it shows interleavings (`view="word"`) or the policy declares `by_words` (it plays the same in
            all states with the same interleaving), the computation runs over interleavings, of which there are far
            fewer. The same holds for Goofspiel, with up to 10 cards in random order; other policies of Goofspiel are
            measured at the states that they reach, unless `max_states` is given.
        policy: The others' policies: one for all seats, or one per seat (that of `player` is ignored). In a game of
            many rounds a policy is queried once per number of rounds left, or only once if it declares `stationary`.
        player: The player who responds.
        max_states: Maximum number of states (a million by default; 50 million for Goofspiel, and for duels in which
            only the order of ranks matters), or of positions in a game of many rounds (four million). With hidden
            information over several moves, also the maximum number of histories in which players act. The limit does
            not apply to games in which both players move once on private information.
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
    form, half = zero_sum_form(game), payoff_sum(game) / 2
    oracle = cast(ExactOracle, oracle_for(form, max_states, exact))
    player = whole_number("player", player, range(game.facts.num_players))
    check, seats = None if exact else oracle.check_invariances, policies_for(game, policy, illegal, exact)
    with consistent(game, check, seats, illegal, responder=player) as profile:
        response = (oracle.exact_response if exact else oracle.response)(profile.policies, player)
    worth = None if response.exact is None else response.exact + Fraction(half)
    value = response.value + float(half)
    return replace(response, value=value, exact=worth, removed=profile.removed, queries=profile.queries)


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
    oracle = oracle_for(zero_sum_form(game), max_states, question="head_to_head")
    with consistent(game, oracle.check_invariances, seated_policies((first, second), game)) as profile:
        odds = oracle.odds(profile.policies)
    return replace(odds, mean=odds.mean + float(payoff_sum(game) / 2), queries=profile.queries)
