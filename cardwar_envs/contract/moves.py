"""Checks of play: acting players, legal actions, probabilities, payoffs and the lengths of games."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from cardwar_envs.contract.case import Case, Circle
from cardwar_envs.contract.verdicts import Failed, NotApplicable, Noted, kind_of, short, where
from cardwar_envs.contract.walk import BadActions, BadSeats
from cardwar_envs.core.game import Game, Transition


def rules_answer(case: Case) -> None:
    """`initial`, `acting_players`, `live_players`, `legal_actions` and `transitions` raise no errors."""
    case.require_no(Failed)
    if not case.starts:
        raise Failed("initial returns no start")


def players_are_seats(case: Case) -> None:
    """`acting_players` and `live_players` are ascending seats; acting players are live; if no one acts, no one is live.

    If a live player does not act, the facts must not declare that everyone acts.
    """
    case.require_no(BadSeats)
    for node in case.nodes:
        if case.facts.everyone_acts and node.acting != node.live:
            said = "but the facts declare everyone_acts"
            raise Failed(f"{where(node.state)}: players {node.live} are live and only {node.acting} act, {said}")


def legal_actions_are_in_order(case: Case) -> None:
    """Each live player has a legal action; `legal_actions` is a tuple of distinct actions, ascending."""
    case.require_no(BadActions)
    for node, player in case.choosing:
        given = case.game.legal_actions(node.state, player)
        if not isinstance(given, tuple) or given != node.legal[player]:
            at = where(node.state, player)
            raise Failed(f"{at}: legal_actions are {short(given)}, which must be a tuple, ascending and distinct")


def masks_are_legal_actions(case: Case) -> None:
    """`action_mask` is an int8 array, 1 for legal actions and 0 for all others."""
    for node, player in case.choosing:
        mask = case.query("action_mask", node.state, player)
        at, size = where(node.state, player), case.facts.num_actions
        if not isinstance(mask, np.ndarray) or mask.dtype != np.int8 or mask.shape != (size,):
            raise Failed(f"{at}: action_mask is {kind_of(mask)}, not int8[{size}]")
        expected = np.zeros(size, dtype=np.int8)
        expected[list(node.legal[player])] = 1
        if not np.array_equal(mask, expected):
            raise Failed(f"{at}: action_mask is {short(mask)}, but legal_actions are {node.legal[player]}")


def probabilities_are_exact(case: Case) -> None:
    """The probabilities of starts, and of the outcomes of a joint action, are positive Fractions that sum to one.

    Solvers sum over the outcomes that environments draw from; floats would sum to one only approximately.
    """
    if case.starts and (fault := _odds_fault(case.starts)):
        raise Failed(f"the starts: {fault}")
    for node, actions, outcomes in case.moves:
        if fault := _odds_fault(outcomes):
            raise Failed(f"{node.at(actions)}: {fault}")


def _odds_fault(outcomes: Sequence[Transition[Any]]) -> str:
    """Describes a fault in the probabilities; "" if there is none."""
    total = Fraction(0)
    for outcome in outcomes:
        if not isinstance(outcome.probability, Fraction):
            return f"probability {short(outcome.probability)} must be a Fraction"
        if outcome.probability <= 0:
            return f"probability {outcome.probability} must be above 0"
        total += outcome.probability
    return "" if total == 1 else f"probabilities sum to {total}, not to 1"


def chance_is_as_declared(case: Case) -> None:
    """If the declared chance is "none" or "deal", every move has one outcome; if "none", there is one start.

    It is noted if the facts declare chance in moves but no move has any, because some learners refuse such games.
    """
    declared = case.facts.chance
    if declared == "none" and len(case.starts) > 1:
        raise Failed(f"the facts say that there is no chance, but initial returns {len(case.starts)} starts")
    for node, actions, outcomes in case.moves:
        if len(outcomes) > 1:
            if declared not in ("none", "deal"):
                return
            found = f"{node.at(actions)} has {len(outcomes)} outcomes"
            raise Failed(f"{found}; the facts say that chance is {declared!r}")
    if declared == "moves" and case.complete:
        raise Noted(f"the facts allow chance in moves, but no move has any in {case.extent}")


def starts_begin_a_game(case: Case) -> None:
    """Nothing is paid before the first move, and at each start some player acts.

    Environments return rewards only after a step, so every episode needs a step, and the first move has to pay instead.
    """
    for start in case.starts:
        if case.payment_fault == "" and any(start.rewards):
            raise Failed(f"start in {where(start.state)} pays {start.rewards}; the first move can pay it instead")
    over = {node.state for node in case.nodes if not node.acting}
    for start in case.starts:
        if not case.unhashable and start.state in over:
            raise Failed(f"start in {where(start.state)}: the game is over at this start")


def seats_and_actions_are_used(case: Case) -> None:
    """Every player acts somewhere, and every action is legal somewhere (otherwise a note)."""
    acting = {player for node in case.nodes for player in node.acting}
    legal = {action for node in case.nodes for actions in node.legal.values() for action in actions}
    idle = [f"player_{player}" for player in range(case.facts.num_players) if player not in acting]
    unused = [action for action in range(case.facts.num_actions) if action not in legal]
    if idle:
        raise Noted(f"{', '.join(idle)} never acts in {case.extent}")
    if unused:
        raise Noted(f"actions {short(unused)} are never legal in {case.extent}")


# Sums of payments are compared up to rounding.
TOLERANCE = 1e-9


def payments_are_numbers(case: Case) -> None:
    """The rewards of every move are a tuple with one finite number for each player."""
    if case.payment_fault:
        raise Failed(case.payment_fault)


def players_who_left_are_not_paid(case: Case) -> None:
    """No move pays a player who had left the game before it: environments can return no reward to such a player."""
    case.require_payments()
    for node, actions, outcomes in case.moves:
        for outcome in outcomes:
            for player, paid in enumerate(outcome.rewards):
                if paid and player not in node.live:
                    raise Failed(f"{node.at(actions)}: player_{player} is paid {paid:g} but has left")


def payoffs_keep_their_bounds(case: Case) -> None:
    """No player gets less than `min_payoff` or more than `max_payoff` in a whole game."""
    facts = case.facts
    slack = TOLERANCE * (1 + max(abs(facts.min_payoff), abs(facts.max_payoff)))
    for start in case.starts:
        found = case.outlook(start.state)
        if found is None:
            continue
        for player in range(facts.num_players):
            low, high = (bound[player] + start.rewards[player] for bound in (found.least, found.most))
            if not facts.min_payoff - slack <= low <= high <= facts.max_payoff + slack:
                at = f"games from {where(start.state, player)}"
                raise Failed(
                    f"{at} pay {low:g}..{high:g} in total; the facts say {facts.min_payoff:g}..{facts.max_payoff:g}"
                )


def zero_sum_holds(case: Case) -> None:
    """If declared zero-sum, the payoffs of a whole game sum to zero; with two players, the rewards of every move do."""
    facts = case.facts
    if not facts.zero_sum:
        raise NotApplicable("the game is not declared zero-sum")
    if case.payment_fault:
        raise NotApplicable("payments are not one number per player")
    if facts.num_players == 2:
        for node, actions, outcomes in case.moves:
            for _, _, rewards in outcomes:
                if abs(sum(rewards)) > TOLERANCE * (1 + abs(rewards[0])):
                    raise Failed(f"{node.at(actions)}: rewards {rewards} sum to {sum(rewards):g}, not to 0")
        return
    for start in case.starts:
        found = case.outlook(start.state)
        total = sum(start.rewards)
        low, high = (0.0, 0.0) if found is None else (total + found.least[-2], total + found.most[-2])
        if max(abs(low), abs(high)) > TOLERANCE:
            raise Failed(f"games from {where(start.state)}: payoffs sum to {low:g}..{high:g}, not to 0")


def games_end_in_time(case: Case) -> None:
    """No game has more joint actions than `max_length`, or rounds than `max_rounds`, and none revisits a state.

    Without a `rounds_form`, every joint action is a round.
    """
    most, limit = case.facts.max_length, "max_length"
    if case.endless is not None:
        raise Failed(f"after {most} joint actions a game continues at {where(case.endless)}; max_length is {most}")
    rounds, form = case.facts.max_rounds, type(case.game).rounds_form
    if isinstance(rounds, int) and rounds < most and form is Game.rounds_form and not case.game._lost("rounds_form"):
        most, limit = rounds, "without a rounds_form, max_rounds"
    for start in case.starts:
        try:
            found = case.outlook(start.state)
        except Circle as circle:
            raise Failed(str(circle)) from None
        if found is not None and found.most[-1] > most:
            at = f"a game from {where(start.state)}"
            raise Failed(f"{at} has {int(found.most[-1])} joint actions; {limit} is {most}")


def settled_is_what_play_pays(case: Case) -> None:
    """If `settled` returns payoffs for a state or its representative, every continuation pays exactly these."""
    asked = 0
    for node in case.nodes:
        for state in {node.state, case.canonical(node.state).state}:
            settled = case.query("settled", state)
            if settled is None:
                continue
            asked += 1
            if not isinstance(settled, tuple) or len(settled) != case.facts.num_players:
                raise Failed(f"{where(state)}: settled is {short(settled)}, not a payoff for each player")
            found = case.outlook(state)
            for player, paid in enumerate(settled if found is not None else ()):
                assert found is not None
                low, high = found.least[player], found.most[player]
                if not (abs(low - paid) <= TOLERANCE and abs(high - paid) <= TOLERANCE):
                    at = where(state, player)
                    raise Failed(f"{at}: settled says that {paid:g} is still paid, but play pays {low:g}..{high:g}")
    if not asked:
        raise NotApplicable(f"no state is settled in {case.extent}")
