"""Equilibria of games whose payoffs need not sum to zero, for any number of players; each one is verified."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import softmax

from baselines.display.html import Number
from baselines.general_sum import solve
from baselines.general_sum.decision import Decision, DeviationGains, Play, decision_at, deviation_gains
from baselines.general_sum.logit import Branch, expected
from baselines.general_sum.results import Equilibria, Equilibrium
from baselines.oracles.answers.protocol import Seats
from baselines.oracles.state_graph.game_graph import full_graph
from baselines.questions import nash_conv
from cardwar_envs.core.cached import cached_by_game
from cardwar_envs.core.game import Game, require_game
from cardwar_envs.core.parameters import one_of
from cardwar_envs.core.policy import checked_probabilities
from cardwar_envs.core.policy_names import as_policies
from cardwar_envs.core.table_policy import TablePolicy

# What a list of equilibria of each kind is called.
KINDS = {
    "pure": "equilibria in pure strategies",
    "mixed": "equilibria",
    "symmetric": "symmetric equilibria",
    "logit": "logit equilibria (not Nash equilibria)",
    "subgame_perfect": "subgame-perfect equilibria",
    "correlated": "correlated equilibria",
    "coarse_correlated": "coarse correlated equilibria",
}
# Which of several equilibria of a decision is played, by the payoffs: the first one with the largest result.
SELECTIONS: dict[str, Callable[[tuple[Fraction, ...]], Fraction]] = {
    "sum": lambda payoffs: sum(payoffs, Fraction(0)),
    "min": min,
    "first": lambda payoffs: Fraction(0),
}
# An equilibrium is reported if every player gains at most this fraction of the range of its payoffs; and, if gains are
# measured in floats, of its largest payoff.
MOST_GAIN, ROUNDING = 1e-9, 1e-14
# A logit equilibrium is reported if no probability differs by more from the logit response to it.
MOST_RESIDUAL = 1e-9
MOST_STATES = 30_000
# Longer fractions are rounded during backward induction, and the result is verified in floats.
MOST_BITS = 1_000


def equilibria(
    game: Game[Any], kind: str | None = None, *, lambda_: float | None = None, selection: str = "sum"
) -> Equilibria:
    """Finds equilibria of a game with a public state, for any number of players and any payoffs.

    All kinds but `subgame_perfect` are for games in which all players choose once, at the same time:

    * "pure": all equilibria in pure strategies.
    * "mixed": for two players all extreme ones, of which all others are mixtures, or one by the algorithm of C. Lemke
      and J. Howson, "Equilibrium points of bimatrix games" (1964), if these are too many; for more players one.
    * "symmetric": one in which all players of a symmetric game play alike.
    * "logit": the one at `lambda_` on the branch that starts with uniform play at 0; `gain` is its NashConv.
    * "subgame_perfect": one, by backward induction. At every state it is selected among all extreme ones of two
      players, or all pure ones of more; where there are none of these, it is the one that "mixed" finds.
    * "correlated", "coarse_correlated": the one that `selection` prefers.

    Args:
        game: A game with at most 30,000 states and 300,000 payoffs at each.
        kind: One of these; by default "mixed" if all players choose once, else "subgame_perfect".
        lambda_: The precision of logit play, per payoff point.
        selection: "sum" for the largest sum of the players' payoffs (to go), "min" for the largest minimum, or, in
            backward induction, "first" for the first in the list, in which the purest come first.

    Returns:
        What was found, with an honest label. Each entry is measured, in fractions where the payoffs are rational:
        profiles by `nash_conv`.

    Raises:
        ValueError: If the game is of another kind or too large, an argument is invalid, or no equilibrium was found.
        ModuleNotFoundError: If Lemke and Howson's algorithm is needed and QuantEcon is not installed.
    """
    require_game(game)
    one_of("kind", kind, (*KINDS, None))
    kind = kind or ("mixed" if _chosen_once(game) else "subgame_perfect")
    joint = kind.endswith("correlated")
    one_of("selection", selection, ("sum", "min") if joint else tuple(SELECTIONS))
    if (kind == "logit") != (lambda_ is not None) or not 0.0 <= (lambda_ or 0.0) < np.inf:
        raise ValueError(f"lambda_ ({lambda_}) must be a number of at least 0 for kind='logit', and None for others")
    if kind == "subgame_perfect":
        return _by_induction(game, selection)
    state, decision = only_decision(game)
    claim: solve.Claim = "one"
    if joint:
        found, how = _jointly(state, decision, kind, selection)
    else:
        plays, claim, how = _of_decision(game, decision.payoffs, kind, lambda_)
        nash = kind != "logit"  # whose probabilities are never exact
        exact = nash and not decision.rounded
        found = [_measured(game, {state: decision}, {state: play}, exact, nash) for play in plays]
    label = _label(kind, claim, len(found), how, decision.rounded)
    return Equilibria(game, kind, tuple(found), claim, label, {state: decision})


def ce_gap(game: Game[Any], joint: ArrayLike) -> DeviationGains:
    """Computes what players gain by deviating after seeing the action recommended to them; 0 if `joint` is correlated.

    Args:
        game: A game in which all players choose once, at the same time.
        joint: `[actions of player 0, actions of player 1, ...]` probabilities, such as `average_play`; if they are
            Fractions, the result is exact.

    Raises:
        ValueError: If the game is of another kind, or `joint` is no distribution over its joint actions.
    """
    return _gap(game, joint, coarse=False)


def cce_gap(game: Game[Any], joint: ArrayLike) -> DeviationGains:
    """Computes what players gain by committing to an action beforehand; 0 if `joint` is coarse correlated.

    For the average play of learners this is the sum of their average regrets. Arguments and errors as for `ce_gap`.
    """
    return _gap(game, joint, coarse=True)


def average_play(game: Game[Any], profiles: Iterable[Seats]) -> NDArray[np.float64]:
    """Returns the average of what several profiles play, `[actions of player 0, actions of player 1, ...]`.

    Args:
        game: A game in which all players choose once, at the same time.
        profiles: Each a policy for all seats or a sequence with one per seat, such as the policies during a run.

    Raises:
        ValueError: If the game is of another kind, there is no profile, or a policy does not return probabilities.
    """
    state, decision = only_decision(game)
    played = []
    for profile in profiles:
        joint = np.ones(())
        for seat, policy in enumerate(as_policies(profile, game)):
            seen, mask = game.observation(state, seat)[None], game.action_mask(state, seat)[None]
            joint = np.multiply.outer(joint, checked_probabilities(policy, seen, mask)[0, list(decision.actions[seat])])
        played.append(joint)
    if not played:
        raise ValueError("profiles must have at least one entry")
    return np.asarray(np.mean(played, axis=0))


def _gap(game: Game[Any], joint: ArrayLike, coarse: bool) -> DeviationGains:
    payoffs, play = only_decision(game)[1].payoffs, np.asarray(joint)
    exact = play.dtype == object
    if play.shape != payoffs.shape[1:] or not ((play >= 0).all() and abs(play.sum() - 1) <= (0 if exact else 1e-9)):
        raise ValueError(f"joint must be probabilities of joint actions, of shape {payoffs.shape[1:]} and with sum 1")
    return deviation_gains(payoffs, play if exact else play.astype(float), coarse)


def _chosen_once(game: Game[Any]) -> bool:
    if not game.facts.public_state:
        raise ValueError(f"{game.facts.name}: this is for games in which players see the whole state")
    starts, everyone = [start.state for start in game.initial()], tuple(range(game.facts.num_players))
    return full_graph(game, MOST_STATES).states == starts and game.acting_players(starts[0]) == everyone


@cached_by_game(8)
def only_decision(game: Game[Any]) -> tuple[Any, Decision]:
    """Returns the only state in which players choose, and the payoffs.

    Raises:
        ValueError: If not all players choose once, at the same time; or there are more than 300,000 payoffs.
    """
    require_game(game)
    if not _chosen_once(game):
        raise ValueError(f"{game.facts.name}: this is for games in which all players choose once, at the same time")
    state = game.initial()[0].state
    return state, decision_at(game, state, {})


def _of_decision(
    game: Game[Any], payoffs: NDArray[Any], kind: str, lambda_: float | None
) -> tuple[list[Play], solve.Claim, str]:
    if kind == "pure":
        return solve.pure_equilibria(payoffs), "all", "comparison of all joint actions"
    if kind == "mixed":
        return solve.mixed_equilibria(payoffs)
    if kind == "symmetric":
        solve.require_symmetric(payoffs, game.facts.name)
        return [solve.near_logit(payoffs, symmetric=True)], "one", solve.NEAR_LOGIT
    floats, precision = payoffs.astype(float), lambda_ or 0.0
    mixes = Branch(floats).at(precision)
    response = [softmax(precision * expected(floats, mixes, player)) for player in range(len(mixes))]
    if not max(np.abs(one - other).max() for one, other in zip(mixes, response, strict=True)) <= MOST_RESIDUAL:
        raise ValueError(f"lambda_ ({lambda_:g}) is too large for logit equilibria in floats")
    return [solve.in_fractions(mixes)], "one", f"following the branch from uniform play to lambda {precision:g}"


def _jointly(state: Any, decision: Decision, kind: str, selection: str) -> tuple[list[Equilibrium], str]:
    joint, how = solve.correlated(decision.payoffs, kind == "coarse_correlated", selection)
    joint = joint.astype(float) if decision.rounded else joint
    gains = deviation_gains(decision.payoffs, joint, kind == "coarse_correlated")
    _require_equilibrium(gains.per_player, [decision])
    names = map("/".join, product(*decision.names))
    mixes = {state: [dict(zip(names, joint.ravel().tolist(), strict=True))]}
    found = Equilibrium((), joint, gains.payoffs, gains.total, mixes)
    return [found], f"{how}, with the largest {selection} of payoffs"


def _by_induction(game: Game[Any], selection: str) -> Equilibria:
    _chosen_once(game)  # rejects games with hidden states
    rounded, unique, methods = False, True, set[str]()
    worths: dict[Any, tuple[Fraction, ...]] = {}
    decisions: dict[Any, Decision] = {}
    plays: dict[Any, Play] = {}
    for state in full_graph(game, MOST_STATES).states:  # those closest to the end come first
        decision = decision_at(game, state, worths)
        own = decision.payoffs[list(decision.acting)]
        found = solve.pure_equilibria(own) if len(own) > 2 else []
        how, claim = "comparison of pure strategies", "one"
        if not found:
            found, claim, how = solve.mixed_equilibria(own)
        plays[state] = max(found, key=lambda play: SELECTIONS[selection](decision.worth(play)))
        worths[state], decisions[state] = decision.worth(plays[state]), decision
        if max(each.denominator.bit_length() for each in worths[state]) > MOST_BITS:
            rounded, worths[state] = True, tuple(Fraction(float(each)) for each in worths[state])
        unique &= claim == "unique"
        methods.add(how)
    given = any(decision.rounded for decision in decisions.values())
    measured = _measured(game, decisions, plays, not (rounded or given))
    claimed: solve.Claim = "unique" if unique and not rounded else "one"
    how = f"backward induction ({', '.join(sorted(methods))}; selection {selection!r})"
    label = _label("subgame_perfect", claimed, 1, how, given)
    return Equilibria(game, "subgame_perfect", (measured,), claimed, label, decisions)


def _measured(
    game: Game[Any], decisions: Mapping[Any, Decision], plays: Mapping[Any, Play], exact: bool, nash: bool = True
) -> Equilibrium:
    """Measures a profile by `nash_conv`, in fractions if `exact`; with `nash`, it must be an equilibrium."""
    tables: list[dict[bytes, Any]] = [{} for _ in range(game.facts.num_players)]
    number = Fraction if exact else float
    for state, decision in decisions.items():
        for seat, legal, mix in zip(decision.acting, decision.actions, plays[state], strict=True):
            row = [number(0)] * game.facts.num_actions
            for action, share in zip(legal, mix, strict=True):
                row[action] = number(share)
            tables[seat][game.observation(state, seat).tobytes()] = row
    policies = tuple(map(TablePolicy, tables))
    result = nash_conv(game, policies, max_states=MOST_STATES, exact=exact)
    if nash:
        _require_equilibrium(result.exact_per_player or result.per_player, list(decisions.values()))
    payoffs, gain = result.exact_payoffs or result.payoffs, result.total if result.exact is None else result.exact
    number = float if gain else Fraction
    mixes: dict[Any, list[dict[str, Number]]] = {state: [{} for _ in tables] for state in decisions}
    for state, decision in decisions.items():
        for seat, names, mix in zip(decision.acting, decision.names, plays[state], strict=True):
            mixes[state][seat] = dict(zip(names, map(number, mix), strict=True))
    return Equilibrium(policies, None, payoffs, gain, mixes)


def _require_equilibrium(gains: Iterable[Number], decisions: Sequence[Decision]) -> None:
    for player, gain in enumerate(gains):
        own = [decision.payoffs[player] for decision in decisions]
        most = MOST_GAIN * float(max(each.max() - each.min() for each in own))
        if isinstance(gain, float):
            most += ROUNDING * float(max(np.abs(each).max() for each in own))
        if not gain <= most:
            raise ValueError(f"no equilibrium was found: player_{player} can gain {float(gain):.1e} in the best one")


def _label(kind: str, claim: solve.Claim, count: int, how: str, rounded: bool) -> str:
    what = KINDS[kind]
    extreme = "extreme equilibria, of which all others are mixtures"
    claims = {
        "all": f"all {extreme if kind == 'mixed' else what}: {count or 'there are none'}",
        "one": f"one of possibly many {what}",
        "unique": f"the only {'subgame-perfect ' * (kind == 'subgame_perfect')}equilibrium, proved",
    }
    return f"{claims[claim]}{', for payoffs rounded to floats' if rounded else ''}; by {how}"
