"""Checks of payoffs and of the lengths of games."""

from __future__ import annotations

from cardwar_envs.contract.answers import place, short
from cardwar_envs.contract.case import Case
from cardwar_envs.contract.verdicts import Failed, NotApplicable
from cardwar_envs.contract.walk import Circle
from cardwar_envs.core.game import Game

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
                    raise Failed(f"{node.place(actions)}: player_{player} is paid {paid:g} but has left")


def payoffs_keep_their_bounds(case: Case) -> None:
    """No player gets less than `min_payoff` or more than `max_payoff` in a whole game."""
    facts = case.facts
    slack = TOLERANCE * (1 + max(abs(facts.min_payoff), abs(facts.max_payoff)))
    for start in case.walk.starts:
        found = case.outlook(start.state)
        if found is None:
            continue
        for player in range(facts.num_players):
            low, high = (bound[player] + start.rewards[player] for bound in (found.least, found.most))
            if not facts.min_payoff - slack <= low <= high <= facts.max_payoff + slack:
                at = f"games from {place(start.state, player)}"
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
                    raise Failed(f"{node.place(actions)}: rewards {rewards} sum to {sum(rewards):g}, not to 0")
        return
    for start in case.walk.starts:
        found = case.outlook(start.state)
        total = sum(start.rewards)
        low, high = (0.0, 0.0) if found is None else (total + found.least[-2], total + found.most[-2])
        if max(abs(low), abs(high)) > TOLERANCE:
            raise Failed(f"games from {place(start.state)}: payoffs sum to {low:g}..{high:g}, not to 0")


def games_end_in_time(case: Case) -> None:
    """No game has more joint actions than `max_length`, or rounds than `max_rounds`, and none revisits a state.

    Without a `rounds_form`, every joint action is a round.
    """
    most, limit = case.facts.max_length, "max_length"
    if case.walk.endless is not None:
        raise Failed(f"after {most} joint actions a game continues at {place(case.walk.endless)}; max_length is {most}")
    rounds, form = case.facts.max_rounds, type(case.game).rounds_form
    if isinstance(rounds, int) and rounds < most and form is Game.rounds_form and not case.game._lost("rounds_form"):
        most, limit = rounds, "without a rounds_form, max_rounds"
    for start in case.walk.starts:
        try:
            found = case.outlook(start.state)
        except Circle as circle:
            raise Failed(str(circle)) from None
        if found is not None and found.most[-1] > most:
            at = f"a game from {place(start.state)}"
            raise Failed(f"{at} has {int(found.most[-1])} joint actions; {limit} is {most}")


def settled_is_what_play_pays(case: Case) -> None:
    """If `settled` returns payoffs for a state or its representative, every continuation pays exactly these."""
    asked = 0
    for node in case.nodes:
        for state in {node.state, case.canonical(node.state).state}:
            settled = case.ask("settled", state)
            if settled is None:
                continue
            asked += 1
            if not isinstance(settled, tuple) or len(settled) != case.facts.num_players:
                raise Failed(f"{place(state)}: settled is {short(settled)}, not a payoff for each player")
            found = case.outlook(state)
            for player, paid in enumerate(settled if found is not None else ()):
                assert found is not None
                low, high = found.least[player], found.most[player]
                if not (abs(low - paid) <= TOLERANCE and abs(high - paid) <= TOLERANCE):
                    at = place(state, player)
                    raise Failed(f"{at}: settled says that {paid:g} is still paid, but play pays {low:g}..{high:g}")
    if not asked:
        raise NotApplicable(f"no state is settled in {case.walk.extent}")
